package telemetry

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

// secret is part of all data that must not be recorded.
const secret = "4%2F0AeanS0a"

// recorded is a Tracing that records its spans.
type recorded struct {
	*Tracing
	spans *tracetest.InMemoryExporter
	log   bytes.Buffer
}

func record(t *testing.T) *recorded {
	t.Helper()
	spans := tracetest.NewInMemoryExporter()
	return &recorded{Tracing: newTracing(sdk.NewTracerProvider(sdk.WithSyncer(spans))), spans: spans}
}

// echo returns an echo instance with tracing.
func (r *recorded) echo() *echo.Echo {
	log := r.Logger(slog.New(slog.NewJSONHandler(&r.log, nil)))
	e := httpx.New(httpx.Options{
		Log: log, Metrics: httpx.NewMetrics(prometheus.NewRegistry(), "demo"), BodyLimit: 16,
		ErrorBody: func(f *fault.Error) any { return f.Code },
	})
	r.Serve(e)
	return e
}

// only returns the single span that has ended.
func (r *recorded) only(t *testing.T) tracetest.SpanStub {
	t.Helper()
	spans := r.spans.GetSpans()
	if len(spans) != 1 {
		t.Fatalf("%d spans, want one: %+v", len(spans), spans)
	}
	requireNoSecret(t, spans[0])
	return spans[0]
}

func requireNoSecret(t *testing.T, span tracetest.SpanStub) {
	t.Helper()
	content, err := json.Marshal(span)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(content), secret) {
		t.Errorf("the span holds the secret: %s", content)
	}
}

// attributes returns the attributes of span as text.
func attributes(span tracetest.SpanStub) map[string]string {
	all := map[string]string{}
	for _, a := range span.Attributes {
		all[string(a.Key)] = a.Value.String()
	}
	return all
}

// setEnviron sets the OTEL_ variables to pairs ("NAME=value").
func setEnviron(t *testing.T, pairs ...string) {
	t.Helper()
	for _, pair := range append(os.Environ(), pairs...) {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "OTEL_") {
			t.Setenv(name, "")
		}
	}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
}

// collector records the last request and all bodies.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	request *http.Request
	got     bytes.Buffer
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.request = r
		var in io.Reader = r.Body
		if r.Header.Get("Content-Encoding") == "gzip" {
			unpacked, err := gzip.NewReader(r.Body)
			if err != nil {
				t.Error(err)
				return
			}
			in = unpacked
		}
		if _, err := io.Copy(&c.got, in); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// received returns all bodies, in which texts are readable in JSON and in Protocol Buffers.
func (c *collector) received() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got.String()
}

// traceOnce traces one span with the given variables, and stops. It returns the log of all
// levels.
func traceOnce(t *testing.T, environ ...string) (logged string) {
	t.Helper()
	setEnviron(t, environ...)
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.Level(-100)}))
	tracing, err := Start(t.Context(), "demo", build.Info{Version: "v1.4.0"}, log)
	if err != nil {
		t.Fatal(err)
	}
	_, end := tracing.Span(t.Context(), "last work")
	end(nil)
	tracing.Stop(t.Context(), log)
	return out.String()
}
