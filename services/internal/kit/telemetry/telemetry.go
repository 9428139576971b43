// Package telemetry traces requests, outgoing calls and other work with OpenTelemetry, configured by the standard
// OTEL_* variables. Spans never contain queries, bodies, headers, raw paths or the texts of errors, because these
// may contain credentials.
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

// Tracing creates spans and sends them to a collector. If it is nil, tracing is off and methods do nothing.
type Tracing struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// Start returns nil if the OTEL_* variables do not turn tracing on. An error names the invalid variable without
// its value, which may contain a password. Start sets the global error handler and logger of the OpenTelemetry SDK:
// later failures are logged as warnings, at most once a minute, and never fail a request.
func Start(ctx context.Context, service string, b build.Info, log *slog.Logger) (*Tracing, error) {
	to, on, err := readTarget()
	if !on {
		return nil, err
	}
	// The exporter also reads variables that those for traces override, and would log an invalid value, which may be
	// a secret.
	otel.SetLogger(logr.Discard())
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, IdleConnTimeout: 90 * time.Second}
	exporter, err := newExporter(ctx, to, service+"/"+b.Version, transport)
	if err != nil {
		return nil, err
	}
	otel.SetErrorHandler(&reporter{log: log})
	otel.SetLogger(logr.FromSlogHandler(log.Handler()))
	source, err := resource.New(ctx, resource.WithHost(), resource.WithTelemetrySDK(),
		resource.WithAttributes(semconv.ServiceName(service), semconv.ServiceVersion(b.Version)),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	return newTracing(sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(source))), nil
}

func newTracing(provider *sdk.TracerProvider) *Tracing {
	return &Tracing{provider: provider, tracer: provider.Tracer("backend.example/services/internal/kit/telemetry")}
}

// Provider is for libraries that start their own spans. It must not be called if tracing is off.
func (t *Tracing) Provider() trace.TracerProvider { return t.provider }

// On reports whether tracing is on.
func (t *Tracing) On() bool { return t != nil }

const flushTimeout = 5 * time.Second

// Stop sends the remaining spans within flushTimeout and the deadline of ctx.
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

// Span starts a span for other work, which uses the returned context. The caller ends the span with the error of
// the work, whose text is not recorded.
func (t *Tracing) Span(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context,
	func(error)) {
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

// fail does not record the text of err, which may contain a URL with a token.
func fail(span trace.Span, err error) {
	span.SetStatus(codes.Error, "")
	span.SetAttributes(semconv.ErrorTypeKey.String(errorType(err)))
}

// errorType returns the code of a fault, "canceled", "timeout", or the type of the innermost cause.
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

// Logger adds trace_id and span_id to lines with the context of a traced request.
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

const reportEvery = time.Minute

// reporter limits the rate of log lines: while a collector is unreachable, every batch fails.
type reporter struct {
	log     *slog.Logger
	mu      sync.Mutex
	last    time.Time
	skipped int // since the last line
}

// Handle implements otel.ErrorHandler.
func (r *reporter) Handle(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.last) < reportEvery {
		r.skipped++
		return
	}
	r.log.Warn("tracing", "error", err, "not_logged", r.skipped)
	r.last, r.skipped = time.Now(), 0
}
