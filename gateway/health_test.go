package gateway

import (
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
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

// Requests to a replica that hangs wait, all others are served at once. After its health
// check has failed, it gets none.
func TestHungReplicaDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	hardware := replicas(t)
	p := startGateway(t, setup{hardware: servers(hardware...)})
	arrived := make(chan struct{}, 100)
	hardware[0].answerWith(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	hardware[0].healthWith(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	// served reports whether one request gets a response rather than reaching the replica.
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

// serverIs returns a function that reports whether the metrics of the gateway show a server
// as up, "1", or down, "0".
func (p *process) serverIs(server, up string) func() bool {
	line := regexp.MustCompile(`(?m)^traefik_service_server_up\{service="` + server + `@file",url="[^"]+"\} ` + up + `$`)
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

// A directory service without its database is not ready, but only it can return the
// documented error.
func TestDirectoryGetsRequestsIfNoneIsReady(t *testing.T) {
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

// If all checks fail, the machine is overloaded, and refusing all requests would not help.
func TestHardwareGetsRequestsIfNoneIsReady(t *testing.T) {
	t.Parallel()
	p, _, hardware := newGateway(t)
	hardware.healthWith(unready)
	hardware.healthzDelay.Store(int64(1300 * time.Millisecond)) // longer than the limit of /readyz
	slow := hardware.healthz.Load() + 1
	eventually(t, "the health check fails", p.serverIs("hardware-1", "0"))
	eventually(t, "slow answers of /healthz", func() bool { return hardware.healthz.Load() >= slow })
	if got := p.get(t, "/api/benchmark/cpu"); got.status != http.StatusOK || got.header.Get("X-Backend") != "hardware" {
		t.Errorf("%d by %q", got.status, got.header.Get("X-Backend"))
	}
	if got := p.get(t, "/api/oauth/status"); got.status != http.StatusOK {
		t.Errorf("the other service answers %d", got.status)
	}
}

func TestServersByDefault(t *testing.T) {
	t.Parallel()
	p := startGateway(t, setup{})
	for server, addr := range map[string]string{"directory-1": "127.0.0.1:8081", "hardware-1": "127.0.0.1:8082"} {
		eventually(t, server+" is "+addr, func() bool {
			return strings.Contains(p.metrics(), `traefik_service_server_up{service="`+server+`@file",url="http://`+addr+`"}`)
		})
	}
}

func TestServerListMayHoldSpaces(t *testing.T) {
	t.Parallel()
	one, two := newBackend(t, "one"), newBackend(t, "two")
	p := startGateway(t, setup{hardware: " " + servers(one) + ", " + servers(two) + ","})
	for range 4 {
		if got := p.get(t, "/api/benchmark/cpu"); got.status != http.StatusOK {
			t.Fatalf("status %d", got.status)
		}
	}
	if one.calls.Load() < 2 || two.calls.Load() < 2 {
		t.Errorf("%d and %d requests", one.calls.Load(), two.calls.Load())
	}
}

func TestAdminPortIsPortPlus1000(t *testing.T) {
	t.Parallel()
	public, admin := listenPair(t)
	b := startBackend(t, "hardware", public, admin)
	p := startGateway(t, setup{hardware: b.addr()})
	if got := p.get(t, "/api/benchmark/cpu"); got.status != http.StatusOK {
		t.Fatalf("ready: status %d", got.status)
	}
	var asked atomic.Bool
	b.healthWith(func(http.ResponseWriter, *http.Request) { asked.Store(true) })
	eventually(t, "the health check asks the admin port", asked.Load)
}

// listenPair listens on a free port and on the port 1000 above it.
func listenPair(t *testing.T) (public, admin net.Listener) {
	t.Helper()
	for range 20 {
		public := listen(t, "127.0.0.1:0")
		port := public.Addr().(*net.TCPAddr).Port + 1000
		if admin, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			return public, admin
		}
		public.Close()
	}
	t.Fatal("no free pair of ports")
	return nil, nil
}
