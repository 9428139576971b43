package gateway

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// A client has a burst of four times the rate, with any forged address; a flood by one costs
// others nothing, also in front of a web app.
func TestFloodOfOneClient(t *testing.T) {
	t.Parallel()
	p, _, _ := newWebApp(t, http.FileServer(http.Dir(t.TempDir())), "GATEWAY_CLIENT_RATE=2")
	greedy, other := clientFrom(t, 41), clientFrom(t, 42)
	for _, path := range []string{"/api/benchmark/cpu", "/api/oauth/status", "/"} {
		var last answer
		for i := range 30 {
			last = sendAs(t, greedy, "GET", p.web+path, "", "X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i))
		}
		if last.status != http.StatusTooManyRequests || last.header.Get("Retry-After") == "" {
			t.Errorf("%s: the last of 30 requests has %d %v", path, last.status, last.header)
		}
		if got := sendAs(t, other, "GET", p.web+path, ""); got.status != http.StatusOK {
			t.Errorf("%s: another client has %d", path, got.status)
		}
	}
}

func TestNoLimit(t *testing.T) {
	t.Parallel()
	hardware := newBackend(t, "hardware")
	p := startGateway(t, setup{hardware: servers(hardware), env: []string{"GATEWAY_CLIENT_RATE=0"}})
	if passed := count(t, p.client, p.web+"/api/benchmark/cpu", 30); passed != 30 {
		t.Errorf("%d of 30 requests passed", passed)
	}
}

// An IPv6 /56 is a client, and all clients of a /48 share twice its limit. The PROXY protocol
// gives the clients their addresses.
func TestRateLimitCountsIPv6Networks(t *testing.T) {
	t.Parallel()
	b := newBackend(t, "service")
	p := startGateway(t, setup{
		directory: servers(b), hardware: servers(b), env: []string{"GATEWAY_CLIENT_RATE=1"},
		static: []string{"    transport:\n", "    proxyProtocol:\n      trustedIPs: [127.0.0.1/32]\n    transport:\n"},
	})
	for _, c := range []struct {
		address   string
		low, high int // of 10 requests at once; one or two a second are added
	}{
		{"2001:db8:0:100::a", 4, 6},
		{"2001:db8:0:1ff::b", 0, 2},
		{"2001:db8:0:200::a", 2, 6},
		{"2001:db8:0:300::a", 0, 3}, // the /48 has had its share
		{"2001:db8:1:100::a", 4, 6},
	} {
		passed := count(t, proxiedClient(t, c.address), p.web+"/api/benchmark/cpu", 10)
		if passed < c.low || passed > c.high {
			t.Errorf("%s: %d of 10 requests passed, want %d to %d", c.address, passed, c.low, c.high)
		}
	}
}

// Behind a trusted proxy, each of its clients has a limit of its own.
func TestClientsBehindAProxy(t *testing.T) {
	t.Parallel()
	b := newBackend(t, "service")
	p := startGateway(t, setup{
		directory: servers(b), hardware: servers(b),
		env: []string{"GATEWAY_CLIENT_RATE=1", "GATEWAY_TRUSTED_PROXIES=10.0.0.0/8,127.0.0.0/8"},
	})
	for i := range 30 {
		got := p.get(t, "/api/oauth/status", "X-Forwarded-For", fmt.Sprintf("198.51.100.1, 203.0.113.%d", i))
		if got.status != http.StatusOK {
			t.Fatalf("client %d: status %d", i, got.status)
		}
	}
}

// count returns how many of n requests pass.
func count(t *testing.T, client *http.Client, url string, n int) (passed int) {
	t.Helper()
	for range n {
		if sendAs(t, client, "GET", url, "").status == http.StatusOK {
			passed++
		}
	}
	return passed
}

// proxiedClient returns a client whose connections begin with a PROXY header for an IPv6
// address.
func proxiedClient(t *testing.T, address string) *http.Client {
	t.Helper()
	client := newClient(t, nil)
	client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err == nil {
			_, err = fmt.Fprintf(conn, "PROXY TCP6 %s 2001:db8::1 40000 80\r\n", address)
		}
		return conn, err
	}
	return client
}

// clientFrom returns a client with the source address 127.0.0.last.
func clientFrom(t *testing.T, last byte) *http.Client {
	t.Helper()
	ip := net.IPv4(127, 0, 0, last)
	ln, err := net.ListenTCP("tcp", &net.TCPAddr{IP: ip})
	if err != nil {
		unavailable(t, "a client needs the address %s: %v", ip, err)
	}
	ln.Close()
	return newClient(t, ip)
}

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	p, directory, _ := newGateway(t)
	const limit = 64 << 10
	if got := p.send(t, "POST", "/api/bizprofile/audit", strings.Repeat("a", limit)); len(got.echoed(t).Body) != limit {
		t.Errorf("%d bytes: status %d, not passed on whole", limit, got.status)
	}
	before := directory.calls.Load()
	for what, body := range map[string]io.Reader{
		"with a length": strings.NewReader(strings.Repeat("a", limit+1)),
		"chunked":       io.MultiReader(bytes.NewReader(make([]byte, limit+1))),
	} {
		resp, err := p.client.Post(p.web+"/api/bizprofile/audit", "application/json", body)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: status %d, want 413", what, resp.StatusCode)
		}
	}
	if got := p.send(t, "POST", "/nothing",
		strings.Repeat("a", limit+1)); got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("unknown path: status %d, want 413", got.status)
	}
	if n := directory.calls.Load() - before; n != 0 {
		t.Errorf("the service received %d of them", n)
	}
}
