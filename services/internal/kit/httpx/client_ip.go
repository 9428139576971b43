package httpx

import (
	"net"
	"net/http"
	"net/netip"

	"github.com/labstack/echo/v4"
)

// ClientIP returns what tells the network address of a client: the last entry of
// X-Forwarded-For that none of the trusted proxies has made, or the peer's own
// address when the peer is not one of them.
func ClientIP(trusted []netip.Prefix) func(*http.Request) string {
	options := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, prefix := range trusted {
		addr := prefix.Addr()
		options = append(options, echo.TrustIPRange(&net.IPNet{IP: addr.AsSlice(), Mask: net.CIDRMask(prefix.Bits(), addr.BitLen())}))
	}
	return echo.ExtractIPFromXFFHeader(options...)
}
