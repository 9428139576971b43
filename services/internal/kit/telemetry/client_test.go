package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"backend.example/services/internal/kit/fault"
)

func TestClientSpans(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Traceparent") != "" {
			t.Errorf("our trace is told to a stranger: %v", r.Header)
		}
		if r.URL.Path == "/refused" {
			w.WriteHeader(http.StatusForbidden)
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
		"/refused":                   {"403", codes.Error},
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
		if content, err := io.ReadAll(answer.Body); string(content) != "answer" || err != nil || len(r.spans.GetSpans()) != 0 {
			t.Errorf("read %q, %v; %d spans have ended before the body was closed", content, err, len(r.spans.GetSpans()))
		}
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
		span := r.only(t)
		got := attributes(span)
		if span.Name != "GET 127.0.0.1" || span.SpanKind != trace.SpanKindClient || span.Status.Code != want.code ||
			got["server.address"] != "127.0.0.1" || got["server.port"] != port || got["http.response.status_code"] != want.status {
			t.Errorf("%s: span %q, status %v, attributes %v", path, span.Name, span.Status, got)
		}
		end(nil)
		if parent := r.spans.GetSpans()[1]; span.Parent.SpanID() != parent.SpanContext.SpanID() {
			t.Errorf("%s: not within the work's span", path)
		}
	}
}

type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

type breaking struct{ err error }

func (b breaking) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: io.NopCloser(io.MultiReader(strings.NewReader("half"), b))}, nil
}

func (b breaking) Read([]byte) (int, error) { return 0, b.err }

func TestFailedCalls(t *testing.T) {
	cause := fmt.Errorf("Get https://graph.example/?access_token=%s: %w", secret, &net.OpError{Op: "dial", Err: errors.New("refused")})
	for name, next := range map[string]http.RoundTripper{"no answer": failing{cause}, "broken answer": breaking{cause}} {
		r := record(t)
		answer, err := r.Transport(next).RoundTrip(httptest.NewRequest(http.MethodGet, "http://graph.example/", nil))
		if err == nil {
			_, err = io.ReadAll(answer.Body)
			_ = answer.Body.Close() // of this test
		}
		if !errors.Is(err, cause) {
			t.Errorf("%s: error %v, want the transport's own", name, err)
		}
		span := r.only(t)
		if got := attributes(span)["error.type"]; got != "*errors.errorString" || span.Status.Code != codes.Error {
			t.Errorf("%s: error.type %q, status %v", name, got, span.Status)
		}
	}
}

func TestErrorTypes(t *testing.T) {
	limited := fault.Wrap(io.EOF, fault.Limited, "limited", "Limit.")
	for want, err := range map[string]error{
		"limited":             fmt.Errorf("login: %w", limited),
		"canceled":            fmt.Errorf("call: %w", context.Canceled),
		"timeout":             fmt.Errorf("call: %w", context.DeadlineExceeded),
		"*net.DNSError":       &net.OpError{Op: "dial", Err: &net.DNSError{Name: "graph.example"}},
		"*errors.errorString": fmt.Errorf("read: %w", io.ErrUnexpectedEOF),
	} {
		if got := errorType(err); got != want {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
}

func TestSpanOfFailedWork(t *testing.T) {
	r := record(t)
	_, end := r.Span(t.Context(), "work")
	end(fmt.Errorf("token %s: %w", secret, io.EOF))
	if span := r.only(t); span.Status.Code != codes.Error || attributes(span)["error.type"] != "*errors.errorString" {
		t.Errorf("span %+v", span)
	}
}
