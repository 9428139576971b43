package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/services/directory/internal/cli"
	"backend.example/services/directory/internal/scan"
	"backend.example/services/directory/internal/storetest"
	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/telemetry"
)

// collector takes spans as OTLP over HTTP, in JSON.
type collector struct {
	*httptest.Server
	mu   sync.Mutex
	text bytes.Buffer
	err  error
	// names of the spans of each trace
	traces map[string]map[string]bool
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{traces: map[string]map[string]bool{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.err = errors.Join(c.err, c.take(io.TeeReader(r.Body, &c.text)))
	}))
	t.Cleanup(c.Close)
	for _, pair := range os.Environ() { // of this process
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "OTEL_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
	return c
}

func (c *collector) take(in io.Reader) error {
	var message struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []struct{ TraceID, Name string }
			}
		}
	}
	if err := json.NewDecoder(in).Decode(&message); err != nil {
		return err
	}
	for _, resource := range message.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, span := range scope.Spans {
				id := strings.ToLower(span.TraceID)
				if c.traces[id] == nil {
					c.traces[id] = map[string]bool{}
				}
				c.traces[id][span.Name] = true
			}
		}
	}
	return nil
}

// TestServeTraces: what a request asks of the database and of the provider is in the
// caller's trace, and sent before the process ends; what was asked and answered is
// not, nor is anything of the authorization before it.
func TestServeTraces(t *testing.T) {
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	provider, collector := newFakeProvider(t), newCollector(t)
	settings := provider.environ(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	p := start(t, settings)
	b := login(t, p.url, "biuro@demo.example")
	if location := b.authorize(t, "provider_search/search_profile"); !strings.Contains(location, "oauth_success") {
		t.Fatal(location)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+"/api/oauth/provider_search/discover-locations", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
	answer, err := b.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if content := read(t, answer); answer.StatusCode != http.StatusOK {
		t.Fatal(answer.StatusCode, content)
	}
	p.end(t)

	if collector.err != nil {
		t.Error(collector.err)
	}
	for _, name := range []string{"POST /api/oauth/provider_search/discover-locations", "row sessions", "update oauth_tokens", "POST 127.0.0.1", "GET 127.0.0.1"} {
		if !collector.traces[trace][name] {
			t.Errorf("no span %q in the trace: %v", name, collector.traces[trace])
		}
	}
	for id, names := range collector.traces { // the probes of the database belong to none
		if len(names) == 1 && names["raw"] {
			t.Errorf("trace %s of %v", id, names)
		}
	}
	spans := collector.text.String()
	for _, attribute := range []string{`"db.system.name","value":{"stringValue":"sqlite"}`, answer.Header.Get("X-Request-Id"), `"stringValue":"directory"`} {
		if !strings.Contains(spans, attribute) {
			t.Errorf("the spans do not contain %s", attribute)
		}
	}
	for _, private := range []string{
		"access-1", "refresh-1", "code-1", "search-secret", "places-key", cli.DemoPassword, "biuro@demo", "SELECT", "INSERT", "state=",
	} {
		if strings.Contains(spans, private) {
			t.Errorf("the spans hold %q", private)
		}
	}
}

func TestScanIsATrace(t *testing.T) {
	collector := newCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	log := slog.New(slog.DiscardHandler)
	inStore(t, environ(t), func(ctx context.Context, s *storetest.Store) error {
		tracing, err := telemetry.Start(ctx, "directory", build.Info{}, log)
		if err != nil {
			return err
		}
		defer tracing.Stop(ctx, log)
		if err := traceStore(s.DB, tracing, true); err != nil {
			return err
		}
		scans := scan.New(scan.Options{
			DB: s.DB, Workers: 1, Now: time.Now, Log: log,
			Trace: func(ctx context.Context, name string) (context.Context, func(error)) { return tracing.Span(ctx, name) },
		})
		_, err = scans.Run(ctx, nil)
		return errors.Join(err, s.Ping(ctx)) // which belongs to no trace
	})
	if len(collector.traces) != 1 {
		t.Fatalf("traces %v", collector.traces)
	}
	for _, names := range collector.traces {
		if len(names) != 3 || !names["scan"] || !names["query oauth_tokens"] || !names["row oauth_tokens"] {
			t.Errorf("spans %v", names)
		}
	}
}

func TestServeRefusesTracingItDoesNotKnow(t *testing.T) {
	newCollector(t)
	t.Setenv("OTEL_TRACES_EXPORTER", "zipkin")
	if _, err := command(t, environ(t), "serve"); err == nil || !strings.Contains(err.Error(), "OTEL_TRACES_EXPORTER: ") {
		t.Errorf("error %v", err)
	}
}
