package gateway

import (
	"fmt"
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

// The list of servers may contain spaces.
func TestReplicasShareTheLoad(t *testing.T) {
	t.Parallel()
	spaced := func() string { return " " + strings.ReplaceAll(servers(replicas(t)...), ",", ", ") + "," }
	p := startGateway(t, setup{directory: spaced(), hardware: spaced()})
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
		eventually(t, "hardware-1 counts as "+step.what, p.serverIs("hardware-1-quick", step.up))
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
	eventually(t, "the health check takes it out", p.serverIs("hardware-1-quick", "0"))
	for range 20 {
		if !served() {
			t.Fatal("a request reached the hung replica after its health check had failed")
		}
	}
}

// A read that waits for no source gets its answer from another replica if one hangs, here
// with a check that does not notice it.
func TestQuickReadsLeaveAHungReplica(t *testing.T) {
	t.Parallel()
	hardware := replicas(t)
	p := startGateway(t, setup{hardware: servers(hardware...), dynamic: quicker})
	hang(t, hardware[0])
	for _, path := range []string{"/api/benchmark/cpu", "/kreator", "/kreator/ranking/gpu", "/kreator/static/site.css"} {
		before := hardware[0].calls.Load()
		for _, accept := range []string{"", "gzip"} {
			if got := p.get(t, path, "Accept-Encoding", accept); got.status != http.StatusOK || got.header.Get("X-Backend") != "two" {
				t.Errorf("%s: %d from %q", path, got.status, got.header.Get("X-Backend"))
			}
		}
		if hardware[0].calls.Load() == before {
			t.Errorf("%s: no request reached the replica that hangs", path)
		}
	}
}

// A request that may wait for a source or a provider outlasts two tries of one that may not.
func TestOtherRequestsMayTakeLong(t *testing.T) {
	t.Parallel()
	b := newBackend(t, "service")
	p := startGateway(t, setup{directory: servers(b), hardware: servers(b), dynamic: quicker})
	done, arrived := make(chan struct{}), make(chan struct{}, 20)
	b.answerWith(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		select {
		case <-done:
		case <-r.Context().Done():
		}
	})
	paths := strings.Fields("/api/prices/ceneo /kreator/oferty /kreator/czesc /api/oauth/status /api/oauth/callback/provider_search /konto/integracje/strona /konto/integracje/lokalizacja")
	compressing := newClient(t, nil)
	compressing.Transport.(*http.Transport).DisableCompression = false
	statuses := make(chan string)
	for _, path := range paths {
		for _, client := range []*http.Client{p.client, compressing} {
			go func() { statuses <- fmt.Sprint(path, " ", status(client, p.web+path)) }()
		}
	}
	for range 2 * len(paths) {
		<-arrived
	}
	if got := p.get(t, "/api/benchmark/cpu"); got.status != http.StatusGatewayTimeout {
		t.Errorf("/api/benchmark/cpu: %d", got.status)
	}
	close(done)
	for range 2 * len(paths) {
		if got := <-statuses; !strings.HasSuffix(got, " 200") {
			t.Error(got)
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

func TestServersByDefault(t *testing.T) {
	t.Parallel()
	p := startGateway(t, setup{})
	for server, addr := range map[string]string{"directory-1": "127.0.0.1:8081", "hardware-1": "127.0.0.1:8082"} {
		eventually(t, server+" is "+addr, func() bool {
			return strings.Contains(p.metrics(), `traefik_service_server_up{service="`+server+`@file",url="http://`+addr+`"}`)
		})
	}
}

func TestAdminPortIsPortPlus1000(t *testing.T) {
	t.Parallel()
	var addrs [2]string
	var asked [2]atomic.Bool
	for i := range addrs {
		public, admin := listenPair(t)
		b := startBackend(t, "service", public, admin)
		b.healthWith(func(http.ResponseWriter, *http.Request) { asked[i].Store(true) })
		addrs[i] = b.addr()
	}
	startGateway(t, setup{directory: addrs[0], hardware: addrs[1]})
	eventually(t, "the health checks ask the admin ports", func() bool { return asked[0].Load() && asked[1].Load() })
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
		{what: "nor its headers", method: "HEAD", path: "/api/oauth/callback/provider_search?code=1&state=2", cuts: 1, calls: 1, status: http.StatusBadGateway},
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

// standsIn requires an error response of the gateway with a body from a service.
func (a answer) standsIn(t *testing.T, status int, body, retryAfter string) {
	t.Helper()
	if a.status != status || a.body != body || a.header.Get("Retry-After") != retryAfter {
		t.Errorf("%d %q with Retry-After %q, want %d %q with %q", a.status, a.body, a.header.Get("Retry-After"), status, body, retryAfter)
	}
}

// answerIt responds with a status, a body and Retry-After of its own.
func (b *backend) answerIt(status int) {
	b.answerWith(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
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
// service. Errors of the hardware API and of the pages themselves pass unchanged and are not
// retried: a 502 of the API means that the source failed, not the server.
func TestHardwarePagesUnavailable(t *testing.T) {
	t.Parallel()
	p, _, hardware := newGateway(t)
	hardware.answerWith(cut)
	p.get(t, "/kreator/ranking/gpu", "Accept", "text/html").standsIn(t, 502, "directory GET /niedostepne/kod/502 for text/html", "5")
	for path, statuses := range map[string][]int{"/kreator": {404, 503}, "/api/prices/ceneo": {502, 503, 504}} {
		for _, status := range statuses {
			hardware.answerIt(status)
			before := hardware.calls.Load()
			got := p.get(t, path)
			got.standsIn(t, status, "its own", "7")
			if n := hardware.calls.Load() - before; n != 1 {
				t.Errorf("%s: %d after %d requests", path, status, n)
			}
		}
	}
}

// If no server of the hardware service runs, every request gets 503 with a body from the
// directory service. A server that runs gets requests, ready or not: if all checks fail, the
// machine is overloaded, and refusing all requests would not help.
func TestHardwareGone(t *testing.T) {
	t.Parallel()
	p, _, hardware := newGateway(t)
	hardware.healthWith(unready)
	hardware.healthzDelay.Store(int64(1300 * time.Millisecond)) // longer than the limit of /readyz
	slow := hardware.healthz.Load() + 1
	eventually(t, "the health check fails", p.serverIs("hardware-1", "0"))
	eventually(t, "slow answers of /healthz", func() bool { return hardware.healthz.Load() >= slow })
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

// A client has one bucket for each service, on all its routes and with any forged address. The
// body of a 429 comes from the limited service.
func TestLimited(t *testing.T) {
	t.Parallel()
	p, _, _ := newGateway(t)
	greedy, other := clientFrom(t, 41), clientFrom(t, 42)
	exhaust := func(path string, burst int) {
		t.Helper()
		if passed, _ := flood(t, greedy, p.web+path, 4*burst); passed < burst || passed == 4*burst {
			t.Errorf("%s: %d requests passed before a refusal, want at least %d", path, passed, burst)
		}
		if got := sendAs(t, other, "GET", p.web+path, ""); got.status != http.StatusOK {
			t.Errorf("%s: another client is answered %d", path, got.status)
		}
	}
	refused := func(method, path string, header ...string) answer {
		t.Helper()
		for range 20 {
			got := sendAs(t, greedy, method, p.web+path, "", append(header, "Accept", "text/html")...)
			if got.status == http.StatusTooManyRequests {
				return got
			}
		}
		t.Fatalf("%s %s %v: 20 requests and no 429", method, path, header)
		return answer{}
	}

	exhaust("/api/benchmark/cpu", 100)
	refused("GET", "/kreator").standsIn(t, 429, "hardware GET /niedostepne/kod/429 for text/html", "1")
	refused("POST", "/api/prices/ceneo/quotes").standsIn(t, 429, "hardware GET /niedostepne/kod/429 for text/html", "1")
	refused("HEAD", "/nic").standsIn(t, 429, "", "1")

	exhaust("/api/oauth/status", 100)
	refused("GET", "/konto/integracje").standsIn(t, 429, "directory GET /niedostepne/429 for text/html", "1")
	refused("HEAD", "/konto/integracje").standsIn(t, 429, "", "1")
	refused("POST", "/konto/logowanie").standsIn(t, 429, "directory GET /niedostepne/429 for text/html", "1")
	refused("GET", "/api/oauth/callback/provider_search")
	refused("GET", "/api/oauth/status", "X-Forwarded-For", "203.0.113.7", "X-Real-Ip", "203.0.113.7")
}
