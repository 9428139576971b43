package telemetry

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"

	"backend.example/services/internal/kit/fault"
)

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
