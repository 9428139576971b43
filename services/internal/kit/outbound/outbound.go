// Package outbound builds HTTP transports for calls to external services. Each phase has a timeout. Private
// addresses are refused when connecting, so that neither a redirect nor a changed DNS record leads to the private
// network. It also logs calls, and parses Retry-After.
package outbound

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// NewTransport returns a transport that connects only to public addresses, and to those of hosts (as returned by
// url.URL.Hostname) that are private by their name, see IsInner: such a host is a simulated service that the
// operator has configured.
//
// timeout limits each phase: connecting, the TLS handshake, the response header.
func NewTransport(timeout time.Duration, hosts ...string) *http.Transport {
	return newTransport(timeout, dialContext(timeout, hosts))
}

// NewOpenTransport returns a transport that connects to all hosts, for addresses entered by users who may access
// the private network.
func NewOpenTransport(timeout time.Duration) *http.Transport {
	return newTransport(timeout, dialer(timeout).DialContext)
}

type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

func newTransport(timeout time.Duration, dial dialFunc) *http.Transport {
	return &http.Transport{
		DialContext:            dial,
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

// dialContext refuses private addresses, except for private hosts among hosts.
func dialContext(timeout time.Duration, hosts []string) dialFunc {
	guarded, unguarded := dialer(timeout), dialer(timeout)
	guarded.Control = refusePrivate
	inner := map[string]bool{}
	for _, host := range hosts {
		inner[canonical(host)] = IsInner(host)
	}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		host, _, _ := net.SplitHostPort(addr) // empty, and so no inner host, if malformed
		if inner[canonical(host)] {
			return unguarded.DialContext(ctx, network, addr)
		}
		return guarded.DialContext(ctx, network, addr)
	}
}

func dialer(timeout time.Duration) *net.Dialer {
	return &net.Dialer{Timeout: timeout, KeepAlive: 30 * time.Second}
}

// NewProxiedTransport is NewTransport with the proxy of HTTPS_PROXY, HTTP_PROXY and NO_PROXY, which may have a
// private address. The proxy resolves public hosts, and must refuse private addresses itself; hosts that are private
// by their name are called directly. The transport is for hosts that the operator configures.
func NewProxiedTransport(timeout time.Duration, hosts ...string) *http.Transport {
	return proxied(NewTransport(timeout, hosts...), timeout, http.ProxyFromEnvironment)
}

func proxied(t *http.Transport, timeout time.Duration, choose func(*http.Request) (*url.URL, error)) *http.Transport {
	var proxies sync.Map // the addresses that choose has returned
	t.Proxy = func(r *http.Request) (*url.URL, error) {
		if IsInner(r.URL.Hostname()) {
			return nil, nil
		}
		proxy, err := choose(r)
		if proxy != nil {
			proxies.Store(addressOf(proxy), true)
		}
		return proxy, err
	}
	guarded, open := t.DialContext, dialer(timeout)
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if _, isProxy := proxies.Load(addr); isProxy {
			return open.DialContext(ctx, network, addr)
		}
		return guarded(ctx, network, addr)
	}
	return t
}

// addressOf returns the address that net/http dials for a proxy.
func addressOf(proxy *url.URL) string {
	port := map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[proxy.Scheme]
	return net.JoinHostPort(proxy.Hostname(), cmp.Or(proxy.Port(), port))
}

// ErrPrivateAddress is returned by a dial to an address that is not public.
var ErrPrivateAddress = errors.New("address is not public")

func canonical(host string) string {
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// IsInner reports whether host is private by its name: a private IP address, a name without a dot, or one under a
// special-use domain (RFC 6761, RFC 6762, RFC 9476 and ".internal").
func IsInner(host string) bool {
	if ip, _ := netip.ParseAddr(host); ip.IsValid() {
		return !isPublic(ip)
	}
	name := canonical(host)
	if !strings.Contains(name, ".") {
		return name != ""
	}
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "localhost", "local", "internal", "test", "alt":
		return true
	}
	return false
}

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

// globalUnicast6 contains every public IPv6 address (RFC 4291, section 2.4, as assigned by IANA), but no zone and
// no embedded IPv4 address (::/96, 64:ff9b::/96).
var globalUnicast6 = netip.MustParsePrefix("2000::/3")

// special are blocks that neither globalUnicast6 nor net/netip excludes (IANA IPv4 and IPv6 Special-Purpose Address
// Registries).
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
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	if ip.Is6() && !globalUnicast6.Contains(ip) {
		return false
	}
	for _, block := range special {
		if block.Contains(ip) {
			return false
		}
	}
	return true
}

// RetryAfter parses the Retry-After header: seconds or a date (RFC 9110, section 10.2.3). It returns zero if the
// header is absent, malformed, a past date, or a number above 2^31-1.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second // #nosec G115 -- 31 bits
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(at.Sub(now), 0)
}

// Logged returns next with a log line for each call: WARN for a call without a response or with a status of 400 and
// above, otherwise DEBUG. Lines contain no path and no query, which may identify people or contain a token.
func Logged(next http.RoundTripper, log *slog.Logger) http.RoundTripper {
	return &logged{next, log}
}

type logged struct {
	next http.RoundTripper
	log  *slog.Logger
}

// RoundTrip implements http.RoundTripper.
func (l *logged) RoundTrip(r *http.Request) (*http.Response, error) {
	start := time.Now()
	resp, err := l.next.RoundTrip(r)
	log := l.log.With("host", r.URL.Host, "method", r.Method, "seconds", time.Since(start).Seconds())
	switch {
	case err != nil:
		log.WarnContext(r.Context(), "call failed", "error", err)
	case resp.StatusCode >= http.StatusBadRequest:
		log.WarnContext(r.Context(), "call failed", "status", resp.StatusCode)
	default:
		log.DebugContext(r.Context(), "call answered", "status", resp.StatusCode)
	}
	return resp, err
}

// Reach connects to the server of address, or to its proxy from the environment, and disconnects without a request.
// With https, the certificate must be valid.
func Reach(ctx context.Context, address *url.URL) error {
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: address})
	if err != nil {
		return err
	}
	if proxy != nil {
		address = proxy
	}
	dialer := &net.Dialer{}
	dial, port := dialer.DialContext, "80"
	if address.Scheme == "https" {
		dial, port = (&tls.Dialer{NetDialer: dialer}).DialContext, "443"
	}
	conn, err := dial(ctx, "tcp", net.JoinHostPort(address.Hostname(), cmp.Or(address.Port(), port)))
	if err != nil {
		return err
	}
	return conn.Close()
}
