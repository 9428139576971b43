package gateway

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The list of servers may contain spaces.
func TestServersTakeTurns(t *testing.T) {
	t.Parallel()
	spaced := func() string { return " " + strings.ReplaceAll(servers(replicas(t)...), ",", ", ") + "," }
	p := startGateway(t, setup{directory: spaced(), hardware: spaced()})
	for _, path := range []string{"/api/benchmark/cpu", "/api/prices/ceneo", "/api/oauth/status"} {
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
		health http.HandlerFunc
		up     string
		want   int64 // of 10 requests
	}{
		{health: unready, up: "0", want: 0},
		{health: nil, up: "1", want: 5},
	} {
		directory[0].healthWith(step.health)
		hardware[0].healthWith(step.health)
		eventually(t, "the directory's check notices", p.serverIs("directory-1", step.up))
		eventually(t, "the hardware service's check notices", p.serverIs("hardware-quick-1", step.up))
		for path, b := range map[string]*backend{"/api/oauth/status": directory[0], "/api/benchmark/cpu": hardware[0]} {
			before := b.calls.Load()
			for range 10 {
				if got := p.get(t, path); got.status != http.StatusOK {
					t.Errorf("%s: status %d", path, got.status)
				}
			}
			if n := b.calls.Load() - before; n != step.want {
				t.Errorf("%s: %d of 10 requests, want %d", path, n, step.want)
			}
		}
	}
}

// The directory service responds without its database, so the check leaves the database out.
func TestHealthCheckExcludesTheDatabase(t *testing.T) {
	t.Parallel()
	p, directory, _ := newGateway(t)
	checks := make(chan string, 1)
	directory.healthWith(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case checks <- r.RequestURI:
		default:
		}
	})
	if got := <-checks; got != "/readyz?exclude=database" {
		t.Errorf("checked %s", got)
	}
	eventually(t, "the server counts as up", p.serverIs("directory-1", "1"))
}

// A read that waits for no source gets its response from another replica if one hangs.
func TestQuickReadsLeaveAHungReplica(t *testing.T) {
	t.Parallel()
	hardware := replicas(t)
	p := startGateway(t, setup{hardware: servers(hardware...)})
	hardware[0].answerWith(hang)
	for hardware[0].calls.Load() == 0 {
		if got := p.get(t, "/api/benchmark/cpu"); got.status != http.StatusOK || got.header.Get("X-Backend") != "two" {
			t.Fatalf("%d from %q", got.status, got.header.Get("X-Backend"))
		}
	}
}

// A frozen only replica ends a ranking within 15 seconds. Look-ups of prices may take longer.
func TestFrozenReplicaEndsAReadInTime(t *testing.T) {
	t.Parallel()
	p, _, hardware := newGateway(t)
	hardware.answerWith(hang)
	client := newClient(t, nil)
	client.Timeout = 15 * time.Second
	price := make(chan int, 1)
	go func() { price <- status(client, p.web+"/api/prices/ceneo?q=rtx") }()
	if got := status(client, p.web+"/api/benchmark/cpu"); got != http.StatusGatewayTimeout {
		t.Errorf("a ranking: status %d", got)
	}
	select {
	case got := <-price:
		t.Errorf("a price: status %d", got)
	default:
	}
}

func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// serverIs returns a function that reports whether the metrics of the gateway show a server
// as up, "1", or down, "0".
func (p *process) serverIs(server, up string) func() bool {
	line := regexp.MustCompile(`(?m)^traefik_service_server_up\{service="` + server + `@file",url="[^"]+"\} ` + up +
		`$`)
	return func() bool { return line.MatchString(p.metrics()) }
}

// metrics returns the metrics of the gateway, empty if it does not respond.
func (p *process) metrics() string {
	resp, err := p.client.Get(p.internal + "/metrics")
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return string(text)
}

// status sends a request and returns the status, 0 without a response.
func status(client *http.Client, url string) int {
	resp, err := client.Get(url)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

func TestRetryAfterABrokenConnection(t *testing.T) {
	t.Parallel()
	const callback = "/api/oauth/callback/provider_search?code=1&state=2"
	for what, c := range map[string]struct {
		method, path string
		cuts         int64 // connections that break
		calls        int64 // requests that reach the service
		status       int
	}{
		"a read is sent again": {"GET", "/api/oauth/status", 1, 2, http.StatusOK},
		"but once":             {"GET", "/konto/integracje", 9, 2, http.StatusBadGateway},
		"a write is not":       {"POST", "/api/bizprofile/audit", 1, 1, http.StatusBadGateway},
		"the callback is not":  {"GET", callback, 1, 1, http.StatusBadGateway},
		"nor its headers":      {"HEAD", callback, 1, 1, http.StatusBadGateway},
	} {
		t.Run(what, func(t *testing.T) {
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

// Until their health checks fail, unreachable servers cost no client an error.
func TestReadsSurviveUnreachableServers(t *testing.T) {
	t.Parallel()
	directory, hardware := append(replicas(t), newBackend(t, "three")), append(replicas(t), newBackend(t, "three"))
	p := startGateway(t, setup{directory: servers(directory...), hardware: servers(hardware...)})
	for i := range 2 {
		directory[i].public.Close()
		hardware[i].public.Close()
	}
	for range 40 {
		for _, path := range []string{"/api/benchmark/cpu", "/kreator", "/api/oauth/status",
			"/api/oauth/callback/provider_search"} {
			if got := p.get(t, path); got.status != http.StatusOK {
				t.Fatalf("%s: status %d", path, got.status)
			}
		}
	}
}

// What a service says of a source or of itself passes unchanged and is not requested again.
func TestErrorsOfServicesPass(t *testing.T) {
	t.Parallel()
	p, directory, hardware := newGateway(t)
	for path, b := range map[string]*backend{"/api/prices/ceneo": hardware, "/konto/integracje": directory} {
		for _, status := range []int{500, 503} {
			b.answerWith(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(status)
				_, _ = io.WriteString(w, "its own")
			})
			before := b.calls.Load()
			got := p.get(t, path)
			if got.status != status || got.body != "its own" {
				t.Fatalf("%s: %d became %d %q", path, status, got.status, got.body)
			}
			if got.header.Get("Retry-After") != "7" || b.calls.Load() != before+1 {
				t.Errorf("%s: %d became %d %q", path, status, got.status, got.body)
			}
		}
	}
}

// If no server of a service is up, it has 503, and the other service responds.
func TestServiceIsGone(t *testing.T) {
	t.Parallel()
	p, _, hardware := newGateway(t)
	hardware.healthWith(unready)
	eventually(t, "the health check fails", p.serverIs("hardware-quick-1", "0"))
	if got := p.get(t, "/api/benchmark/cpu"); got.status != http.StatusServiceUnavailable {
		t.Errorf("status %d", got.status)
	}
	if got := p.get(t, "/api/oauth/status"); got.status != http.StatusOK {
		t.Errorf("the other service: status %d", got.status)
	}
}
