package gateway

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A client has a burst of four times the rate, whatever address it claims. Its flood
// costs others nothing, with a web app or without.
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
					t.Errorf("%s: the last of 30 requests got %d %v, want 429 with Retry-After", path, last.status,
						last.header)
				}
				if got := sendAs(t, other, "GET", p.web+path, ""); got.status != http.StatusOK {
					t.Errorf("%s: another client got %d, want 200", path, got.status)
				}
			}
		})
	}
}

// A trusted proxy's headers are kept, and each of its clients has a limit of its own. An IPv6
// /56 is one client, and all clients of a /48 share twice the limit of one.
func TestClientsBehindAProxy(t *testing.T) {
	p, _, _ := startWithServices(t, "GATEWAY_CLIENT_RATE=1", "GATEWAY_TRUSTED_PROXIES=10.0.0.0/8,127.0.0.0/8")
	for i := range 30 {
		from := fmt.Sprintf("198.51.100.1, 203.0.113.%d", i)
		got := p.get(t, "/api/benchmark/cpu", "X-Forwarded-For", from, "X-Forwarded-Proto", "https")
		received := got.echoed(t).Header
		if list, want := received.Get("X-Forwarded-For"), from+", 127.0.0.1"; list != want {
			t.Errorf("the service received X-Forwarded-For: %q, want %q", list, want)
		}
		if proto := received.Get("X-Forwarded-Proto"); proto != "https" {
			t.Errorf("the service received X-Forwarded-Proto: %q, want https", proto)
		}
		if value := got.header.Get("Strict-Transport-Security"); value != "max-age=31536000" {
			t.Errorf("the client received Strict-Transport-Security: %q, want a year", value)
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
		t.Errorf("a body of %d bytes does not arrive whole", limit)
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
		t.Errorf("a cookie of 30 KiB: got status %d, want 431", got.status)
	}
	if n := directory.calls.Load() + hardware.calls.Load(); n != 1 {
		t.Errorf("the services received %d requests, want 1", n)
	}
}

var ofDirectory = regexp.MustCompile(`^/(api/(oauth|auth|admin|bizprofile)|konto)/`)

// A path that reaches a service has nothing left to resolve, and
// it is the right service.
func TestPathSpellingsAreRefusedOrResolved(t *testing.T) {
	p, directory, hardware := startWithServices(t)
	for _, target := range []string{
		"//api/oauth/status", "/api/./oauth/status", "/api/%2e/oauth/status", "/%61pi/oauth/status",
		"/api/oauth/../../metrics", "/api/oauth/%2e%2e/%2e%2e/metrics", "/api/oauth/.%2e/%2E./metrics",
		"/api/oauth/..%2f..%2fmetrics", "/api/oauth/..%5c..%5cmetrics", `/api/oauth/..\..\metrics`,
		"/api/oauth/%252e%252e/metrics", "/api/oauth/..;/..;/metrics", "/api/prices/..%00/oauth/status",
		"/api/prices/%2e%2e/oauth/status", "/api/prices/../../../../../etc/passwd", "/api/oauth%2fstatus",
		"/api/oauth/status%20", "/api/oauth/status%0d%0aX-Evil:%20a", "/api/oauth/%c0%ae%c0%ae/metrics",
		"/api/oauth/status;a=b", "/../api/oauth/status", "http://evil.example/api/oauth/status",
		"http://evil.example/../metrics", "*", "api/oauth/status", "/api/oauth/\xff", "/API/OAUTH/status",
	} {
		before := directory.calls.Load() + hardware.calls.Load()
		got := p.raw(t, target, "")
		if directory.calls.Load()+hardware.calls.Load() == before {
			if got.status < 400 {
				t.Errorf("%q: %d, from no service", target, got.status)
			}
			continue
		}
		e := got.echoed(t)
		u, err := url.ParseRequestURI(e.URI)
		if err != nil {
			t.Fatal(err)
		}
		if path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") || strings.ContainsAny(u.Path, "\\\x00") {
			t.Errorf("%q reached %s as %q", target, e.Backend, e.URI)
		}
		if (e.Backend == "directory") != ofDirectory.MatchString(u.Path) {
			t.Errorf("%q, which is %q, reached %s", target, u.Path, e.Backend)
		}
	}
}

// Ambiguous bytes are at most one request, and the request hidden in them never
// arrives.
func TestSmugglingIsPrevented(t *testing.T) {
	p, directory, hardware := startWithServices(t)
	const hidden = "GET /api/oauth/hidden HTTP/1.1\r\nHost: gateway\r\n\r\n"
	length := fmt.Sprintf("Content-Length: %d\r\n", len(hidden))
	received := make(chan string, 100)
	note := func(_ http.ResponseWriter, r *http.Request) { received <- r.RequestURI }
	directory.answerWith(note)
	hardware.answerWith(note)
	for what, headers := range map[string]string{
		"length and chunks":   length + "Transfer-Encoding: chunked\r\n",
		"two lengths":         length + "Content-Length: 0\r\n",
		"list of lengths":     "Content-Length: 0, 5\r\n",
		"odd chunking":        "Transfer-Encoding: xchunked\r\n",
		"space before colon":  "Transfer-Encoding : chunked\r\n",
		"folded header":       "X: a\r\n Transfer-Encoding: chunked\r\n",
		"carriage return":     "X: a\rTransfer-Encoding: chunked\r\n",
		"zero byte in a name": "X\x00: a\r\n",
	} {
		p.talk(t, "POST /api/auth/login HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n"+headers+"\r\n0\r\n\r\n"+
			hidden)
		var seen []string
		for range len(received) {
			seen = append(seen, <-received)
		}
		if len(seen) > 1 || strings.Contains(strings.Join(seen, " "), "hidden") {
			t.Errorf("%s: the services received %q, want at most the outer request", what, seen)
		}
	}
}

// 700 connections send 60 KB of tiny headers without an end, and 200 begin a
// header or a body. The gateway holds them within the memory that docker-compose.yml gives it, answers
// other clients meanwhile, and closes all of them within readTimeout.
func TestUnfinishedRequests(t *testing.T) {
	const limit = 384 << 10 // kB, mem_limit
	p, directory, _ := startWithServices(t, "GATEWAY_CLIENT_RATE=0")
	begun := slices.Repeat([]string{"GET / HTTP/1.1\r\nHost: gateway\r\n" + strings.Repeat("a:\r\n", 15000)}, 700)
	begun = append(begun, slices.Repeat([]string{"GET /api/oauth/status HTTP/1.1\r\nHost: gate",
		"POST /api/auth/login HTTP/1.1\r\nHost: gateway\r\nContent-Length: 1000\r\n\r\n{"}, 100)...)
	var sending sync.WaitGroup
	for _, text := range begun {
		conn := p.dial(t)
		sending.Go(func() {
			_, _ = io.WriteString(conn, text) // large headers are refused at 16 KiB
			if _, err := io.Copy(io.Discard, conn); os.IsTimeout(err) {
				t.Errorf("the connection of %.40q stays", text)
			}
		})
	}
	for range 50 {
		if got := p.get(t, "/api/benchmark/cpu"); got.status != http.StatusOK {
			t.Fatalf("another client got %d, want 200", got.status)
		}
	}
	sending.Wait()
	if n := directory.calls.Load(); n != 0 {
		t.Errorf("the service received %d unfinished requests", n)
	}
	status, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/status")
	if err != nil {
		t.Skip(err) // other systems have no such file
	}
	peak := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if kilobytes, err := strconv.Atoi(string(peak[1])); err != nil || kilobytes > limit {
		t.Errorf("the gateway took %d kB (%v), want at most %d", kilobytes, err, limit)
	}
}

// TestReadyServersTakeTurns uses a list of servers with spaces, which are allowed.
func TestReadyServersTakeTurns(t *testing.T) {
	one, two := newBackend(t, "one"), newBackend(t, "two")
	list := " " + strings.ReplaceAll(servers(one, two), ",", ", ") + ","
	p := start(t, list, list, "GATEWAY_CLIENT_RATE=0")
	servedByOne := func(path string) (n int) { // of 10 requests
		for range 10 {
			got := p.get(t, path)
			if got.status != http.StatusOK {
				t.Errorf("%s: status %d", path, got.status)
			}
			n += strings.Count(got.header.Get("X-Backend"), "one")
		}
		return n
	}
	for _, unready := range []bool{false, true, false} {
		one.unready.Store(unready)
		want := map[bool]int{false: 5, true: 0}[unready]
		for _, path := range []string{"/api/benchmark/cpu", "/api/prices/ceneo", "/api/oauth/status"} {
			what := fmt.Sprintf("server one, unready %t, serves %d of 10 requests for %s", unready, want, path)
			eventually(t, what, func() bool { return servedByOne(path) == want })
		}
	}
}

// If the only replica is frozen, a ranking fails within 15 seconds.
// Look-ups of prices may take longer.
func TestFrozenReplicaEndsAReadInTime(t *testing.T) {
	p, _, hardware := startWithServices(t)
	hardware.answerWith(hang)
	p.client.Timeout = 15 * time.Second
	price := make(chan error, 1)
	go func() {
		_, err := p.client.Get(p.web + "/api/prices/ceneo?q=rtx")
		price <- err
	}()
	if got := p.get(t, "/api/benchmark/cpu"); got.status != http.StatusGatewayTimeout {
		t.Errorf("a ranking: got status %d, want 504", got.status)
	}
	select {
	case err := <-price:
		t.Errorf("a price ended as early as a ranking: %v", err)
	default:
	}
}

func TestRetryAfterABrokenConnection(t *testing.T) {
	const callback = "/api/oauth/callback/provider_search?code=1&state=2"
	for _, c := range []struct {
		method, path string
		cuts         int64 // connections that break
		calls        int64 // requests that reach the service
		status       int
	}{
		{"GET", "/api/oauth/status", 1, 2, http.StatusOK},
		{"GET", "/konto/integracje", 9, 2, http.StatusBadGateway}, // sent once more only
		{"POST", "/api/bizprofile/audit", 1, 1, http.StatusBadGateway},
		{"GET", callback, 1, 1, http.StatusBadGateway},
		{"HEAD", callback, 1, 1, http.StatusBadGateway},
	} {
		t.Run(c.method+c.path, func(t *testing.T) {
			p, directory, _ := startWithServices(t) // without idle connections
			directory.answerWith(func(w http.ResponseWriter, r *http.Request) {
				if directory.calls.Load() <= c.cuts {
					cut(w, r)
				}
			})
			got := sendAs(t, p.client, c.method, p.web+c.path, "")
			if n := directory.calls.Load(); n != c.calls || got.status != c.status {
				t.Errorf("got %d requests and status %d, want %d and %d", n, got.status, c.calls, c.status)
			}
		})
	}
}

// An error response of a service passes unchanged, and is not requested again.
func TestErrorsOfServicesPass(t *testing.T) {
	p, _, hardware := startWithServices(t)
	hardware.answerWith(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "its own")
	})
	got := p.get(t, "/api/prices/ceneo")
	if got.status != 503 || got.body != "its own" || got.header.Get("Retry-After") != "7" {
		t.Errorf("got %d %q %v, want the service's own 503", got.status, got.body, got.header)
	}
	if n := hardware.calls.Load(); n != 1 {
		t.Errorf("it was requested %d times", n)
	}
}
