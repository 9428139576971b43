package telemetry

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

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

// secret stands in everything that must not be recorded.
const secret = "4%2F0AeanS0a"

// recorded is a Tracing whose spans are kept.
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

// echo is a service's echo instance with tracing.
func (r *recorded) echo() *echo.Echo {
	log := r.Logger(slog.New(slog.NewJSONHandler(&r.log, nil)))
	e := httpx.New(log, httpx.NewMetrics(prometheus.NewRegistry(), "demo"), 16, func(f *fault.Error) any { return f.Code })
	r.Serve(e)
	return e
}

// only returns the one span that has ended.
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

// attributes gives those of span as text.
func attributes(span tracetest.SpanStub) map[string]string {
	all := map[string]string{}
	for _, a := range span.Attributes {
		all[string(a.Key)] = a.Value.String()
	}
	return all
}

// setEnviron leaves of the OTEL_ variables only those in pairs ("NAME=value").
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

// collector takes what exporters send.
type collector struct {
	*httptest.Server
	mu   sync.Mutex
	path string
	got  bytes.Buffer
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.path = r.URL.Path
		if _, err := io.Copy(&c.got, r.Body); err != nil && !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// received returns the path asked for last and all that came.
func (c *collector) received() (path, content string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.path, c.got.String()
}
