// Package outbound builds the HTTP transport that the services use for calls to
// the outside world: with bounds on every phase, and with a guard that refuses
// private addresses at the moment of connecting, so that neither a redirect nor
// a changed DNS answer can turn a call into one to the inner network.
//
// Request building, authentication and throttling stay with the callers.
package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// ErrPrivateAddress is returned by a dial to an address that is not public.
var ErrPrivateAddress = errors.New("address is not public")

// NewTransport returns a transport for calls to hosts (names or IP addresses,
// as url.URL.Hostname gives them). It connects to public addresses only, except
// for those of the hosts that are inner ones themselves (an IP address that is
// not public, or a name that no public DNS zone holds): there the operator has
// pointed the service at a stand-in on purpose.
//
// timeout bounds each phase: connecting, the TLS handshake, the response header.
func NewTransport(timeout time.Duration, hosts ...string) *http.Transport {
	return &http.Transport{
		DialContext:            dialContext(timeout, hosts),
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           32,
		MaxIdleConnsPerHost:    8,
		MaxConnsPerHost:        64,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    timeout,
		ResponseHeaderTimeout:  timeout,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// dialContext guards every connection but those to the inner ones of hosts.
func dialContext(timeout time.Duration, hosts []string) func(ctx context.Context, network, addr string) (net.Conn, error) {
	guarded := &net.Dialer{Timeout: timeout, KeepAlive: keepAlive, Control: refusePrivate}
	open := &net.Dialer{Timeout: timeout, KeepAlive: keepAlive}
	inner := map[string]bool{}
	for _, host := range hosts {
		inner[canonical(host)] = isInner(host)
	}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if host, _, err := net.SplitHostPort(addr); err == nil && inner[canonical(host)] {
			return open.DialContext(ctx, network, addr)
		}
		return guarded.DialContext(ctx, network, addr)
	}
}

func canonical(host string) string {
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// isInner reports whether host can only mean an inner address: a private IP
// address, a name without a dot, or one under a special-use domain (RFC 6761,
// RFC 6762, RFC 9476 and the private-use ".internal").
func isInner(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return !isPublic(ip)
	}
	name := canonical(host)
	if !strings.Contains(name, ".") {
		return name != ""
	}
	top := name[strings.LastIndexByte(name, '.')+1:]
	switch top {
	case "localhost", "local", "internal", "test", "alt":
		return true
	}
	return false
}

// refusePrivate is a net.Dialer Control: it sees the address after resolution.
func refusePrivate(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %q", ErrPrivateAddress, address)
	}
	if !isPublic(ap.Addr()) {
		return fmt.Errorf("%w: %s", ErrPrivateAddress, ap.Addr())
	}
	return nil
}

const keepAlive = 30 * time.Second

// globalUnicast6 holds every public IPv6 address (RFC 4291, section 2.4, as
// assigned by IANA). Addresses that embed an IPv4 one (::/96, 64:ff9b::/96) and
// addresses with a zone lie outside.
var globalUnicast6 = netip.MustParsePrefix("2000::/3")

// special lists the address blocks that neither globalUnicast6 nor net/netip's
// predicates cover (IANA IPv4 and IPv6 Special-Purpose Address Registries).
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("3fff::/20"),
}

func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.Is6() && !globalUnicast6.Contains(ip) {
		return false
	}
	for _, block := range special {
		if block.Contains(ip) {
			return false
		}
	}
	return true
}
