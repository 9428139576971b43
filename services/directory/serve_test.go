package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// process is a running service.
type process struct {
	url, admin string
	stop       context.CancelFunc
	lines      []string // logged so far, as await read them
	log        chan string
	done       chan error
}

// start runs a command line that serves, and waits until it does.
func start(t *testing.T, environ []string, args ...string) *process {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	reader, writer := io.Pipe()
	p := &process{stop: stop, done: make(chan error, 1)}
	go func() {
		program := newProgram(environ, strings.NewReader(""), io.Discard, writer)
		err := program.Run(ctx, args)
		_ = writer.Close() // a pipe
		p.done <- err
	}()
	p.follow(t, reader)
	return p
}

// follow reads a log until the service that writes it serves.
func (p *process) follow(t *testing.T, log io.Reader) {
	t.Helper()
	p.log = make(chan string, 1000)
	go func() {
		defer close(p.log)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			p.log <- lines.Text()
		}
	}()
	serving := p.await(t, "serving")
	p.url, p.admin = "http://"+serving["addr"].(string), serving["admin_addr"].(string)
}

// await reads the log up to an entry with that message.
func (p *process) await(t *testing.T, message string) map[string]any {
	t.Helper()
	for line := range p.log {
		p.lines = append(p.lines, line)
		entry := map[string]any{}
		if err := json.Unmarshal([]byte(line), &entry); err == nil && entry["msg"] == message {
			return entry
		}
	}
	t.Fatalf("the process ended without %q: %v, %q", message, <-p.done, p.lines)
	return nil
}

// end stops the service, which has to end well, and returns its whole log.
func (p *process) end(t *testing.T) string {
	t.Helper()
	p.stop()
	for line := range p.log {
		p.lines = append(p.lines, line)
	}
	if err := <-p.done; err != nil {
		t.Errorf("ended with %v", err)
	}
	return strings.Join(p.lines, "\n")
}

func fetch(t *testing.T, address string) (status int, content string) {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	return response.StatusCode, read(t, response)
}

func read(t *testing.T, response *http.Response) string {
	t.Helper()
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return string(content)
}

func TestServe(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string) {
		for _, args := range [][]string{nil, {"serve"}} {
			p := start(t, settings, args...) // on an empty database, too
			if status, content := fetch(t, p.url+"/api/bizprofile/audit/health"); status != 200 || !strings.Contains(content, `"available":true`) {
				t.Errorf("health: %d %s", status, content)
			}
			if status, content := fetch(t, p.url+"/api/bizprofile/audit?company_id=1"); status != 404 {
				t.Errorf("an audit where there is none: %d %s", status, content)
			}
			for _, path := range []string{"/metrics", "/healthz", "/readyz"} {
				if status, content := fetch(t, p.url+path); status != 404 || !strings.HasPrefix(content, `{"success":false,"error":"`) {
					t.Errorf("%s is public: %d %s", path, status, content)
				}
				if status, _ := fetch(t, "http://"+p.admin+path); status != 200 {
					t.Errorf("%s: %d", path, status)
				}
			}
			if _, content := fetch(t, "http://"+p.admin+"/readyz"); content != `{"database":"ok","status":"ok"}`+"\n" {
				t.Errorf("/readyz: %s", content)
			}
			if _, content := fetch(t, "http://"+p.admin+"/metrics"); !strings.Contains(content, "\n"+`directory_build_info{commit="`) {
				t.Error("/metrics does not say which build runs")
			}
			p.end(t)
		}
	})
}

func TestStartLog(t *testing.T) {
	secrets := []string{goodKey[2:], secondKey[2:], "search-secret", "places-key", "sqlite:"}
	settings := environ(t,
		"DIRECTORY_SESSION_KEYS="+goodKey, "DIRECTORY_ENCRYPTION_KEYS="+secondKey, "DIRECTORY_COMPANY_ACCESS=strict",
		"DIRECTORY_LOG_LEVEL=debug", "PROVIDER_SEARCH_CLIENT_ID=search-id", "PROVIDER_SEARCH_CLIENT_SECRET=search-secret", "PLACES_API_KEY=places-key")
	p := start(t, settings)
	log := p.end(t)
	var entry map[string]any
	if err := json.Unmarshal([]byte(p.lines[0]), &entry); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"msg": "starting", "tracing": false, "company_access": "strict", "public_url": "http://localhost:8080", "sqlite": true,
		"scan_interval": "0s", "provider_search": true, "provider_social": false, "places": true,
	} {
		if entry[key] != want {
			t.Errorf("%s is %v, want %v", key, entry[key], want)
		}
	}
	if shown, ok := entry["build"].(map[string]any); !ok || shown["version"] != thisBuild().Version || shown["commit"] == "" {
		t.Errorf("build %v", entry["build"])
	}
	for _, secret := range secrets {
		if strings.Contains(log, secret) {
			t.Errorf("the log shows %s:\n%s", secret, log)
		}
	}
}

func TestServeNamesAnAddressInUse(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	taken := strings.TrimPrefix(other.URL, "http://")
	for _, setting := range []string{"DIRECTORY_ADDR=", "DIRECTORY_ADMIN_ADDR="} {
		p := newProgram(environ(t, setting+taken), strings.NewReader(""), io.Discard, io.Discard)
		if err := p.Run(t.Context(), []string{"serve"}); err == nil || !strings.Contains(err.Error(), "listen on "+taken) {
			t.Errorf("%s%s: %v", setting, taken, err)
		}
	}
}

func TestHealthcheck(t *testing.T) {
	p := start(t, environ(t))
	_, port, _ := strings.Cut(p.admin, ":")
	for _, address := range []string{p.admin, "0.0.0.0:" + port, ":" + port, "localhost:" + port} {
		if out, err := command(t, []string{"DIRECTORY_ADMIN_ADDR=" + address}, "healthcheck"); err != nil || out != "" {
			t.Errorf("of a ready service on %s: printed %q, %v", address, out, err)
		}
	}
	p.end(t)
	out, err := command(t, []string{"DIRECTORY_ADMIN_ADDR=" + p.admin}, "healthcheck")
	refused(t, "without a service", out, err, "refused")
	draining := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer draining.Close()
	out, err = command(t, []string{"DIRECTORY_ADMIN_ADDR=" + strings.TrimPrefix(draining.URL, "http://")}, "healthcheck")
	refused(t, "of a service that is not ready", out, err, "not ready: 503")
}

// metric returns the value of a line of the metrics; ok is false without it.
func metric(t *testing.T, p *process, name string) (value string, ok bool) {
	t.Helper()
	_, content := fetch(t, "http://"+p.admin+"/metrics")
	lines := strings.Split(content, "\n")
	i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, name+" ") })
	if i < 0 {
		return "", false
	}
	return strings.TrimPrefix(lines[i], name+" "), true
}

func requireMetric(t *testing.T, p *process, name, want string) {
	t.Helper()
	if got, ok := metric(t, p, name); !ok || got != want {
		t.Errorf("%s is %s, want %s", name, fmt.Sprint(got), want)
	}
}

func TestTuneGarbageCollector(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	defer func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}()
	tests := []struct {
		name                 string
		percent, wantPercent int
		processors           int
		limit, wantLimit     int64
	}{
		{"nothing is set", 100, 400, 2, math.MaxInt64, 80 << 20},
		{"nothing is set, and four logins at once", 100, 400, 8, math.MaxInt64, 140 << 20},
		{"the operator has set both", 50, 50, 8, 200 << 20, 200 << 20},
	}
	for _, test := range tests {
		debug.SetGCPercent(test.percent)
		debug.SetMemoryLimit(test.limit)
		tuneGarbageCollector(concurrentHashes(test.processors))
		if p, l := debug.SetGCPercent(100), debug.SetMemoryLimit(-1); p != test.wantPercent || l != test.wantLimit {
			t.Errorf("%s: %d percent and %d bytes, want %d and %d", test.name, p, l, test.wantPercent, test.wantLimit)
		}
	}
}
