package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
)

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
	source, redis := newFakeSource(t), miniredis.RunT(t)
	spans := make(chan []byte, 100) // as JSON
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		content, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		spans <- content
	}))
	defer collector.Close()
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
	redis.SetError("LOADING")
	request.URL.Path, request.URL.RawQuery = "/api/benchmark/gpu", ""
	if answer, err := http.DefaultClient.Do(request); err != nil || answer.Body.Close() != nil {
		t.Fatal(answer, err)
	}
	if line := p.await(t, "shared store unavailable; looking up alone"); line["trace_id"] != trace || line["span_id"] == nil {
		t.Errorf("the line of a traced request is %v", line)
	}
	redis.SetError("")
	p.end(t)
	eventually(t, "no connection to Redis is left", func() bool { return redis.CurrentConnectionCount() == 0 })
	close(spans)
	var sent []byte
	for content := range spans {
		sent = append(sent, content...)
	}
	names := []string{
		"GET /api/prices/:aggregator", "evalsha", // the request, and Redis
		"wait for a turn", "GET 127.0.0.1", // the source
		answer.Header.Get("X-Request-Id"),
	}
	for _, name := range names {
		if !bytes.Contains(sent, []byte(name)) {
			t.Errorf("no span has %q", name)
		}
	}
	for _, private := range []string{"4070 super", "4070+super", "rtx", "hunter2", "db.statement"} { // the arguments of a command hold answers
		if bytes.Contains(sent, []byte(private)) {
			t.Errorf("the spans hold %q", private)
		}
	}
	if n := bytes.Count(sent, []byte(`"traceId":"`+strings.ToUpper(trace)+`"`)); n < len(names) {
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

// TestReplicasShareRedis runs two replicas, then takes Redis away from them.
func TestReplicasShareRedis(t *testing.T) {
	const query = "/api/prices/ceneo?q=rtx+4070+super"
	source, redis := newFakeSource(t), miniredis.RunT(t)
	environ := func() []string { return source.environ(t, "HARDWARE_REDIS_URL=redis://"+redis.Addr()) }
	one, two := start(t, environ()), start(t, environ())
	for _, p := range []*process{one, two} {
		if status, content := httpGet(t, p.url+query); status != 200 {
			t.Errorf("%d %s", status, content)
		}
	}
	if asked := source.count("/Karty_graficzne;szukaj-rtx+4070+super"); asked != 1 {
		t.Errorf("the aggregator was asked %d times", asked)
	}
	for _, p := range []*process{one, two} {
		requireMetric(t, p, "hardware_redis_up 1")
	}
	redis.Close()
	if status, content := httpGet(t, two.url+query); status != 200 {
		t.Errorf("a kept answer without Redis: %d %s", status, content)
	}
	if status, content := httpGet(t, two.url+"/api/benchmark/gpu"); status != 200 || !strings.Contains(content, `"source":"127.0.0.1"`) {
		t.Errorf("a new look-up without Redis: %d %s", status, content)
	}
	requireMetric(t, two, "hardware_redis_up 0")
	if status, content := httpGet(t, "http://"+two.admin+"/readyz"); status != 200 {
		t.Errorf("not ready without Redis: %d %s", status, content)
	}
	one.end(t)
	two.end(t)
}
