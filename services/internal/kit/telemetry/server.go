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

// Serve traces every request to e as part of the trace in its W3C traceparent header. The
// error handler of e must be set before. A span has the name of the route, the request id
// as request_id and, for an error, its code as error.type. Log lines and calls with the
// context of a request belong to its trace.
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

// finish adds the attributes that are known after the response.
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

// methodOf returns a standard method or "_OTHER" (semantic conventions), because clients may
// send any method.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	}
	return "_OTHER"
}
