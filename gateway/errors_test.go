package gateway

import (
	"io"
	"net/http"
	"testing"
)

// standsIn requires an error response of the gateway with a body from a service.
func (a answer) standsIn(t *testing.T, status int, body, retryAfter string) {
	t.Helper()
	if a.status != status || a.body != body || a.header.Get("Retry-After") != retryAfter {
		t.Errorf("%d %q with Retry-After %q, want %d %q with %q", a.status, a.body, a.header.Get("Retry-After"), status, body, retryAfter)
	}
}

// answerIt responds with a status and a body of its own.
func (b *backend) answerIt(status int) {
	b.answerWith(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "its own")
	})
}

// If the directory service is unreachable, the body comes from the hardware service. Other
// errors of the directory service pass unchanged.
func TestDirectoryUnavailable(t *testing.T) {
	t.Parallel()
	p, directory, _ := newGateway(t)
	directory.answerWith(cut)
	for _, method := range []string{"GET", "POST"} {
		p.send(t, method, "/api/oauth/status", "{}", "Accept", "text/html").standsIn(t, 502, "hardware GET /niedostepne/502 for text/html", "5")
	}
	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable} {
		directory.answerIt(status)
		if got := p.get(t, "/konto/integracje"); got.status != status || got.body != "its own" {
			t.Errorf("%d became %d %q", status, got.status, got.body)
		}
	}
}

// If the hardware service is unreachable, the body of its pages comes from the directory
// service. Errors of the hardware API and of the pages themselves pass unchanged.
func TestHardwarePagesUnavailable(t *testing.T) {
	t.Parallel()
	p, _, hardware := newGateway(t)
	hardware.answerWith(cut)
	p.get(t, "/kreator/ranking/gpu", "Accept", "text/html").standsIn(t, 502, "directory GET /niedostepne/kod/502 for text/html", "5")
	for path, statuses := range map[string][]int{"/kreator": {404, 503}, "/api/benchmark/gpu": {502, 503, 504}} {
		for _, status := range statuses {
			hardware.answerIt(status)
			if got := p.get(t, path); got.status != status || got.body != "its own" {
				t.Errorf("%s: %d became %d %q", path, status, got.status, got.body)
			}
		}
	}
}

// If no server of the hardware service runs, every request gets 503 with a body from the
// directory service. A server that runs gets requests, ready or not.
func TestHardwareGone(t *testing.T) {
	t.Parallel()
	p, _, hardware := newGateway(t)
	hardware.healthWith(unready)
	eventually(t, "the health check fails", p.serverIs("hardware-1", "0"))
	hardware.answerIt(http.StatusServiceUnavailable)
	if got := p.get(t, "/api/benchmark/cpu"); got.status != http.StatusServiceUnavailable || got.body != "its own" {
		t.Errorf("not ready: %d %q", got.status, got.body)
	}

	hardware.public.Close()
	hardware.admin.Close()
	eventually(t, "no server runs", p.serverIs("hardware-1-any", "0"))
	for _, r := range []struct{ method, path string }{
		{"GET", "/api/benchmark/cpu"}, {"POST", "/api/prices/ceneo/quotes"}, {"GET", "/kreator"}, {"GET", "/nic"},
	} {
		p.send(t, r.method, r.path, "{}").standsIn(t, 503, "directory GET /niedostepne/kod/503 for ", "5")
	}
	if got := p.get(t, "/api/oauth/status"); got.status != http.StatusOK {
		t.Errorf("the other service answers %d", got.status)
	}
}

// The body of a 429 comes from the limited service. A 429 of the directory service itself
// passes unchanged.
func TestLimited(t *testing.T) {
	t.Parallel()
	p, directory, _ := newGateway(t)
	greedy := clientFrom(t, 41)
	refused := func(method, path string) answer {
		t.Helper()
		for range 20 {
			if got := sendAs(t, greedy, method, p.web+path, "", "Accept", "text/html"); got.status == http.StatusTooManyRequests {
				return got
			}
		}
		t.Fatalf("%s %s: 20 requests and no 429", method, path)
		return answer{}
	}

	flood(t, greedy, p.web+"/api/benchmark/cpu", 400)
	refused("GET", "/kreator").standsIn(t, 429, "hardware GET /niedostepne/kod/429 for text/html", "1")
	refused("POST", "/api/prices/ceneo/quotes").standsIn(t, 429, "hardware GET /niedostepne/kod/429 for text/html", "1")
	refused("HEAD", "/nic").standsIn(t, 429, "", "1")

	flood(t, greedy, p.web+"/api/oauth/status", 200)
	refused("GET", "/konto/integracje").standsIn(t, 429, "directory GET /niedostepne/429 for text/html", "1")
	refused("HEAD", "/konto/integracje").standsIn(t, 429, "", "1")
	refused("POST", "/konto/logowanie").standsIn(t, 429, "Too Many Requests", "1")

	directory.answerIt(http.StatusTooManyRequests)
	if got := p.send(t, "POST", "/api/auth/login", ""); got.status != http.StatusTooManyRequests || got.body != "its own" {
		t.Errorf("the service's own became %d %q", got.status, got.body)
	}
}
