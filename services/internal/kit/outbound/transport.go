// Package outbound builds the HTTP transport that the services use for calls to
// the outside world: with bounds on every phase, and with a guard that refuses
// private addresses at the moment of connecting, so that neither a redirect nor
// a changed DNS answer can turn a call into one to the inner network.
//
// Request building, authentication and throttling stay with the callers.
package outbound

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// NewTransport returns a transport for calls to hosts (names or IP addresses, as
// url.URL.Hostname gives them). It connects to public addresses only, except for
// those of hosts that are inner ones themselves: an IP address that is not public, or
// a name that is in no public DNS zone. There the operator has pointed the service at
// a fake on purpose.
//
// timeout bounds each phase: connecting, the TLS handshake, the response header.
func NewTransport(timeout time.Duration, hosts ...string) *http.Transport {
	return newTransport(timeout, dialContext(timeout, hosts))
}

// NewOpenTransport is NewTransport for every host, inner ones, too. It is for addresses
// that are only those of people whom the operator trusts with the inner network.
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

// dialContext guards every connection except those to the inner ones among hosts.
func dialContext(timeout time.Duration, hosts []string) dialFunc {
	guarded, unguarded := dialer(timeout), dialer(timeout)
	guarded.Control = refusePrivate
	inner := map[string]bool{}
	for _, host := range hosts {
		inner[canonical(host)] = IsInner(host)
	}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if host, _, err := net.SplitHostPort(addr); err == nil && inner[canonical(host)] {
			return unguarded.DialContext(ctx, network, addr)
		}
		return guarded.DialContext(ctx, network, addr)
	}
}

func dialer(timeout time.Duration) *net.Dialer {
	return &net.Dialer{Timeout: timeout, KeepAlive: 30 * time.Second}
}

// NewProxiedTransport is NewTransport by way of the proxy that HTTPS_PROXY, HTTP_PROXY
// and NO_PROXY name, if there is one. The operator chose it, so it may be private. It
// resolves the names of public hosts, and has to refuse private addresses itself;
// inner hosts are never asked of it. It is for hosts that the operator chose: not for
// addresses that somebody may enter.
func NewProxiedTransport(timeout time.Duration, hosts ...string) *http.Transport {
	return proxied(NewTransport(timeout, hosts...), timeout, http.ProxyFromEnvironment)
}

func proxied(t *http.Transport, timeout time.Duration, choose func(*http.Request) (*url.URL, error)) *http.Transport {
	var chosen sync.Map // address → true
	t.Proxy = func(r *http.Request) (*url.URL, error) {
		if IsInner(r.URL.Hostname()) {
			return nil, nil
		}
		proxy, err := choose(r)
		if proxy != nil {
			chosen.Store(addressOf(proxy), true)
		}
		return proxy, err
	}
	guarded, open := t.DialContext, dialer(timeout)
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if _, isProxy := chosen.Load(addr); isProxy {
			return open.DialContext(ctx, network, addr)
		}
		return guarded(ctx, network, addr)
	}
	return t
}

// addressOf is where net/http dials a proxy.
func addressOf(proxy *url.URL) string {
	port := map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[proxy.Scheme]
	return net.JoinHostPort(proxy.Hostname(), cmp.Or(proxy.Port(), port))
}
