package gateway

import (
	"net/http"
	"testing"
)

func TestRetryAfterABrokenConnection(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, method, path string
		cuts               int64 // connections that break
		calls              int64 // requests that reach the service
		status             int
	}{
		{what: "a read is sent again", method: "GET", path: "/api/oauth/status", cuts: 1, calls: 2, status: http.StatusOK},
		{what: "so is HEAD", method: "HEAD", path: "/api/bizprofile/audit", cuts: 1, calls: 2, status: http.StatusOK},
		{what: "but once", method: "GET", path: "/konto/integracje", cuts: 9, calls: 2, status: http.StatusBadGateway},
		{what: "a write is not", method: "POST", path: "/api/bizprofile/audit", cuts: 1, calls: 1, status: http.StatusBadGateway},
		{what: "nor is DELETE", method: "DELETE", path: "/api/oauth/status", cuts: 1, calls: 1, status: http.StatusBadGateway},
		{what: "the callback is not", method: "GET", path: "/api/oauth/callback/provider_search?code=1&state=2", cuts: 1, calls: 1, status: http.StatusBadGateway},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			p, directory, _ := newGateway(t)
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

// The hardware service's own 502 means that the source failed. It must neither be retried
// nor count as a failure of the server.
func TestHardwareErrorsPassOnce(t *testing.T) {
	t.Parallel()
	p, _, hardware := newGateway(t)
	for _, status := range []int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout} {
		hardware.answerWith(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
		})
		for range 5 {
			before := hardware.calls.Load()
			got := p.get(t, "/api/prices/ceneo?q=RTX+4070")
			if n := hardware.calls.Load() - before; n != 1 || got.status != status || got.header.Get("Retry-After") != "7" {
				t.Fatalf("status %d Retry-After %q after %d requests, want %d", got.status, got.header.Get("Retry-After"), n, status)
			}
		}
	}
}

// Until their health checks fail, reads of unreachable servers are retried without an error
// and without counting towards the client's limit (100 requests to the directory).
func TestReadsSurviveUnreachableServers(t *testing.T) {
	t.Parallel()
	directory, hardware := append(replicas(t), newBackend(t, "three")), append(replicas(t), newBackend(t, "three"))
	p := startGateway(t, setup{directory: servers(directory...), hardware: servers(hardware...)})
	for i := range 2 {
		directory[i].public.Close()
		hardware[i].public.Close()
	}
	for range 40 {
		for _, path := range []string{"/api/benchmark/cpu", "/kreator", "/api/oauth/status", "/api/oauth/callback/provider_search"} {
			if got := p.get(t, path); got.status != http.StatusOK {
				t.Fatalf("%s: status %d", path, got.status)
			}
		}
	}
}
