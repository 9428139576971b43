package main

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/hardware/internal/httpapi"
	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/telemetry"
)

// collector takes what an OTLP exporter sends, as the JSON text it is.
type collector struct {
	*httptest.Server
	mu  sync.Mutex
	got bytes.Buffer
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if _, err := io.Copy(&c.got, r.Body); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// noTracing clears the variables that this process may have.
func noTracing(t *testing.T) {
	t.Helper()
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "OTEL_") {
			t.Setenv(name, "")
		}
	}
}

// TestServeTraces: all that a look-up asks of Redis and of the source is in the
// caller's trace, and sent before the process ends; what was searched for and the
// answer are not.
func TestServeTraces(t *testing.T) {
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	source, redis, collector := newFakeSource(t), miniredis.RunT(t), newCollector(t)
	noTracing(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
	redis.RequireAuth("hunter2")
	p := start(t, source.environ(t, "HARDWARE_REDIS_URL=redis://:hunter2@"+redis.Addr()))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+"/api/prices/ceneo?q=rtx+4070+super", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
	answer, err := http.DefaultClient.Do(request)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer, err)
	}
	_ = answer.Body.Close() // of this test
	p.stop()
	if err := <-p.done; err != nil {
		t.Fatal(err)
	}
	spans := []string{
		"GET /api/prices/:aggregator", "evalsha", // the request, and Redis
		"wait for a turn", "GET 127.0.0.1", // the source
		answer.Header.Get("X-Request-Id"),
	}
	for _, span := range spans {
		if !bytes.Contains(collector.got.Bytes(), []byte(span)) {
			t.Errorf("no span has %q", span)
		}
	}
	for _, private := range []string{"4070 super", "4070+super", "rtx", "hunter2", "db.statement"} { // the arguments of a command hold answers
		if bytes.Contains(collector.got.Bytes(), []byte(private)) {
			t.Errorf("the spans hold %q", private)
		}
	}
	if n := bytes.Count(collector.got.Bytes(), []byte(`"traceId":"`+strings.ToUpper(trace)+`"`)); n < len(spans) {
		t.Errorf("%d spans in the caller's trace", n)
	}
}

func TestServeRefusesTracingItDoesNotKnow(t *testing.T) {
	source := newFakeSource(t)
	noTracing(t)
	t.Setenv("OTEL_TRACES_EXPORTER", "zipkin")
	if _, err := command(t, source.environ(t)); err == nil || !strings.Contains(err.Error(), "OTEL_TRACES_EXPORTER: ") {
		t.Errorf("error %v", err)
	}
}

// discard is a client that reads nothing.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header       { return d.header }
func (*discard) WriteHeader(int)             {}
func (*discard) Write(b []byte) (int, error) { return len(b), nil }

// TestHitWithoutTracing: while tracing is off, a kept answer costs not one
// allocation more than in a service that has never heard of it.
func TestHitWithoutTracing(t *testing.T) {
	if record, ok := debug.ReadBuildInfo(); ok && slices.Contains(record.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("with the race detector a sync.Pool forgets at random")
	}
	noTracing(t)
	source, log := newFakeSource(t), slog.New(slog.DiscardHandler)
	cfg, err := loadConfig(source.environ(t))
	if err != nil {
		t.Fatal(err)
	}
	tracing, err := telemetry.Start(t.Context(), "hardware", build.Info{}, log)
	if err != nil {
		t.Fatal(err)
	}
	a, err := newApp(cfg, log, tracing, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	api := &httpapi.API{Ranking: a.rankings.Get, Price: a.prices.Get, Caller: a.callerOf(), Aggregator: "ceneo", Now: time.Now}
	bare := httpx.New(httpx.Options{
		Log: log, Metrics: httpx.NewMetrics(prometheus.NewRegistry(), "hardware"), BodyLimit: httpapi.BodyLimit, ErrorBody: api.Render,
	})
	api.Register(bare)
	request := httptest.NewRequest(http.MethodGet, "/api/benchmark/gpu", nil)
	allocations := func(h http.Handler) float64 {
		return testing.AllocsPerRun(200, func() { h.ServeHTTP(&discard{header: http.Header{}}, request) })
	}
	if with, without := allocations(a.handler()), allocations(bare); with > without {
		t.Errorf("%v allocations, %v without tracing in the program", with, without)
	}
	if asked := source.count("/resources/download/csv/GPU_UserBenchmarks.csv"); asked != 1 {
		t.Errorf("the source was asked %d times: no hits were measured", asked)
	}
}
