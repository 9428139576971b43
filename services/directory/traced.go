package main

import (
	"context"

	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
	"backend.example/services/internal/kit/telemetry"
)

// traceStore makes a span of each statement that belongs to a trace. The probes of
// the health check and the tidying belong to none.
func traceStore(s *store.Store, tracing *telemetry.Tracing, embedded bool) error {
	if !tracing.On() {
		return nil
	}
	system := semconv.DBSystemNamePostgreSQL
	if embedded {
		system = semconv.DBSystemNameSQLite
	}
	return s.Trace(func(ctx context.Context, name string) (context.Context, func(error)) {
		if !trace.SpanContextFromContext(ctx).IsValid() {
			return ctx, func(error) {}
		}
		return tracing.Span(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(system))
	})
}

// tracedScans makes each scan a trace of its own.
type tracedScans struct {
	directory.ScanStore
	tracing *telemetry.Tracing
}

// Exclusively implements directory.ScanStore.
func (s tracedScans) Exclusively(ctx context.Context, name string, fn func(context.Context) error) (bool, error) {
	return s.ScanStore.Exclusively(ctx, name, func(ctx context.Context) (err error) {
		ctx, end := s.tracing.Span(ctx, name)
		defer func() { end(err) }()
		return fn(ctx)
	})
}
