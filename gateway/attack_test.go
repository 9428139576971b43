package gateway

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"
)

// ofDirectory matches the decoded paths of the directory service.
var ofDirectory = regexp.MustCompile(`^/(api/(oauth|auth|admin|bizprofile)|konto)/`)

// Every spelling of a path is refused, or reaches the right service without anything left
// to resolve.
func TestPathSpellingsAreRefusedOrResolved(t *testing.T) {
	t.Parallel()
	p, directory, hardware := newGateway(t)
	for _, target := range []string{
		"//api/oauth/status", "/api//oauth/status", "/api/./oauth/status", "/api/%2e/oauth/status",
		"/%61pi/oauth/status",
		"/api/oauth/../../metrics", "/api/oauth/%2e%2e/%2e%2e/metrics", "/api/oauth/.%2e/%2E./metrics",
		"/api/oauth/..%2f..%2fmetrics",
		"/api/oauth/..%5c..%5cmetrics", `/api/oauth/..\..\metrics`, "/api/oauth/%252e%252e/metrics",
		"/api/oauth/..;/..;/metrics",
		"/api/prices/..%00/oauth/status", "/api/prices/%2e%2e/oauth/status", "/api/prices/../../../../../etc/passwd",
		"/api/oauth%2fstatus",
		"/api/oauth/status%20", "/api/oauth/status%0d%0aX-Evil:%20a", "/api/oauth/%c0%ae%c0%ae/metrics",
		"/api/oauth/status;a=b", "/../api/oauth/status",
		"http://evil.example/api/oauth/status", "http://evil.example/../metrics", "*", "api/oauth/status",
		"/api/oauth/\xff", "/API/OAUTH/status", "/api/benchmark/../bizprofile/audit",
	} {
		before := directory.calls.Load() + hardware.calls.Load()
		got := p.raw(t, target)
		if directory.calls.Load()+hardware.calls.Load() == before {
			if got.status < 400 {
				t.Errorf("%q: %d, from no service", target, got.status)
			}
			continue
		}
		e := got.echoed(t)
		u, err := url.ParseRequestURI(e.URI)
		if err != nil || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") ||
			strings.ContainsAny(u.Path, "\\\x00") {
			t.Errorf("%q reached %s as %q", target, e.Backend, e.URI)
		}
		if (e.Backend == "directory") != ofDirectory.MatchString(u.Path) {
			t.Errorf("%q, which is %q, reached %s", target, u.Path, e.Backend)
		}
	}
}

// Ambiguous bytes are at most one request, and the request hidden in them never arrives.
func TestSmugglingIsPrevented(t *testing.T) {
	t.Parallel()
	p, directory, hardware := newGateway(t)
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
		"signed length":       "Content-Length: +5\r\n",
		"negative length":     "Content-Length: -1\r\n",
		"odd chunking":        "Transfer-Encoding: xchunked\r\n",
		"chunked twice":       "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
		"space before colon":  "Transfer-Encoding : chunked\r\n",
		"folded header":       "X: a\r\n Transfer-Encoding: chunked\r\n",
		"carriage return":     "X: a\rTransfer-Encoding: chunked\r\n",
		"second host":         "Host: evil.example\r\n",
		"zero byte in a name": "X\x00: a\r\n",
	} {
		p.talk(t, "POST /api/auth/login HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n"+headers+"\r\n0\r\n\r\n"+
			hidden)
		var seen []string
		for range len(received) {
			seen = append(seen, <-received)
		}
		if len(seen) > 1 || strings.Contains(strings.Join(seen, " "), "hidden") {
			t.Errorf("%s: the service received %q", what, seen)
		}
	}
}

func TestOversizedRequestsAreRefused(t *testing.T) {
	t.Parallel()
	p, directory, hardware := newGateway(t)
	before := directory.calls.Load() + hardware.calls.Load()
	for what, request := range map[string]string{
		"address": "GET /api/oauth/status?" + strings.Repeat("a", 80<<10) + " HTTP/1.1\r\nHost: gateway\r\n\r\n",
		"headers": "GET /api/oauth/status HTTP/1.1\r\nHost: gateway\r\n" + strings.Repeat("X-Some: header\r\n", 8000) +
			"\r\n",
		"name":   "GET /api/oauth/status HTTP/1.1\r\nHost: gateway\r\n" + strings.Repeat("x", 80<<10) + ": a\r\n\r\n",
		"method": strings.Repeat("G", 80<<10) + " /api/oauth/status HTTP/1.1\r\nHost: gateway\r\n\r\n",
	} {
		if got := p.talk(t, request); got.status != 0 && got.status != http.StatusRequestHeaderFieldsTooLarge &&
			got.status != http.StatusBadRequest {
			t.Errorf("%s: %d", what, got.status)
		}
	}
	if got := p.get(t, "/api/benchmark/cpu", "Cookie",
		strings.Repeat("a", 80<<10)); got.status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a large cookie: %d, want 431", got.status)
	}
	if n := directory.calls.Load() + hardware.calls.Load() - before; n != 0 {
		t.Errorf("the services received %d of them", n)
	}
}

// Clients that never finish a header, or send a body byte by byte, lose their connections
// and do not delay others. One that waits for a slow service does not.
func TestSlowClientsAreDisconnected(t *testing.T) {
	t.Parallel()
	const readTimeout = 400 * time.Millisecond
	p, directory, hardware := newGateway(t, "readTimeout: 15s", "readTimeout: "+readTimeout.String())
	hardware.answerWith(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(3 * readTimeout):
		case <-r.Context().Done():
		}
	})
	var slow []net.Conn
	for i := range 200 {
		conn := p.dial(t)
		begin := []string{"GET /api/oauth/status HTTP/1.1\r\nHost: gate",
			"POST /api/auth/login HTTP/1.1\r\nHost: gateway\r\nContent-Length: 1000\r\n\r\n{"}[i%2]
		if _, err := io.WriteString(conn, begin); err != nil {
			t.Fatal(err)
		}
		slow = append(slow, conn)
	}
	if got := p.get(t, "/api/benchmark/cpu"); got.status != http.StatusOK {
		t.Errorf("another client, of a slow service, is answered %d", got.status)
	}
	for i, conn := range slow {
		if !isClosed(t, conn, i < 2) {
			t.Fatal("a slow client keeps its connection")
		}
	}
	if n := directory.calls.Load(); n != 0 {
		t.Errorf("the service received %d unfinished requests", n)
	}
}

// isClosed reports whether the gateway closes a connection, while single bytes are sent if
// trickle is set.
func isClosed(t *testing.T, conn net.Conn, trickle bool) bool {
	t.Helper()
	wait := patience
	if trickle {
		wait = patience / 200
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if trickle {
			_, _ = conn.Write([]byte("a")) // Read returns the same error
		}
		if err := conn.SetReadDeadline(time.Now().Add(wait)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, conn); !errors.Is(err, os.ErrDeadlineExceeded) {
			return true
		}
	}
	return false
}
