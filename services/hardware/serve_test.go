package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
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

// end stops the process, which must end without an error.
func (p *process) end(t *testing.T) {
	t.Helper()
	p.stop()
	if err := <-p.done; err != nil {
		t.Errorf("ended with %v", err)
	}
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
		for _, line := range []string{
			`hardware_answers_total{kind="price",result="source"} 1`,
			`hardware_answers_total{kind="price",result="local"} 1`,
			`hardware_answers_total{kind="ranking",result="source"} 1`,
			`hardware_lookups_total{outcome="found",source="ceneo"} 1`,
			`hardware_source_paused{source="benchmark"} 0`,
			`hardware_redis_up 1`,
			`hardware_http_request_duration_seconds_count{method="GET",route="/api/prices/:aggregator",status="200"} 2`,
			"hardware_throttle_wait_seconds_count 3", "go_goroutines ", "process_cpu_seconds_total ",
			`hardware_build_info{commit="`,
			`hardware_turns_total{class="awaited"} 3`, // robots.txt, the search and the offers
			"hardware_ready 1",
		} {
			requireMetric(t, p, line)
		}
		quotes, err := http.Post(p.url+"/api/prices/ceneo/quotes", "application/json", strings.NewReader(`{"items":[{"q":"rtx 4070 super"}]}`))
		if err != nil || quotes.StatusCode != 200 {
			t.Errorf("quotes: %+v, %v", quotes, err)
		} else {
			_ = quotes.Body.Close() // of this test
		}
		p.end(t)
	}
}

// TestServePages: the pages are wired to the same rankings, prices and line.
func TestServePages(t *testing.T) {
	source := newFakeSource(t)
	p := start(t, source.environ(t, "HARDWARE_NOTICE=Dane pokazowe."))
	const part = "?rodzaj=gpu&nazwa=rtx+4070+super"
	for path, want := range map[string]string{
		"/":                              "Złóż komputer",
		"/kreator":                       "Dane pokazowe.",
		"/kreator/ranking/gpu":           "RX 9070",
		"/kreator/ranking/gpu?ile=1":     "Źródło: UserBenchmark, ",
		"/kreator/oferty" + part:         "Podzespoły Łódź",
		"/kreator/oferty" + part + "&x=": "Źródło: Ceneo, ",
		"/kreator/kolejka" + part:        "Sprawdzamy ceny w porównywarce.",
		"/kreator/zestaw?gpu=x+y+":       "x y",
		"/kreator/?gpu=x+y":              "Złóż komputer",
		"/robots.txt":                    "User-agent: *\nDisallow: /api/\n",
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
	p.end(t)
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

func TestServeAsksForAContact(t *testing.T) {
	source := newFakeSource(t)
	const (
		real    = "HARDWARE_AGGREGATOR_BASE_URL=https://www.ceneo.pl"
		agent   = "HARDWARE_USER_AGENT names no contact of yours: set it before you ask the real sources"
		nothing = "pages do not link to the privacy policy, the terms or a contact"
	)
	legal := []string{
		real, "HARDWARE_USER_AGENT=Shop/1.0 (+mailto:ops@shop.test)", "HARDWARE_PRIVACY_URL=https://shop.test/p",
		"HARDWARE_TERMS_URL=https://shop.test/t", "HARDWARE_CONTACT=ops@shop.test",
	}
	for _, tt := range []struct{ settings, warnings []string }{
		{[]string{real}, []string{agent, nothing}},
		{legal[:2], []string{nothing}},
		{legal[:4], []string{nothing}},
		{legal, nil},
		{nil, nil}, // the fake wants no contact
	} {
		p := start(t, source.environ(t, tt.settings...))
		if want := append([]string{"starting"}, tt.warnings...); !slices.Equal(p.before, want) {
			t.Errorf("%q: logged %q, want %q", tt.settings, p.before, want)
		}
		p.end(t)
	}
}

// TestServeIsQuietAtWARN: neither the start nor a request has a line.
func TestServeIsQuietAtWARN(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	environ := newFakeSource(t).environ(t, "HARDWARE_LOG_LEVEL=WARN", "HARDWARE_ADDR="+address)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var log strings.Builder
	done := make(chan error)
	go func() { done <- newProgram(environ, nil, io.Discard, &log).Run(ctx, nil) }()
	eventually(t, "it answers", func() bool {
		answer, err := http.Get("http://" + address + "/api/benchmark/gpu")
		return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	})
	stop()
	if err := <-done; err != nil || log.Len() > 0 {
		t.Errorf("ended with %v, logged %s", err, &log)
	}
}

// A response may be written for longer than the longest look-up takes, and the service ends as its
// settings say.
func TestTimesOfTheServer(t *testing.T) {
	w := newWired(t, []string{"HARDWARE_ADDR=127.0.0.1:1", "HARDWARE_ADMIN_ADDR=127.0.0.1:2", "HARDWARE_DRAIN_DELAY=3s", "HARDWARE_DRAIN_TIMEOUT=7s"})
	s := w.server()
	if s.Addr != "127.0.0.1:1" || s.AdminAddr != "127.0.0.1:2" || s.WriteTimeout != time.Minute || s.DrainDelay != 3*time.Second || s.DrainTimeout != 7*time.Second {
		t.Errorf("%+v", s)
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
	p.end(t)
	if _, err := command(t, []string{"HARDWARE_ADMIN_ADDR=" + p.admin}, "healthcheck"); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("without a service: %v", err)
	}
}
