package gateway

import (
	"io"
	"net/http"
	"regexp"
	"testing"
)

func TestReplicasShareTheLoad(t *testing.T) {
	t.Parallel()
	p := startGateway(t, setup{directory: servers(replicas(t)...), hardware: servers(replicas(t)...)})
	for _, path := range []string{"/api/benchmark/cpu", "/api/oauth/status"} {
		served := map[string]int{}
		for range 40 {
			served[p.get(t, path).header.Get("X-Backend")]++
		}
		if served["one"] != 20 || served["two"] != 20 {
			t.Errorf("%s: served %v", path, served)
		}
	}
}

func replicas(t *testing.T) []*backend {
	t.Helper()
	return []*backend{newBackend(t, "one"), newBackend(t, "two")}
}

func TestUnreadyServerGetsNothingUntilItIsReady(t *testing.T) {
	t.Parallel()
	directory, hardware := replicas(t), replicas(t)
	p := startGateway(t, setup{directory: servers(directory...), hardware: servers(hardware...)})
	for _, step := range []struct {
		what   string
		health http.HandlerFunc
		up     string
		want   int64 // of 10 requests
	}{
		{what: "unready", health: unready, up: "0", want: 0},
		{what: "ready again", health: nil, up: "1", want: 5},
	} {
		directory[0].healthWith(step.health)
		hardware[0].healthWith(step.health)
		eventually(t, "directory-1 counts as "+step.what, p.serverIs("directory-1", step.up))
		eventually(t, "hardware-1 counts as "+step.what, p.serverIs("hardware-1", step.up))
		for path, b := range map[string]*backend{"/api/oauth/status": directory[0], "/api/benchmark/cpu": hardware[0]} {
			before := b.calls.Load()
			for range 10 {
				if got := p.get(t, path); got.status != http.StatusOK {
					t.Errorf("%s: %s: status %d", step.what, path, got.status)
				}
			}
			if n := b.calls.Load() - before; n != step.want {
				t.Errorf("%s: %s: %d of 10 requests, want %d", step.what, path, n, step.want)
			}
		}
	}
}

// One replica stops answering on both its ports. The requests that it draws wait;
// all others are served at once, and after its health check it gets none.
func TestHungReplicaDoesNotHoldTheOthersBack(t *testing.T) {
	t.Parallel()
	hardware := replicas(t)
	p := startGateway(t, setup{hardware: servers(hardware...)})
	arrived := make(chan struct{}, 100)
	hardware[0].answerWith(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	hardware[0].healthWith(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	// served reports whether one request is answered rather than left waiting.
	served := func() bool {
		statuses := make(chan int, 1)
		go func() { statuses <- status(p.client, p.web+"/api/benchmark/cpu") }()
		select {
		case got := <-statuses:
			if got != http.StatusOK {
				t.Fatalf("status %d", got)
			}
			return true
		case <-arrived:
			return false
		}
	}
	answered := 0
	for range 10 {
		if served() {
			answered++
		}
	}
	if answered != 5 {
		t.Errorf("%d of 10 requests were answered, want the 5 of the other replica", answered)
	}
	eventually(t, "the health check takes it out", p.serverIs("hardware-1", "0"))
	for range 20 {
		if !served() {
			t.Fatal("a request reached the hung replica after its health check had failed")
		}
	}
}

// serverIs reports whether the metrics of the gateway show a server as up, "1",
// or down, "0". They show it from its first health check on.
func (p *process) serverIs(server, up string) func() bool {
	line := regexp.MustCompile(`(?m)^traefik_service_server_up\{service="` + server + `@file",url="[^"]+"\} ` + up + `$`)
	return func() bool { return line.MatchString(p.metrics()) }
}

// metrics is what the gateway tells Prometheus, empty when it does not answer.
func (p *process) metrics() string {
	resp, err := p.client.Get(p.internal + "/metrics")
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return string(text)
}

// status makes a request and returns the status, 0 when there is none.
func status(client *http.Client, url string) int {
	resp, err := client.Get(url)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// A directory service that lost its database is not ready, and yet the only one
// that can say so in the documented form.
func TestDirectoryIsAskedWhenNoneIsReady(t *testing.T) {
	t.Parallel()
	p, directory, _ := newGateway(t)
	const body = `{"status":"unavailable","available":false}`
	directory.healthWith(unready)
	directory.answerWith(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, body)
	})
	eventually(t, "the health check fails", p.serverIs("directory-1", "0"))
	if got := p.get(t, "/api/bizprofile/audit/health"); got.status != http.StatusServiceUnavailable || got.body != body {
		t.Errorf("%d %q", got.status, got.body)
	}
}

// Checks that fail everywhere tell of a machine that is late with everything:
// refusing all requests would not help it.
func TestHardwareIsAskedWhenNoneIsReady(t *testing.T) {
	t.Parallel()
	p, _, hardware := newGateway(t)
	hardware.healthWith(unready)
	eventually(t, "the health check fails", p.serverIs("hardware-1", "0"))
	if got := p.get(t, "/api/benchmark/cpu"); got.status != http.StatusOK || got.header.Get("X-Backend") != "hardware" {
		t.Errorf("%d by %q", got.status, got.header.Get("X-Backend"))
	}
	if got := p.get(t, "/api/oauth/status"); got.status != http.StatusOK {
		t.Errorf("the other service answers %d", got.status)
	}
}
