package gateway

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// A client has a burst of four times the rate, with any forged address. A flood by one costs
// others nothing, with a web app or without.
func TestFloodOfOneClient(t *testing.T) {
	app := newBackend(t, "app")
	for _, env := range []string{"WEB_APP_URL=", "WEB_APP_URL=" + app.public.URL} {
		t.Run(env, func(t *testing.T) {
			p, _, _ := startWithServices(t, "GATEWAY_CLIENT_RATE=2", env)
			flooder, other := newClient(t, net.IPv4(127, 0, 0, 41)), newClient(t, net.IPv4(127, 0, 0, 42))
			for _, path := range []string{"/api/benchmark/cpu", "/api/oauth/status", "/"} {
				var last answer
				for i := range 30 {
					last = sendAs(t, flooder, "GET", p.web+path, "", "X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i))
				}
				if last.status != http.StatusTooManyRequests || last.header.Get("Retry-After") == "" {
					t.Errorf("%s: the last of 30 requests has %d %v", path, last.status, last.header)
				}
				if got := sendAs(t, other, "GET", p.web+path, ""); got.status != http.StatusOK {
					t.Errorf("%s: another client has %d", path, got.status)
				}
			}
		})
	}
}

// A trusted proxy's headers are kept, and each of its clients has a limit of its own. An IPv6 /56 is a client,
// and all clients of a /48 share twice its limit.
func TestClientsBehindAProxy(t *testing.T) {
	p, _, _ := startWithServices(t, "GATEWAY_CLIENT_RATE=1", "GATEWAY_TRUSTED_PROXIES=10.0.0.0/8,127.0.0.0/8")
	for i := range 30 {
		from := fmt.Sprintf("198.51.100.1, 203.0.113.%d", i)
		got := p.get(t, "/api/benchmark/cpu", "X-Forwarded-For", from, "X-Forwarded-Proto", "https")
		received := got.echoed(t).Header
		if received.Get("X-Forwarded-For") != from+", 127.0.0.1" || received.Get("X-Forwarded-Proto") != "https" {
			t.Errorf("the service received %v", received)
		}
		if got.header.Get("Strict-Transport-Security") != "max-age=31536000" {
			t.Errorf("the client received %v", got.header)
		}
	}
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
		passed := 0
		for range 10 {
			if p.get(t, "/api/benchmark/cpu", "X-Forwarded-For", c.address).status == http.StatusOK {
				passed++
			}
		}
		if passed < c.low || passed > c.high {
			t.Errorf("%s: %d of 10 requests passed, want %d to %d", c.address, passed, c.low, c.high)
		}
	}
}

func TestLimitsOfSize(t *testing.T) {
	const limit = 64 << 10
	p, directory, hardware := startWithServices(t)
	whole := sendAs(t, p.client, "POST", p.web+"/api/bizprofile/audit", strings.Repeat("a", limit))
	if len(whole.echoed(t).Body) != limit {
		t.Errorf("%d bytes are not passed on whole", limit)
	}
	for _, path := range []string{"/api/bizprofile/audit", "/nothing"} {
		for what, body := range map[string]io.Reader{
			"with a length": strings.NewReader(strings.Repeat("a", limit+1)),
			"chunked":       io.MultiReader(bytes.NewReader(make([]byte, limit+1))),
		} {
			resp, err := p.client.Post(p.web+path, "application/json", body)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("%s %s: status %d, want 413", path, what, resp.StatusCode)
			}
		}
	}
	got := p.get(t, "/", "Cookie", strings.Repeat("a", 30<<10))
	if got.status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a large cookie: %d, want 431", got.status)
	}
	if n := directory.calls.Load() + hardware.calls.Load(); n != 1 {
		t.Errorf("the services received %d requests, want 1", n)
	}
}
