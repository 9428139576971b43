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

	"github.com/labstack/echo/v4"

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
		{"OTEL_SDK_DISABLED=true OTEL_TRACES_EXPORTER=zipkin", false, ""},
		{"OTEL_SDK_DISABLED=no OTEL_TRACES_EXPORTER=otlp", true, ""},
		{"OTEL_SERVICE_NAME=shop OTEL_TRACES_SAMPLER=always_on OTEL_METRICS_EXPORTER=otlp", false, ""},
		{"OTEL_TRACES_EXPORTER=zipkin", false, "OTEL_TRACES_EXPORTER: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=grpc", false, "OTEL_EXPORTER_OTLP_PROTOCOL: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", true, ""},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=http/json", true, ""},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=grpc OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json", true, ""},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=http/json OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc", false, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318", false, "OTEL_EXPORTER_OTLP_ENDPOINT: "},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://", false, "OTEL_EXPORTER_OTLP_ENDPOINT: "},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=ftp://user:" + secret + "@collector", false, "OTEL_EXPORTER_OTLP_ENDPOINT: "},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=" + secret, false, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_TIMEOUT=10s", false, "OTEL_EXPORTER_OTLP_TIMEOUT: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_TIMEOUT=0", false, "OTEL_EXPORTER_OTLP_TIMEOUT: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_COMPRESSION=zstd", false, "OTEL_EXPORTER_OTLP_COMPRESSION: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_HEADERS=" + secret, false, "OTEL_EXPORTER_OTLP_HEADERS: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_HEADERS=key=" + secret + "%0a", false, "OTEL_EXPORTER_OTLP_HEADERS: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_TRACES_HEADERS=the:key=" + secret, false, "OTEL_EXPORTER_OTLP_TRACES_HEADERS: "},
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

// TestOffIsNothing: without tracing everything is as if the package were not there.
func TestOffIsNothing(t *testing.T) {
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

// TestStopSendsTheRest: as the service, with the version of the build.
func TestStopSendsTheRest(t *testing.T) {
	c := newCollector(t)
	traceOnce(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=staging")
	for _, want := range []string{"last work", "demo", "v1.4.0", "staging"} {
		if !strings.Contains(c.received(), want) {
			t.Errorf("sent without %q", want)
		}
	}
}

// TestStopDoesNotHang: a collector that never answers costs no more than the time
// there is, and is told of in the log.
func TestStopDoesNotHang(t *testing.T) {
	asked, open := make(chan struct{}), make(chan struct{})
	stuck := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(asked); <-open }))
	defer stuck.Close()
	defer close(open)
	setEnviron(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+stuck.URL)
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, nil))
	tracing, err := Start(t.Context(), "demo", build.Info{}, log)
	if err != nil {
		t.Fatal(err)
	}
	_, end := tracing.Span(t.Context(), "last work")
	end(nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	tracing.Stop(ctx, log)
	if !strings.Contains(out.String(), "last spans not sent") {
		t.Errorf("logged %q", &out)
	}
}

// TestLogHoldsNoKey: not even the lines of the SDK and the exporter, at the lowest
// level, about a variable that another one overrides.
func TestLogHoldsNoKey(t *testing.T) {
	c := newCollector(t)
	const spans = "OTEL_EXPORTER_OTLP_"
	logged := traceOnce(t, spans+"TRACES_ENDPOINT="+strings.Replace(c.URL, "//", "//user:"+secret+"@", 1), spans+"TRACES_HEADERS=key="+secret+",also="+secret,
		spans+"ENDPOINT=http://"+secret+"%", spans+"HEADERS="+secret)
	for _, form := range []string{secret, "4/0AeanS0a"} {
		if logged == "" || strings.Contains(logged, form) {
			t.Errorf("logged %s", logged)
		}
	}
}
