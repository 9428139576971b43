package gateway

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The list of servers may contain spaces.
func TestReadyServersTakeTurns(t *testing.T) {
	one, two := newBackend(t, "one"), newBackend(t, "two")
	list := " " + strings.ReplaceAll(servers(one, two), ",", ", ") + ","
	p := start(t, list, list, "GATEWAY_CLIENT_RATE=0")
	served := func(path string) (n int) { // of 10 requests, by the first server
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
			eventually(t, path+" takes notice", func() bool { return served(path) == want })
		}
	}
}

// A frozen only replica ends a ranking within 15 seconds. Look-ups of prices may take longer.
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
		t.Errorf("a ranking: status %d", got.status)
	}
	select {
	case err := <-price:
		t.Errorf("a price ended: %v", err)
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
				t.Errorf("%d requests and status %d, want %d and %d", n, got.status, c.calls, c.status)
			}
		})
	}
}

// What a service says of a source or of itself passes unchanged and is not requested again.
func TestErrorsOfServicesPass(t *testing.T) {
	p, _, hardware := startWithServices(t)
	hardware.answerWith(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "its own")
	})
	got := p.get(t, "/api/prices/ceneo")
	if got.status != 503 || got.body != "its own" || got.header.Get("Retry-After") != "7" {
		t.Errorf("%d %q", got.status, got.body)
	}
	if n := hardware.calls.Load(); n != 1 {
		t.Errorf("it was requested %d times", n)
	}
}
