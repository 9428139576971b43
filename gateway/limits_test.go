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

// The limit applies to all clients together, independently of the header that defines the
// bucket and of what a trusted proxy forwards.
func TestRateLimitForAllClients(t *testing.T) {
	t.Parallel()
	hardware := newBackend(t, "hardware")
	p := startGateway(t, setup{
		directory: servers(hardware), hardware: servers(hardware), env: []string{"GATEWAY_MAX_RATE=10"},
		static: []string{"    transport:\n", "    forwardedHeaders:\n      trustedIPs: [127.0.0.0/8]\n    transport:\n"},
	})
	refused := 0
	for i := range 60 {
		got := sendAs(t, clientFrom(t, byte(50+i)), "GET", p.web+"/api/benchmark/cpu", "",
			"Forwarded", strings.Repeat("x", i+1), "X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i))
		if got.status == http.StatusTooManyRequests && got.header.Get("Retry-After") != "" {
			refused++
		}
	}
	if refused == 0 {
		t.Error("60 clients at once and no 429 with Retry-After")
	}
}

// A client far above its own limit takes nothing from the limit for all clients, of which the
// others need a part: 25 requests of the one follow each request of the other.
func TestFloodLeavesTheCommonLimit(t *testing.T) {
	t.Parallel()
	directory, hardware := newBackend(t, "directory"), newBackend(t, "hardware")
	p := startGateway(t, setup{
		directory: servers(directory), hardware: servers(hardware), env: []string{"GATEWAY_MAX_RATE=20"},
		dynamic: []string{"average: 50\n        burst: 100", "average: 1\n        burst: 8", "average: 20\n        burst: 100", "average: 1\n        burst: 8"},
	})
	flooder, other := clientFrom(t, 48), clientFrom(t, 49)
	for service, paths := range called {
		for range 8 {
			for range 25 {
				sendAs(t, flooder, "GET", p.web+paths["GET"], "")
			}
			if got := sendAs(t, other, "GET", p.web+paths["GET"], ""); got.status != http.StatusOK {
				t.Fatalf("%s: the other client receives %d", service, got.status)
			}
		}
	}
}

// An IPv6 /56 is a client, and all clients of a /48 share twice its limit. The PROXY protocol
// gives the clients their addresses.
func TestRateLimitCountsIPv6Networks(t *testing.T) {
	t.Parallel()
	p := startProxied(t)
	for _, path := range []string{"/api/benchmark/cpu", "/api/oauth/status"} {
		for _, c := range []struct {
			address string
			want    int // of 10 requests
		}{
			{"2001:db8:0:100::a", 4},
			{"2001:db8:0:100::b", 0},
			{"2001:db8:0:1ff::a", 0},
			{"2001:db8:0:200::a", 4},
			{"2001:db8:0:300::a", 0}, // the /48 has had its 8
			{"2001:db8:1:100::a", 4},
		} {
			if passed := count(t, proxiedClient(t, c.address), p.web+path, 10); passed != c.want {
				t.Errorf("%s: %d of 10 requests of %s passed, want %d", path, passed, c.address, c.want)
			}
		}
	}
}

// The networks of a household and those of a company cannot use up the limit for all clients.
func TestFewNetworksLeaveTheCommonLimit(t *testing.T) {
	t.Parallel()
	p := startProxied(t, "GATEWAY_MAX_RATE=25")
	for _, path := range []string{"/api/benchmark/cpu", "/api/oauth/status"} {
		for i := range 14 {
			count(t, proxiedClient(t, fmt.Sprintf("2001:db8:0:1%02x::a", i)), p.web+path, 6)
			count(t, proxiedClient(t, fmt.Sprintf("2001:db8:1:%x00::a", i)), p.web+path, 6)
		}
		passed := 0
		for i := range 30 {
			passed += count(t, proxiedClient(t, fmt.Sprintf("2001:db8:%x::a", 100+i)), p.web+path, 1)
		}
		if passed != 30 {
			t.Errorf("%s: %d of 30 other clients passed", path, passed)
		}
	}
}

// startProxied starts a gateway that takes the PROXY protocol. A client may send 4 requests,
// and a network 8, to each service.
func startProxied(t *testing.T, env ...string) *process {
	t.Helper()
	b := newBackend(t, "service")
	var limits []string
	for shipped, burst := range map[string]int{
		"average: 50\n        burst: 100": 4, "average: 20\n        burst: 100": 4,
		"average: 100\n        burst: 200": 8, "average: 40\n        burst: 200": 8,
	} {
		limits = append(limits, shipped, fmt.Sprintf("average: 1\n        period: 1h\n        burst: %d", burst))
	}
	return startGateway(t, setup{
		directory: servers(b), hardware: servers(b), env: env, dynamic: limits,
		static: []string{"    transport:\n", "    proxyProtocol:\n      trustedIPs: [127.0.0.1/32]\n    transport:\n"},
	})
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
	p.send(t, "POST", "/konto/logowanie", strings.Repeat("a", limit+1), "Accept", "text/html").standsIn(t, 413, "directory GET /niedostepne/413 for text/html", "")
	if n := directory.calls.Load() - before; n != 0 {
		t.Errorf("the service received %d of them", n)
	}
}
