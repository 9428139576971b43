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
