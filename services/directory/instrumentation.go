package main

import (
	"context"

	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/store"
	"backend.example/services/internal/kit/telemetry"
)

// instrument counts the calls of those abilities of a provider that alerts watch.
func (m *metrics) instrument(p provider.Name, abilities connection.Abilities) connection.Abilities {
	source := string(p)
	abilities.Refresh = instrumented(m, source, "refresh", abilities.Refresh)
	return abilities
}

// instrumented counts the outcomes of a call.
func instrumented[In, Out any](m *metrics, source, name string, call func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	m.startCall(source, name)
	return func(ctx context.Context, in In) (Out, error) {
		out, err := call(ctx, in)
		m.called(source, name, err)
		return out, err
	}
}

// instrumentedRead is instrumented for a read by id with a token.
func instrumentedRead[Out any](m *metrics, source, name string, read func(ctx context.Context, token, id string) (Out, error)) func(ctx context.Context, token, id string) (Out, error) {
	m.startCall(source, name)
	return func(ctx context.Context, token, id string) (Out, error) {
		out, err := read(ctx, token, id)
		m.called(source, name, err)
		return out, err
	}
}

// traceStore makes a span of each statement that belongs to a trace. Health checks
// and clean-up belong to none.
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
