// Package telemetry traces a service with OpenTelemetry, as the standard OTEL_*
// variables say: the requests that it answers, the calls that it makes, and other
// work for which the service begins a span.
//
// Tracing is off unless a variable turns it on. It is then a nil *Tracing, whose
// methods install nothing, start no goroutine and cost nothing.
//
// Spans never hold queries, bodies, headers, raw paths or the texts of errors,
// because any of these may hold a credential. Metrics are in package httpx.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"

	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/fault"
)

// Tracing makes spans and sends them to a collector; nil makes none.
type Tracing struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// Start reads the OTEL_* variables of the process and returns nil when tracing is
// off. Spans belong to the given service, unless OTEL_SERVICE_NAME names another. An
// error names the invalid variable without its value, which may hold a password.
//
// Later failures, such as a collector that is away, are logged as warnings, once a
// minute at most, and never fail a request. Start therefore sets the error handler
// and the logger of the OpenTelemetry SDK, of which a process has one.
func Start(ctx context.Context, service string, b build.Info, log *slog.Logger) (*Tracing, error) {
	to, on, err := readTarget()
	if err != nil || !on {
		return nil, err
	}
	// The exporter also reads variables that another one overrides. It would log a value
	// there that it does not understand, which may be a secret.
	otel.SetLogger(logr.Discard())
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: 90 * time.Second}
	exporter, err := newExporter(ctx, to, service+"/"+b.Version, transport)
	if err != nil {
		return nil, err
	}
	otel.SetErrorHandler(&reporter{log: log})
	otel.SetLogger(logr.FromSlogHandler(log.Handler()))
	source, err := resource.New(ctx, resource.WithHost(), resource.WithTelemetrySDK(),
		resource.WithAttributes(semconv.ServiceName(service), semconv.ServiceVersion(b.Version)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	return newTracing(sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(source))), nil
}

func newTracing(provider *sdk.TracerProvider) *Tracing {
	return &Tracing{provider: provider, tracer: provider.Tracer("backend.example/services/internal/kit/telemetry")}
}

// Provider is for libraries that begin their own spans. It must not be called when
// tracing is off, see On.
func (t *Tracing) Provider() trace.TracerProvider { return t.provider }

// On reports whether there is tracing.
func (t *Tracing) On() bool { return t != nil }

// flushTimeout bounds the wait for a collector when the process ends.
const flushTimeout = 5 * time.Second

// Stop sends the remaining spans within flushTimeout and the time of ctx. Spans that
// the collector has not taken by then are lost.
func (t *Tracing) Stop(ctx context.Context, log *slog.Logger) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		log.WarnContext(ctx, "last spans not sent", "error", err)
	}
}

// Span begins a span of any other work. The caller does the work with the returned
// context and ends the span with the error of the work, whose text is not recorded.
func (t *Tracing) Span(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, func(error)) {
	if t == nil {
		return ctx, func(error) {}
	}
	ctx, span := t.tracer.Start(ctx, name, options...)
	return ctx, func(err error) {
		if err != nil {
			fail(span, err)
		}
		span.End()
	}
}

// fail marks span as failed. It does not record the text of err, which may hold an
// address with a token in it.
func fail(span trace.Span, err error) {
	span.SetStatus(codes.Error, "")
	span.SetAttributes(semconv.ErrorTypeKey.String(errorType(err)))
}

// errorType classifies err: the code of a fault, canceled, timeout, or the type of
// the innermost cause.
func errorType(err error) string {
	var f *fault.Error
	var slow interface{ Timeout() bool }
	switch {
	case errors.As(err, &f):
		return f.Code
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.As(err, &slow) && slow.Timeout():
		return "timeout"
	}
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		err = cause
	}
	return fmt.Sprintf("%T", err)
}

// Logger returns log with trace_id and span_id in the lines that are logged with the
// context of a traced request.
func (t *Tracing) Logger(log *slog.Logger) *slog.Logger {
	if t == nil {
		return log
	}
	return slog.New(handler{log.Handler()})
}

type handler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name)} }

// reportEvery is the shortest time between two lines about failures of tracing.
const reportEvery = time.Minute

// reporter logs failures of tracing, but not all of them: while a collector is away,
// every batch fails.
type reporter struct {
	log     *slog.Logger
	mu      sync.Mutex
	last    time.Time
	skipped int // errors since the last line
}

// Handle implements otel.ErrorHandler.
func (r *reporter) Handle(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.last.IsZero() && time.Since(r.last) < reportEvery {
		r.skipped++
		return
	}
	r.log.Warn("tracing", "error", err, "not_logged", r.skipped)
	r.last, r.skipped = time.Now(), 0
}
