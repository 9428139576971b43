package telemetry

import (
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"
)

// Serve traces requests to e, whose error handler must be set before, as part of the trace in the W3C traceparent
// header. A span has the route as its name, request_id, and for an error its code as error.type. Log lines and
// calls with the context of a request belong to its trace.
func (t *Tracing) Serve(e *echo.Echo) {
	if t == nil {
		return
	}
	e.Pre(t.serve) // outside the middleware that turns an error into a status
	answer := e.HTTPErrorHandler
	e.HTTPErrorHandler = func(err error, c echo.Context) {
		trace.SpanFromContext(c.Request().Context()).SetAttributes(semconv.ErrorTypeKey.String(errorType(err)))
		answer(err, c)
	}
}

func (t *Tracing) serve(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := t.tracer.Start(ctx, methodOf(r), trace.WithSpanKind(trace.SpanKindServer))
		defer span.End()
		defer finish(span, c)
		c.SetRequest(r.WithContext(ctx))
		return next(c)
	}
}

func finish(span trace.Span, c echo.Context) {
	method, status := methodOf(c.Request()), c.Response().Status
	span.SetAttributes(semconv.HTTPRequestMethodKey.String(method), semconv.HTTPResponseStatusCode(status),
		attribute.String("request_id", c.Response().Header().Get(echo.HeaderXRequestID)))
	if route := c.Path(); route != "" {
		span.SetName(method + " " + route)
		span.SetAttributes(semconv.HTTPRoute(route))
	}
	if status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
}

// methodOf returns "_OTHER" for unknown methods (semantic conventions), because clients may send any.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return r.Method
	}
	return "_OTHER"
}

// Transport returns next with a span for every call, until the response body is closed. The span contains neither
// path nor query, which may contain tokens and personal data. The call has no traceparent header, because it goes
// to another company.
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
	if port, _ := strconv.Atoi(r.URL.Port()); port > 0 {
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
