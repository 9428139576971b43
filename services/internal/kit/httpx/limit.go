package httpx

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"golang.org/x/time/rate"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/network"
)

// Rate limits the requests of each client, an IPv4 address or an IPv6 /56 network, in this process.
type Rate struct {
	PerSecond      int // 0 disables the limit
	TrustedProxies []netip.Prefix
}

// burst is in seconds' worth of requests.
const burst = 5

var errTooManyRequests = fault.New(fault.Limited, "too_many_requests",
	"Zbyt wiele żądań w krótkim czasie. Spróbuj ponownie za chwilę.").After(time.Second)

func (o Rate) middleware() echo.MiddlewareFunc {
	store := middleware.NewRateLimiterMemoryStoreWithConfig(middleware.RateLimiterMemoryStoreConfig{
		Rate: rate.Limit(o.PerSecond), Burst: burst * o.PerSecond,
	})
	clientIP := ClientIP(o.TrustedProxies)
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			allowed, err := store.Allow(network.OfClient(clientIP(c.Request())))
			if err != nil {
				return err
			}
			if !allowed {
				return errTooManyRequests
			}
			return next(c)
		}
	}
}

// ClientIP returns the last address in X-Forwarded-For that is not of a trusted proxy, or that of the peer if it
// is no proxy or the header is malformed.
func ClientIP(trusted []netip.Prefix) func(*http.Request) string {
	return func(r *http.Request) string {
		peer, err := netip.ParseAddrPort(r.RemoteAddr)
		if err != nil {
			return ""
		}
		client := peer.Addr().Unmap()
		forwarded := strings.Join(r.Header["X-Forwarded-For"], ",")
		for forwarded != "" && isWithin(trusted, client) {
			i := strings.LastIndexByte(forwarded, ',')
			before, err := netip.ParseAddr(strings.Trim(forwarded[i+1:], " []"))
			if err != nil {
				return peer.Addr().Unmap().String()
			}
			client, forwarded = before.Unmap(), forwarded[:max(i, 0)]
		}
		return client.String()
	}
}

func isWithin(networks []netip.Prefix, ip netip.Addr) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(ip) })
}
