package telemetry

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

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
			e.GET("/oauth/callback/:provider", func(c echo.Context) error {
				return c.Redirect(http.StatusFound, "/?"+secret)
			})
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
			if route := got["http.route"]; route != strings.TrimPrefix(
				strings.TrimPrefix(strings.TrimPrefix(test.name, "_OTHER"), test.method), " ",
			) {
				t.Errorf("route %q", route)
			}
		})
	}
}

func TestTraceContinuesTheCallers(t *testing.T) {
	const parent = "4bf92f3577b34da6a3ce929d0e0e4736"
	for name, header := range map[string]string{
		"of a caller":        "00-" + parent + "-00f067aa0ba902b7-01",
		"of no caller":       "",
		"of a broken header": "00-" + parent + "-xyz-01",
		"not sampled":        "00-" + parent + "-00f067aa0ba902b7-00",
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
			if name == "not sampled" && len(spans) == 0 {
				return
			}
			if len(spans) != 2 || spans[0].Name != "inner" ||
				spans[0].Parent.SpanID() != spans[1].SpanContext.SpanID() {
				t.Fatalf("spans %+v", spans)
			}
			id := spans[1].SpanContext.TraceID().String()
			if (id == parent) != (name == "of a caller") {
				t.Errorf("trace %s", id)
			}
			if want := `"trace_id":"` + id + `","span_id":"` + spans[1].SpanContext.SpanID().
				String(); !strings.Contains(r.log.String(), want) {
				t.Errorf("logged %s, want %s", &r.log, want)
			}
		})
	}
}

func TestClientSpans(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Traceparent") != "" {
			t.Errorf("the trace context is sent to another company: %v", r.Header)
		}
		if status, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/refused/")); err == nil {
			w.WriteHeader(status)
		}
		_, _ = w.Write([]byte("answer"))
	}))
	defer upstream.Close()
	port := upstream.URL[strings.LastIndex(upstream.URL, ":")+1:]
	for path, want := range map[string]struct {
		status string
		code   codes.Code
	}{
		"/me?access_token=" + secret: {"200", codes.Unset},
		"/refused/399":               {"399", codes.Unset},
		"/refused/400":               {"400", codes.Error},
	} {
		r := record(t)
		ctx, end := r.Span(t.Context(), "work")
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, upstream.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := (&http.Client{Transport: r.Transport(http.DefaultTransport)}).Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if content, err := io.ReadAll(iotest.OneByteReader(answer.Body)); string(content) != "answer" || err != nil ||
			len(r.spans.GetSpans()) != 0 {
			t.Errorf("read %q, %v; %d spans have ended before the body was closed", content, err,
				len(r.spans.GetSpans()))
		}
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
		span := r.only(t)
		got := attributes(span)
		if span.Name != "GET 127.0.0.1" || got["http.request.method"] != "GET" {
			t.Fatalf("%s: span %q, status %v, attributes %v", path, span.Name, span.Status, got)
		}
		if span.SpanKind != trace.SpanKindClient || span.Status.Code != want.code {
			t.Fatalf("%s: span %q, status %v, attributes %v", path, span.Name, span.Status, got)
		}
		if got["server.address"] != "127.0.0.1" || got["server.port"] != port {
			t.Fatalf("%s: span %q, status %v, attributes %v", path, span.Name, span.Status, got)
		}
		if got["http.response.status_code"] != want.status {
			t.Errorf("%s: span %q, status %v, attributes %v", path, span.Name, span.Status, got)
		}
		end(nil)
		if parent := r.spans.GetSpans()[1]; span.Parent.SpanID() != parent.SpanContext.SpanID() ||
			parent.Status.Code != codes.Unset {
			t.Errorf("%s: not within the work's span, or that is %v", path, parent.Status)
		}
	}
}

type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

type breaking struct{ err error }

func (b breaking) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: struct {
		io.Reader
		io.Closer
	}{io.MultiReader(strings.NewReader("half"), b), b}}, nil
}

func (b breaking) Read([]byte) (int, error) { return 0, b.err }

func (b breaking) Close() error { return b.err }

func TestFailedCalls(t *testing.T) {
	cause := fmt.Errorf("Get https://graph.example/?access_token=%s: %w", secret,
		&net.OpError{Op: "dial", Err: errors.New("refused")})
	for name, next := range map[string]http.RoundTripper{
		"no answer": failing{cause}, "broken answer": breaking{cause},
	} {
		r := record(t)
		answer, err := r.Transport(next).RoundTrip(httptest.NewRequest(http.MethodGet, "http://graph.example/", nil))
		if err == nil {
			_, err = io.ReadAll(answer.Body)
			if closed := answer.Body.Close(); !errors.Is(closed, cause) {
				t.Errorf("%s: closed with %v, want the body's own error", name, closed)
			}
		}
		if !errors.Is(err, cause) {
			t.Errorf("%s: error %v, want the transport's own", name, err)
		}
		span := r.only(t)
		got := attributes(span)
		if got["error.type"] != "*errors.errorString" || span.Status.Code != codes.Error {
			t.Errorf("%s: attributes %v, status %v", name, got, span.Status)
		}
		if port, has := got["server.port"]; has {
			t.Errorf("%s: the port is %s, though the address has none", name, port)
		}
	}
}
