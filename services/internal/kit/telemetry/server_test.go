package telemetry

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"backend.example/services/internal/kit/fault"
)

func TestServerSpans(t *testing.T) {
	tests := []struct {
		method, target string
		name, status   string
		errorType      string
		failed         bool
	}{
		{"GET", "/oauth/callback/search?code=" + secret, "GET /oauth/callback/:provider", "302", "", false},
		{"POST", "/refused", "POST /refused", "429", "limited", false},
		{"GET", "/broken", "GET /broken", "500", "*errors.errorString", true},
		{"GET", "/panics", "GET /panics", "500", "*errors.errorString", true},
		{"GET", "/nothing/" + secret, "GET", "404", "*echo.HTTPError", false},
		{"BREW", "/" + secret, "_OTHER", "404", "*echo.HTTPError", false},
	}
	for _, test := range tests {
		t.Run(test.method+" "+test.target, func(t *testing.T) {
			r := record(t)
			e := r.echo()
			e.GET("/oauth/callback/:provider", func(c echo.Context) error { return c.Redirect(http.StatusFound, "/?"+secret) })
			e.POST("/refused", func(echo.Context) error { return fault.New(fault.Limited, "limited", "Limit.") })
			e.GET("/broken", func(echo.Context) error { return io.EOF })
			e.GET("/panics", func(echo.Context) error { panic(secret) })
			answer := httptest.NewRecorder()
			e.ServeHTTP(answer, httptest.NewRequest(test.method, test.target, nil))

			span := r.only(t)
			got := attributes(span)
			if span.Name != test.name || span.SpanKind != trace.SpanKindServer || span.Parent.IsValid() {
				t.Errorf("span %q of kind %v, parent %v", span.Name, span.SpanKind, span.Parent)
			}
			if got["http.response.status_code"] != test.status || got["error.type"] != test.errorType {
				t.Errorf("attributes %v", got)
			}
			if id := answer.Header().Get("X-Request-Id"); id == "" || got["request_id"] != id {
				t.Errorf("request_id %q, answer's %q", got["request_id"], id)
			}
			if failed := span.Status.Code == codes.Error; failed != test.failed || span.Status.Description != "" {
				t.Errorf("status %+v", span.Status)
			}
			if route := got["http.route"]; route != strings.TrimPrefix(strings.TrimPrefix(test.name, test.method), " ") && route != "" {
				t.Errorf("route %q", route)
			}
		})
	}
}

// TestTraceGoesOn: the caller's trace, and what happens on behalf of the request.
func TestTraceGoesOn(t *testing.T) {
	const parent = "4bf92f3577b34da6a3ce929d0e0e4736"
	for name, header := range map[string]string{
		"of a caller":        "00-" + parent + "-00f067aa0ba902b7-01",
		"of nobody":          "",
		"of a broken header": "00-" + parent + "-xyz-01",
	} {
		t.Run(name, func(t *testing.T) {
			r := record(t)
			e := r.echo()
			e.GET("/it", func(c echo.Context) error {
				_, end := r.Span(c.Request().Context(), "inner")
				end(nil)
				return io.EOF
			})
			request := httptest.NewRequest(http.MethodGet, "/it", nil)
			request.Header.Set("Traceparent", header)
			e.ServeHTTP(httptest.NewRecorder(), request)

			spans := r.spans.GetSpans()
			if len(spans) != 2 || spans[0].Name != "inner" || spans[0].Parent.SpanID() != spans[1].SpanContext.SpanID() {
				t.Fatalf("spans %+v", spans)
			}
			id := spans[1].SpanContext.TraceID().String()
			if (id == parent) != (name == "of a caller") {
				t.Errorf("trace %s", id)
			}
			if want := `"trace_id":"` + id + `","span_id":"` + spans[1].SpanContext.SpanID().String(); !strings.Contains(r.log.String(), want) {
				t.Errorf("logged %s, want %s", &r.log, want)
			}
		})
	}
}

func TestUnsampledCallerIsNotTraced(t *testing.T) {
	r := record(t)
	e := r.echo()
	request := httptest.NewRequest(http.MethodGet, "/it", nil)
	request.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")
	e.ServeHTTP(httptest.NewRecorder(), request)
	if spans := r.spans.GetSpans(); len(spans) != 0 {
		t.Errorf("spans %+v", spans)
	}
}

func TestAbortEndsTheSpan(t *testing.T) {
	r := record(t)
	e := r.echo()
	e.GET("/it", func(echo.Context) error { panic(http.ErrAbortHandler) })
	func() {
		defer func() { _ = recover() }()
		e.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/it", nil))
	}()
	if span := r.only(t); span.Name != "GET /it" {
		t.Errorf("span %q", span.Name)
	}
}
