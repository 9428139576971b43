package telemetry

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel"

	"backend.example/services/internal/kit/build"
)

func TestWhenToTrace(t *testing.T) {
	tests := []struct {
		environ string
		on      bool
		problem string // beginning of the error
	}{
		{"", false, ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318", true, ""},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://collector/v1/traces", true, ""},
		{"OTEL_TRACES_EXPORTER=otlp", true, ""},
		{"OTEL_TRACES_EXPORTER=none OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318", false, ""},
		{"OTEL_SDK_DISABLED=TRUE OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318", false, ""},
		{"OTEL_TRACES_EXPORTER=zipkin", false, "OTEL_TRACES_EXPORTER: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=grpc", false, "OTEL_EXPORTER_OTLP_PROTOCOL: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=http/json", true, ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318", false, "OTEL_EXPORTER_OTLP_ENDPOINT: "},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=ftp://user:" + secret + "@collector", false, "OTEL_EXPORTER_OTLP_ENDPOINT: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_TIMEOUT=10s", false, "OTEL_EXPORTER_OTLP_TIMEOUT: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_COMPRESSION=zstd", false, "OTEL_EXPORTER_OTLP_COMPRESSION: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_HEADERS=" + secret, false, "OTEL_EXPORTER_OTLP_HEADERS: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_HEADERS=key=" + secret + "%", false,
			"OTEL_EXPORTER_OTLP_HEADERS: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_TRACES_HEADERS=the:key=" + secret, false,
			"OTEL_EXPORTER_OTLP_TRACES_HEADERS: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_RESOURCE_ATTRIBUTES=nothing", false, "OTEL_RESOURCE_ATTRIBUTES: "},
	}
	for _, test := range tests {
		t.Run(test.environ, func(t *testing.T) {
			setEnviron(t, strings.Fields(test.environ)...)
			tracing, err := Start(t.Context(), "demo", build.Info{}, slog.New(slog.DiscardHandler))
			if tracing.On() != test.on || (err != nil) != (test.problem != "") {
				t.Fatalf("on %t, error %v", tracing.On(), err)
			}
			if err != nil && (!strings.HasPrefix(err.Error(), test.problem) || strings.Contains(err.Error(), secret)) {
				t.Errorf("error %q, want %q and no value", err, test.problem)
			}
			tracing.Stop(t.Context(), slog.New(slog.DiscardHandler))
		})
	}
}

func TestOffChangesNothing(t *testing.T) {
	setEnviron(t)
	before := runtime.NumGoroutine()
	off, err := Start(t.Context(), "demo", build.Info{}, slog.New(slog.DiscardHandler))
	if err != nil || off.On() || runtime.NumGoroutine() != before {
		t.Fatalf("on %t, error %v, %d goroutines more", off.On(), err, runtime.NumGoroutine()-before)
	}
	if got := off.Transport(http.DefaultTransport); got != http.DefaultTransport {
		t.Errorf("transport %T", got)
	}
	log := slog.New(slog.DiscardHandler)
	if off.Logger(log) != log {
		t.Error("another logger")
	}
	ctx, end := off.Span(t.Context(), "work")
	if end(nil); ctx != t.Context() {
		t.Error("another context")
	}
	off.Stop(t.Context(), log)

	e := echo.New()
	var seen context.Context
	e.GET("/it", func(c echo.Context) error { seen = c.Request().Context(); return c.NoContent(http.StatusNoContent) })
	off.Serve(e)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/it", nil)
	e.ServeHTTP(httptest.NewRecorder(), request)
	if seen != t.Context() {
		t.Error("the request has another context")
	}
}

func TestStopSendsRemainingSpans(t *testing.T) {
	c := newCollector(t)
	traceOnce(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=staging")
	for _, want := range []string{"last work", "demo", "v1.4.0", "staging"} {
		if !strings.Contains(c.received(), want) {
			t.Errorf("sent without %q", want)
		}
	}
}

// This includes the lines of the SDK and the exporter about overridden variables.
func TestLogContainsNoKey(t *testing.T) {
	c := newCollector(t)
	var before bytes.Buffer // logged before Start has set the service's own logger
	otel.SetLogger(logr.FromSlogHandler(slog.NewJSONHandler(&before, &slog.HandlerOptions{Level: slog.Level(-100)})))
	const spans = "OTEL_EXPORTER_OTLP_"
	logged := traceOnce(t, spans+"TRACES_ENDPOINT="+strings.Replace(c.URL, "//", "//user:"+secret+"@", 1),
		spans+"TRACES_HEADERS=key="+secret+",also="+secret,
		spans+"ENDPOINT=http://"+secret+"%", spans+"HEADERS="+secret)
	for _, form := range []string{secret, "4/0AeanS0a"} {
		if logged == "" || strings.Contains(logged+before.String(), form) {
			t.Errorf("logged %s, and before %s", logged, &before)
		}
	}
}

// Derived loggers add the id, too. Lines without a trace have none.
func TestLoggerAddsTraceID(t *testing.T) {
	r := record(t)
	ctx, end := r.Span(t.Context(), "work")
	defer end(nil)
	var out bytes.Buffer
	log := r.Logger(slog.New(slog.NewTextHandler(&out, nil)))
	for name, log := range map[string]*slog.Logger{"itself": log, "attributes": log.With("a", 1),
		"group": log.WithGroup("g")} {
		out.Reset()
		if log.InfoContext(ctx, "traced"); !strings.Contains(out.String(), "trace_id=") {
			t.Errorf("%s: logged %s", name, &out)
		}
		out.Reset()
		if log.InfoContext(t.Context(), "not traced"); strings.Contains(out.String(), "trace_id=") {
			t.Errorf("%s: logged %s", name, &out)
		}
	}
}
