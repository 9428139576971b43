package gateway

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func replicas(t *testing.T) []*backend {
	t.Helper()
	return []*backend{newBackend(t, "one"), newBackend(t, "two")}
}

// served counts the requests for a path that each server answers, of 10. All have to succeed.
func (p *gateway) served(t *testing.T, path string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for range 10 {
		got := p.get(t, path)
		if got.status != http.StatusOK {
			t.Errorf("%s: status %d", path, got.status)
		}
		counts[got.header.Get("X-Backend")]++
	}
	return counts
}

// The list of servers may contain spaces.
func TestReadyServersTakeTurns(t *testing.T) {
	directory, hardware := replicas(t), replicas(t)
	spaced := func(list string) string { return " " + strings.ReplaceAll(list, ",", ", ") + "," }
	p := start(t, spaced(servers(directory...)), spaced(servers(hardware...)), "GATEWAY_CLIENT_RATE=0")
	for _, path := range []string{"/api/benchmark/cpu", "/api/prices/ceneo", "/api/oauth/status"} {
		if counts := p.served(t, path); counts["one"] != 5 {
			t.Errorf("%s: served %v", path, counts)
		}
	}
	for _, step := range []struct {
		unready bool
		want    int // of 10 requests
	}{{true, 0}, {false, 5}} {
		directory[0].unready.Store(step.unready)
		hardware[0].unready.Store(step.unready)
		for _, path := range []string{"/api/oauth/status", "/api/benchmark/cpu"} {
			eventually(t, path+" takes notice", func() bool { return p.served(t, path)["one"] == step.want })
		}
	}
}

// A read that waits for no source gets its response from another replica if one hangs.
func TestQuickReadsLeaveAHungReplica(t *testing.T) {
	hardware := replicas(t)
	p := start(t, servers(newBackend(t, "directory")), servers(hardware...))
	hardware[0].answerWith(hang)
	for hardware[0].calls.Load() == 0 {
		if got := p.get(t, "/api/benchmark/cpu").header.Get("X-Backend"); got != "two" {
			t.Fatalf("answered by %q", got)
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
			got := p.send(t, c.method, c.path, "")
			if n := directory.calls.Load(); n != c.calls || got.status != c.status {
				t.Errorf("%d requests and status %d, want %d and %d", n, got.status, c.calls, c.status)
			}
		})
	}
}

// Until their health checks fail, unreachable servers cost no client an error.
func TestReadsSurviveUnreachableServers(t *testing.T) {
	directory, hardware := append(replicas(t), newBackend(t, "three")), append(replicas(t), newBackend(t, "three"))
	p := start(t, servers(directory...), servers(hardware...))
	for i := range 2 {
		directory[i].public.Close()
		hardware[i].public.Close()
	}
	for _, path := range []string{
		"/api/benchmark/cpu", "/kreator", "/api/oauth/status", "/api/oauth/callback/provider_search",
	} {
		if counts := p.served(t, path); counts["three"] != 10 {
			t.Errorf("%s: served %v", path, counts)
		}
	}
}

// What a service says of a source or of itself passes unchanged and is not requested again.
func TestErrorsOfServicesPass(t *testing.T) {
	p, directory, hardware := startWithServices(t)
	for path, b := range map[string]*backend{"/api/prices/ceneo": hardware, "/konto/integracje": directory} {
		for i, status := range []int{500, 503} {
			b.answerWith(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(status)
				_, _ = io.WriteString(w, "its own")
			})
			got := p.get(t, path)
			if got.status != status || got.body != "its own" || got.header.Get("Retry-After") != "7" {
				t.Errorf("%s: %d became %d %q", path, status, got.status, got.body)
			}
			if n := b.calls.Load(); n != int64(i+1) {
				t.Errorf("%s: %d was requested %d times", path, status, n)
			}
		}
	}
}

// If no server of a service is up, it has 503, and the other service responds.
func TestServiceIsGone(t *testing.T) {
	p, _, hardware := startWithServices(t)
	hardware.unready.Store(true)
	eventually(t, "the health check fails", func() bool {
		return p.get(t, "/api/benchmark/cpu").status == http.StatusServiceUnavailable
	})
	if got := p.get(t, "/api/oauth/status"); got.status != http.StatusOK {
		t.Errorf("the other service: status %d", got.status)
	}
}
