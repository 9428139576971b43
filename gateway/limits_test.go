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
	"time"
)

func TestRateLimitPerClientAndService(t *testing.T) {
	t.Parallel()
	p, _, _ := newGateway(t)
	for _, c := range []struct {
		service, path string
		burst         int
		client        byte // the last of its address
	}{
		{service: "hardware", path: "/api/benchmark/cpu", burst: 200, client: 11},
		{service: "directory", path: "/api/oauth/status", burst: 100, client: 12},
	} {
		greedy := clientFrom(t, c.client)
		passed, refused := flood(t, greedy, p.web+c.path, 2*c.burst)
		if passed < c.burst {
			t.Errorf("%s: %d requests passed before the first refusal, want at least %d", c.service, passed, c.burst)
		}
		if refused.status != http.StatusTooManyRequests {
			t.Fatalf("%s: %d requests and no 429", c.service, 2*c.burst)
		}
		if v := refused.header.Get("Retry-After"); v != "1" && v != "0" {
			t.Errorf("%s: Retry-After %q", c.service, v)
		}
		if got := sendAs(t, clientFrom(t, c.client+10), "GET", p.web+c.path, ""); got.status != http.StatusOK {
			t.Errorf("%s: another client is answered %d", c.service, got.status)
		}
	}
}

// Another router or a forged address does not give a client a second bucket. Each service
// has its own bucket.
func TestRateLimitIsOneBucketPerService(t *testing.T) {
	t.Parallel()
	p, _, _ := newGateway(t)
	greedy := clientFrom(t, 31)
	refusedSoon := func(method, path string, header ...string) {
		t.Helper()
		for range 20 {
			if sendAs(t, greedy, method, p.web+path, "", header...).status == http.StatusTooManyRequests {
				return
			}
		}
		t.Errorf("%s %s %v: 20 requests and no 429", method, path, header)
	}
	flood(t, greedy, p.web+"/api/oauth/status", 200)
	refusedSoon("POST", "/api/auth/login")
	refusedSoon("GET", "/api/oauth/callback/provider_search")
	refusedSoon("GET", "/api/oauth/status", "X-Forwarded-For", "203.0.113.7", "X-Real-Ip", "203.0.113.7")
	if got := sendAs(t, greedy, "GET", p.web+"/api/benchmark/cpu", ""); got.status != http.StatusOK {
		t.Errorf("the other service answers %d", got.status)
	}
}

// The limit applies to all clients together, independently of the header that defines the
// bucket.
func TestRateLimitForAllClients(t *testing.T) {
	t.Parallel()
	hardware := newBackend(t, "hardware")
	p := startGateway(t, setup{directory: servers(hardware), hardware: servers(hardware), env: []string{"GATEWAY_MAX_RATE=10"}})
	refused := 0
	for i := range 60 {
		got := sendAs(t, clientFrom(t, byte(50+i)), "GET", p.web+"/api/benchmark/cpu", "", "Forwarded", strings.Repeat("x", i+1))
		if got.status == http.StatusTooManyRequests && got.header.Get("Retry-After") != "" {
			refused++
		}
	}
	if refused == 0 {
		t.Error("60 clients at once and no 429 with Retry-After")
	}
}

// All addresses of an IPv6 /64 share a limit. The PROXY protocol gives the clients their
// addresses.
func TestRateLimitCountsIPv6Networks(t *testing.T) {
	t.Parallel()
	p, _, _ := newGateway(t, "    transport:\n", "    proxyProtocol:\n      trustedIPs: [127.0.0.1/32]\n    transport:\n")
	for path, burst := range map[string]int{"/api/benchmark/cpu": 200, "/api/oauth/status": 100} {
		flood(t, proxiedClient(t, "2001:db8:0:1::a"), p.web+path, 2*burst)
		if passed, _ := flood(t, proxiedClient(t, "2001:db8:0:1::b"), p.web+path, burst); passed == burst {
			t.Errorf("%s: another address of the same /64 has a limit of its own", path)
		}
		if passed, _ := flood(t, proxiedClient(t, "2001:db8:0:2::a"), p.web+path, 20); passed < 20 {
			t.Errorf("%s: another /64 is refused after %d requests", path, passed)
		}
	}
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

// flood sends up to n requests until one is refused. It returns the number that passed and
// the refusal.
func flood(t *testing.T, client *http.Client, url string, n int) (passed int, refused answer) {
	t.Helper()
	for i := range n {
		if got := sendAs(t, client, "GET", url, ""); got.status != http.StatusOK {
			return i, got
		}
	}
	return n, answer{}
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
	if got := p.send(t, "POST", "/nothing", strings.Repeat("a", limit+1)); got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("unknown path: status %d, want 413", got.status)
	}
	if n := directory.calls.Load() - before; n != 0 {
		t.Errorf("the service received %d of them", n)
	}
}

func TestHeaderLimit(t *testing.T) {
	t.Parallel()
	p, _, _ := newGateway(t)
	got := p.get(t, "/api/benchmark/cpu", "Cookie", strings.Repeat("a", 80<<10))
	if got.status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("status %d, want 431", got.status)
	}
}

// A client that stops in the middle of a request loses its connection. One that waits for a
// slow service does not.
func TestReadTimeoutAppliesToSlowSendersOnly(t *testing.T) {
	t.Parallel()
	const readTimeout = 300 * time.Millisecond
	p, _, hardware := newGateway(t, "readTimeout: 15s", "readTimeout: "+readTimeout.String())

	if got := p.talk(t, "POST /api/auth/login HTTP/1.1\r\nHost: gateway\r\nContent-Length: 100\r\n\r\n{"); got.status != 0 && got.status < 400 {
		t.Errorf("half a body: status %d", got.status)
	}

	hardware.answerWith(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(3 * readTimeout):
		case <-r.Context().Done():
		}
	})
	if got := p.get(t, "/api/prices/ceneo?q=RTX+4070"); got.status != http.StatusOK {
		t.Errorf("a slow answer: status %d", got.status)
	}
}
