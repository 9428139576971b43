package telemetry

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"
)

// Serve makes e, which must have its error handler already, trace every request as
// part of the trace in the caller's W3C traceparent header. A span has the name of
// the route, the id of the request as request_id and, when the answer is an error,
// its code as error.type. Lines and calls with the context of a request belong to
// its trace.
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

// finish adds to span what is known after the answer is written.
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

// methodOf bounds the names of spans, since clients may invent methods. Those have
// the name that the semantic conventions give them.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	}
	return "_OTHER"
}
