package app

import (
	"bytes"
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
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
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
	p := start(t, provider.settings)
	b := login(t, p.url, "biuro@demo.example")
	b.authorize(t, profilePair)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+"/api/oauth/provider_search/discover-locations", nil)
	ok(t, err)
	request.Header.Set("Traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
	answer, err := b.Do(request)
	if status, content := read(t, answer, err); status != http.StatusOK {
		t.Fatal(status, content)
	}
	p.end(t)

	ok(t, collector.err)
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
	requireAbsent(t, spans, "access-1", "refresh-1", "code-1", "search-secret", "places-key", cli.DemoPassword, "biuro@demo", "SELECT", "INSERT", "state=")
}

func TestScanIsATrace(t *testing.T) {
	collector := newCollector(t)
	settings, _ := newDirectory(t)
	cfg, s, err := openDatabase(t.Context(), settings, cli.Change)
	ok(t, err)
	log := slog.New(slog.DiscardHandler)
	tracing, err := telemetry.Start(t.Context(), "directory", build.Info{}, log)
	ok(t, err)
	ok(t, traceStore(s, tracing, true))
	a, err := New(cfg, s, Options{Build: thisBuild(), Log: log, Tracing: tracing, Now: time.Now})
	ok(t, err)
	_, err = a.Scan.Run(t.Context(), nil)
	ok(t, errors.Join(err, s.Ping(t.Context()), s.Close())) // a ping belongs to no trace
	tracing.Stop(t.Context(), log)
	if len(collector.traces) != 1 {
		t.Fatalf("traces %v", collector.traces)
	}
	for _, names := range collector.traces {
		if len(names) != 4 || !names["scan"] || !names["query oauth_tokens"] || !names["row oauth_tokens"] {
			t.Errorf("spans %v", names)
		}
	}
}

func TestServeRefusesTracingItDoesNotKnow(t *testing.T) {
	newCollector(t)
	t.Setenv("OTEL_TRACES_EXPORTER", "zipkin")
	requireRefused(t, environ(t), 1, map[string]string{"serve": "OTEL_TRACES_EXPORTER: "})
}
