package gateway

import (
	"fmt"
	"io"
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
)

// ofDirectory matches the decoded paths of the directory service.
var ofDirectory = regexp.MustCompile(`^/(api/(oauth|auth|admin|bizprofile)|konto)/`)

// Every spelling of a path is refused, or reaches the right service without anything left to
// resolve.
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

// Ambiguous bytes are at most one request, and the request hidden in them never arrives.
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
			t.Errorf("%s: the service received %q", what, seen)
		}
	}
}

// The gateway holds 700 connections, each of which sends 60 KB of tiny headers without an end, and
// 200 that begin a header or a body, within the memory that docker-compose.yml gives it. It answers
// other clients, and closes all of them within readTimeout.
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
			t.Fatalf("another client has %d", got.status)
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
		t.Errorf("the gateway took %d kB, %v", kilobytes, err)
	}
}
