package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// process is a running service.
type process struct {
	url, admin string
	stop       context.CancelFunc
	before     []string // messages logged before it served
	log        chan map[string]any
	done       chan error
}

// start runs a command line that serves, and waits until it does.
func start(t *testing.T, environ []string, args ...string) *process {
	t.Helper()
	return launch(t, func(ctx context.Context, log io.Writer) error {
		return newProgram(environ, nil, io.Discard, log).Run(ctx, args)
	})
}

// launch runs what serves and logs, and waits until it does.
func launch(t *testing.T, serve func(ctx context.Context, log io.Writer) error) *process {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	reader, writer := io.Pipe()
	p := &process{stop: stop, log: make(chan map[string]any, 100), done: make(chan error, 1)}
	go func() {
		err := serve(ctx, writer)
		_ = writer.Close() // a pipe
		p.done <- err
	}()
	go func() {
		defer close(p.log)
		for lines := bufio.NewScanner(reader); lines.Scan(); {
			entry := map[string]any{}
			if err := json.Unmarshal(lines.Bytes(), &entry); err != nil {
				entry["msg"] = lines.Text()
			}
			p.log <- entry
		}
	}()
	serving := p.await(t, "serving")
	p.url, p.admin = "http://"+serving["addr"].(string), serving["admin_addr"].(string)
	return p
}

// await reads the log up to an entry with that message.
func (p *process) await(t *testing.T, message string) map[string]any {
	t.Helper()
	for entry := range p.log {
		if entry["msg"] == message {
			return entry
		}
		p.before = append(p.before, fmt.Sprint(entry["msg"]))
	}
	t.Fatalf("the process ended without %q: %v", message, <-p.done)
	return nil
}

func httpGet(t *testing.T, address string) (status int, content string) {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return response.StatusCode, string(all)
}

func TestServe(t *testing.T) {
	source := newFakeSource(t)
	for _, args := range [][]string{nil, {"serve"}} {
		p := start(t, source.environ(t), args...)
		for path, want := range map[string]string{
			"/api/benchmark/gpu?limit=1":            `{"source":"127.0.0.1","family":"gpu","count":1,"rows":[{`,
			"/api/prices/ceneo?q=RTX+4070+SUPER":    `{"query":"RTX 4070 SUPER","source":"127.0.0.1","productName":"Karta`,
			"/api/prices/ceneo?q=rtx+4070+super%20": `{"query":"rtx 4070 super","source":"127.0.0.1","productName":"Karta`,
		} {
			if status, content := httpGet(t, p.url+path); status != 200 || !strings.HasPrefix(content, want) {
				t.Errorf("%s: %d %s", path, status, content)
			}
		}
		for _, path := range []string{"/metrics", "/healthz", "/readyz"} {
			if status, _ := httpGet(t, p.url+path); status != 404 {
				t.Errorf("%s is public: %d", path, status)
			}
			if status, _ := httpGet(t, "http://"+p.admin+path); status != 200 {
				t.Errorf("%s: %d", path, status)
			}
		}
		requireMetrics(t, p)
		p.stop()
		if err := <-p.done; err != nil {
			t.Errorf("ended with %v", err)
		}
	}
}

// TestServePages: the pages are wired to the same rankings, prices and line.
func TestServePages(t *testing.T) {
	source := newFakeSource(t)
	p := start(t, source.environ(t, "HARDWARE_NOTICE=Dane pokazowe."))
	const part = "?rodzaj=gpu&nazwa=rtx+4070+super"
	for path, want := range map[string]string{
		"/":                        "Złóż komputer",
		"/kreator":                 "Dane pokazowe.",
		"/kreator/ranking/gpu":     "RX 9070",
		"/kreator/oferty" + part:   "Podzespoły Łódź",
		"/kreator/kolejka" + part:  "Sprawdzamy ceny w porównywarce.",
		"/kreator/zestaw?gpu=x+y+": "x y",
		"/kreator/?gpu=x+y":        "Złóż komputer",
		"/niedostepne/kod/429":     `"code":"too_many_requests"`,
		"/robots.txt":              "User-agent: *\nDisallow: /api/\n",
	} {
		if status, content := httpGet(t, p.url+path); status != 200 || !strings.Contains(content, want) {
			t.Errorf("%s: %d %s", path, status, content)
		}
	}
	for path, want := range map[string]string{"/kreator/nic": "<!DOCTYPE html>", "/nic": `{"error"`} {
		if status, content := httpGet(t, p.url+path); status != 404 || !strings.HasPrefix(content, want) {
			t.Errorf("%s: %d %s", path, status, content)
		}
	}
	p.stop()
	if err := <-p.done; err != nil {
		t.Errorf("ended with %v", err)
	}
}

func requireMetrics(t *testing.T, p *process) {
	t.Helper()
	for _, line := range []string{
		`hardware_answers_total{kind="price",result="source"} 1`,
		`hardware_answers_total{kind="price",result="local"} 1`,
		`hardware_answers_total{kind="ranking",result="source"} 1`,
		`hardware_lookups_total{outcome="found",source="ceneo"} 1`,
		`hardware_source_paused{source="benchmark"} 0`,
		`hardware_redis_up 1`,
		`hardware_http_request_duration_seconds_count{method="GET",route="/api/prices/:aggregator",status="200"} 2`,
		"hardware_throttle_wait_seconds_count ", "go_goroutines ", "process_cpu_seconds_total ",
		`hardware_build_info{commit="`,
	} {
		requireMetric(t, p, line)
	}
}

func requireMetric(t *testing.T, p *process, line string) {
	t.Helper()
	if _, content := httpGet(t, "http://"+p.admin+"/metrics"); !strings.Contains(content, "\n"+line) {
		t.Errorf("no metric %s", line)
	}
}

// TestServeLogsRequests: each request has a line, the last one before the end too,
// which says where the answer came from.
func TestServeLogsRequests(t *testing.T) {
	source := newFakeSource(t)
	p := start(t, source.environ(t))
	for range 2 {
		httpGet(t, p.url+"/api/benchmark/gpu")
	}
	p.stop()
	var caches []string
	for entry := range p.log {
		if entry["route"] == "/api/benchmark/:type" {
			cache, _, _ := strings.Cut(fmt.Sprint(entry["cache"]), "; ttl")
			caches = append(caches, cache)
		}
	}
	if want := []string{"hardware; fwd=miss; stored", "hardware; hit"}; !slices.Equal(caches, want) {
		t.Errorf("%q, want %q", caches, want)
	}
}

// TestServeDrains: a request under way is answered before the process ends.
func TestServeDrains(t *testing.T) {
	source := newFakeSource(t)
	reached, open := make(chan struct{}), make(chan struct{})
	source.search = func() { close(reached); <-open }
	p := start(t, source.environ(t))
	answered := make(chan int)
	go func() {
		status, _ := httpGet(t, p.url+"/api/prices/ceneo?q=rtx+4070+super")
		answered <- status
	}()
	<-reached
	p.stop()
	p.await(t, "draining")
	close(open)
	if status := <-answered; status != 200 {
		t.Errorf("the request under way got %d", status)
	}
	if err := <-p.done; err != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestServeNamesAnAddressInUse(t *testing.T) {
	source := newFakeSource(t)
	taken := strings.TrimPrefix(source.URL, "http://")
	for _, setting := range []string{"HARDWARE_ADDR=", "HARDWARE_ADMIN_ADDR="} {
		_, err := command(t, source.environ(t, setting+taken))
		if err == nil || !strings.Contains(err.Error(), "listen on "+taken) {
			t.Errorf("%s%s: %v", setting, taken, err)
		}
	}
}

func TestServeAsksForAContact(t *testing.T) {
	source := newFakeSource(t)
	tests := map[string]bool{ // setting → warned
		"HARDWARE_AGGREGATOR_BASE_URL=https://www.ceneo.pl": true,
		"HARDWARE_LOG_LEVEL=info":                           false, // the fake wants no contact
	}
	for setting, want := range tests {
		p := start(t, source.environ(t, setting))
		warned := slices.ContainsFunc(p.before, func(message string) bool { return strings.HasPrefix(message, "HARDWARE_USER_AGENT") })
		if warned != want {
			t.Errorf("%s: logged %q", setting, p.before)
		}
		p.stop()
		if err := <-p.done; err != nil {
			t.Errorf("%s: ended with %v", setting, err)
		}
	}
}

func TestHealthcheck(t *testing.T) {
	source := newFakeSource(t)
	p := start(t, source.environ(t))
	_, port, _ := strings.Cut(p.admin, ":")
	for _, address := range []string{p.admin, "0.0.0.0:" + port, ":" + port, "localhost:" + port} {
		if _, err := command(t, []string{"HARDWARE_ADMIN_ADDR=" + address}, "healthcheck"); err != nil {
			t.Errorf("of a ready service on %s: %v", address, err)
		}
	}
	p.stop()
	if err := <-p.done; err != nil {
		t.Fatal(err)
	}
	if _, err := command(t, []string{"HARDWARE_ADMIN_ADDR=" + p.admin}, "healthcheck"); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("without a service: %v", err)
	}
	draining := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer draining.Close()
	_, err := command(t, []string{"HARDWARE_ADMIN_ADDR=" + strings.TrimPrefix(draining.URL, "http://")}, "healthcheck")
	if err == nil || !strings.Contains(err.Error(), "not ready: 503") {
		t.Errorf("of a service that is not ready: %v", err)
	}
}
