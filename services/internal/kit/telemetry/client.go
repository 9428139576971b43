package telemetry

import (
	"errors"
	"io"
	"net/http"
	"strconv"

	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"
)

// Transport returns next with a span for every call, which ends when the response body is
// closed. The span contains the method, the host and the status, but neither path nor
// query, which may contain tokens and personal data. The call has no traceparent header,
// because it goes to another company.
func (t *Tracing) Transport(next http.RoundTripper) http.RoundTripper {
	if t == nil {
		return next
	}
	return &transport{next: next, tracer: t.tracer}
}

type transport struct {
	next   http.RoundTripper
	tracer trace.Tracer
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	host := r.URL.Hostname()
	ctx, span := t.tracer.Start(r.Context(), r.Method+" "+host, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(semconv.HTTPRequestMethodKey.String(r.Method), semconv.ServerAddress(host)))
	if port, err := strconv.Atoi(r.URL.Port()); err == nil {
		span.SetAttributes(semconv.ServerPort(port))
	}
	resp, err := t.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		fail(span, err)
		span.End()
		return nil, err
	}
	span.SetAttributes(semconv.HTTPResponseStatusCode(resp.StatusCode))
	if resp.StatusCode >= http.StatusBadRequest {
		span.SetStatus(codes.Error, "")
	}
	resp.Body = &body{ReadCloser: resp.Body, span: span}
	return resp, nil
}

// body ends its span when it is closed.
type body struct {
	io.ReadCloser
	span trace.Span
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		fail(b.span, err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error {
	defer b.span.End()
	return b.ReadCloser.Close()
}
