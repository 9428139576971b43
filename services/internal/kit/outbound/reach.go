package outbound

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
)

// Reach returns an error unless the server of an address, or the proxy that the environment
// names for it, accepts a connection, for https with a valid certificate. No request is sent.
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
