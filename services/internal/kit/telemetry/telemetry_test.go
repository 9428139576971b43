package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/testkit"
)

// secret is part of all data that must not be recorded.
const secret = "4%2F0AeanS0a"

type recorded struct {
	*Tracing
	spans *tracetest.InMemoryExporter
	log   testkit.Log
}

func record() *recorded {
	spans := tracetest.NewInMemoryExporter()
	return &recorded{Tracing: newTracing(sdk.NewTracerProvider(sdk.WithSyncer(spans))), spans: spans}
}

func (r *recorded) echo() *echo.Echo {
	e := httpx.New(httpx.Options{
		Log:     r.Logger(slog.New(slog.NewJSONHandler(&r.log, nil))),
		Metrics: httpx.NewMetrics(prometheus.NewRegistry(), "demo"), BodyLimit: 16,
		ErrorBody: func(f *fault.Error) any { return f.Code },
	})
	r.Serve(e)
	return e
}

// only returns the single span that has ended, and its attributes as text.
func (r *recorded) only(t *testing.T) (span tracetest.SpanStub, attributes map[string]string) {
	t.Helper()
	spans := r.spans.GetSpans()
	if len(spans) != 1 {
		t.Fatalf("%d spans, want one: %+v", len(spans), spans)
	}
	content, err := json.Marshal(spans[0])
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(content), secret) {
		t.Errorf("the span holds the secret: %s", content)
	}
	attributes = map[string]string{}
	for _, a := range spans[0].Attributes {
		attributes[string(a.Key)] = a.Value.String()
	}
	return spans[0], attributes
}

func setEnviron(t *testing.T, pairs ...string) {
	t.Helper()
	for _, pair := range append(os.Environ(), pairs...) {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "OTEL_") {
			t.Setenv(name, "")
		}
	}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
}

// requireError fails unless err contains problem, or is nil without a problem. Its text must not contain secret.
func requireError(t *testing.T, err error, problem string) {
	t.Helper()
	switch {
	case problem == "":
		if err != nil {
			t.Errorf("error %v, want none", err)
		}
	case err == nil || !strings.Contains(err.Error(), problem):
		t.Errorf("error %v, want %q", err, problem)
	case strings.Contains(err.Error(), secret):
		t.Errorf("error %v contains the secret", err)
	}
}

// traceOnce sends one span to a collector, whose address with user is in the variable endpoint. It returns the
// bodies, in which texts are readable, and the log of all levels.
func traceOnce(t *testing.T, endpoint, user string, environ ...string) (sent, logged string) {
	t.Helper()
	var bodies, log testkit.Log
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(&bodies, r.Body); err != nil {
			t.Error(err)
		}
	}))
	defer collector.Close()
	setEnviron(t, append(environ, endpoint+"="+strings.Replace(collector.URL, "//", "//"+user, 1))...)
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.Level(-100)}))
	tracing, err := Start(t.Context(), "demo", build.Info{Version: "v1.4.0"}, logger)
	if err != nil {
		t.Fatal(err)
	}
	_, end := tracing.Span(t.Context(), "last work")
	end(nil)
	tracing.Stop(t.Context(), logger)
	return bodies.String(), log.String()
}

func TestWhenToTrace(t *testing.T) {
	tests := []struct {
		environ string
		on      bool
		problem string // the variable of the error
	}{
		{"", false, ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318", true, ""},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://collector/v1/traces", true, ""},
		{"OTEL_TRACES_EXPORTER=otlp", true, ""},
		{"OTEL_TRACES_EXPORTER=none OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318", false, ""},
		{"OTEL_SDK_DISABLED=TRUE OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318", false, ""},
		{"OTEL_TRACES_EXPORTER=zipkin", false, "OTEL_TRACES_EXPORTER: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=grpc", false, "OTEL_EXPORTER_OTLP_PROTOCOL: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_PROTOCOL=http/json", true, ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318", false, "OTEL_EXPORTER_OTLP_ENDPOINT: "},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=ftp://user:" + secret + "@collector", false, "OTEL_EXPORTER_OTLP_ENDPOINT: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_TIMEOUT=10s", false, "OTEL_EXPORTER_OTLP_TIMEOUT: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_COMPRESSION=zstd", false, "OTEL_EXPORTER_OTLP_COMPRESSION: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_HEADERS=" + secret, false, "OTEL_EXPORTER_OTLP_HEADERS: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_HEADERS=key=" + secret + "%", false,
			"OTEL_EXPORTER_OTLP_HEADERS: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_TRACES_HEADERS=the:key=" + secret, false,
			"OTEL_EXPORTER_OTLP_TRACES_HEADERS: "},
		{"OTEL_TRACES_EXPORTER=otlp OTEL_RESOURCE_ATTRIBUTES=nothing", false, "OTEL_RESOURCE_ATTRIBUTES: "},
	}
	for _, test := range tests {
		t.Run(test.environ, func(t *testing.T) {
			setEnviron(t, strings.Fields(test.environ)...)
			tracing, err := Start(t.Context(), "demo", build.Info{}, slog.New(slog.DiscardHandler))
			if tracing.On() != test.on {
				t.Errorf("on %t, want %t", tracing.On(), test.on)
			}
			requireError(t, err, test.problem)
			tracing.Stop(t.Context(), slog.New(slog.DiscardHandler))
		})
	}
}

func TestOffChangesNothing(t *testing.T) {
	setEnviron(t)
	before := runtime.NumGoroutine()
	off, err := Start(t.Context(), "demo", build.Info{}, slog.New(slog.DiscardHandler))
	if err != nil || off.On() {
		t.Fatalf("on %t, error %v; want false, none", off.On(), err)
	}
	if after := runtime.NumGoroutine(); after != before {
		t.Errorf("%d goroutines after Start, %d before", after, before)
	}
	if got := off.Transport(http.DefaultTransport); got != http.DefaultTransport {
		t.Errorf("Transport returned another one, a %T", got)
	}
	log := slog.New(slog.DiscardHandler)
	if off.Logger(log) != log {
		t.Error("Logger returned another logger")
	}
	ctx, end := off.Span(t.Context(), "work")
	end(nil)
	if ctx != t.Context() {
		t.Error("Span returned another context")
	}
	off.Stop(t.Context(), log)

	e := echo.New()
	var seen context.Context
	e.GET("/it", func(c echo.Context) error {
		seen = c.Request().Context()
		return c.NoContent(http.StatusNoContent)
	})
	off.Serve(e)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/it", nil)
	e.ServeHTTP(httptest.NewRecorder(), request)
	if seen != t.Context() {
		t.Error("the request has another context")
	}
}

func TestStopSendsRemainingSpans(t *testing.T) {
	sent, _ := traceOnce(t, "OTEL_EXPORTER_OTLP_ENDPOINT", "",
		"OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=staging")
	for _, want := range []string{"last work", "demo", "v1.4.0", "staging"} {
		if !strings.Contains(sent, want) {
			t.Errorf("sent without %q", want)
		}
	}
}

// This includes the lines of the SDK and the exporter about overridden variables.
func TestLogContainsNoKey(t *testing.T) {
	var before testkit.Log // logged before Start has set the service's own logger
	otel.SetLogger(logr.FromSlogHandler(slog.NewJSONHandler(&before, &slog.HandlerOptions{Level: slog.Level(-100)})))
	const spans = "OTEL_EXPORTER_OTLP_"
	_, logged := traceOnce(t, spans+"TRACES_ENDPOINT", "user:"+secret+"@",
		spans+"TRACES_HEADERS=key="+secret+",also="+secret,
		spans+"ENDPOINT=http://"+secret+"%", spans+"HEADERS="+secret)
	for _, form := range []string{secret, "4/0AeanS0a"} {
		if logged == "" || strings.Contains(logged+before.String(), form) {
			t.Errorf("logged %s, and before %s", logged, &before)
		}
	}
}

// Derived loggers add the id, too. Lines without a trace have none.
func TestLoggerAddsTraceID(t *testing.T) {
	r := record()
	ctx, end := r.Span(t.Context(), "work")
	defer end(nil)
	var out bytes.Buffer
	log := r.Logger(slog.New(slog.NewTextHandler(&out, nil)))
	for name, log := range map[string]*slog.Logger{
		"itself": log, "attributes": log.With("a", 1), "group": log.WithGroup("g"),
	} {
		out.Reset()
		log.InfoContext(ctx, "traced")
		if !strings.Contains(out.String(), "trace_id=") {
			t.Errorf("%s: logged %s without the trace", name, &out)
		}
		out.Reset()
		log.InfoContext(t.Context(), "not traced")
		if strings.Contains(out.String(), "trace_id=") {
			t.Errorf("%s: logged %s, want no trace", name, &out)
		}
	}
}

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
	type spanFacts struct {
		Name              string
		Kind              trace.SpanKind
		HasParent, Failed bool
		Description       string
	}
	for _, test := range tests {
		t.Run(test.method+" "+test.target, func(t *testing.T) {
			r := record()
			e := r.echo()
			e.GET("/oauth/callback/:provider", func(c echo.Context) error {
				return c.Redirect(http.StatusFound, "/?"+secret)
			})
			e.POST("/refused", func(echo.Context) error { return fault.New(fault.Limited, "limited", "Limit.") })
			e.GET("/broken", func(echo.Context) error { return io.EOF })
			e.GET("/panics", func(echo.Context) error { panic(secret) })
			answer := httptest.NewRecorder()
			e.ServeHTTP(answer, httptest.NewRequest(test.method, test.target, nil))

			span, attributes := r.only(t)
			want := map[string]string{
				"http.request.method": strings.Fields(test.name)[0], "http.response.status_code": test.status,
				"request_id": answer.Header().Get("X-Request-Id"),
			}
			if _, route, found := strings.Cut(test.name, " "); found {
				want["http.route"] = route
			}
			if test.errorType != "" {
				want["error.type"] = test.errorType
			}
			if want["request_id"] == "" {
				t.Error("the response has no request id")
			}
			if diff := cmp.Diff(want, attributes); diff != "" {
				t.Errorf("attributes: %s", diff)
			}
			got := spanFacts{span.Name, span.SpanKind, span.Parent.IsValid(), span.Status.Code == codes.Error,
				span.Status.Description}
			if diff := cmp.Diff(spanFacts{test.name, trace.SpanKindServer, false, test.failed, ""}, got); diff != "" {
				t.Error(diff)
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
			r := record()
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
				t.Errorf("trace %s, that of the header is %s", id, parent)
			}
			span := spans[1].SpanContext.SpanID().String()
			if want := `"trace_id":"` + id + `","span_id":"` + span; !strings.Contains(r.log.String(), want) {
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
		r := record()
		ctx, end := r.Span(t.Context(), "work")
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, upstream.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := (&http.Client{Transport: r.Transport(http.DefaultTransport)}).Do(request)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(iotest.OneByteReader(answer.Body))
		if string(content) != "answer" || err != nil {
			t.Errorf("%s: read %q, error %v; want answer", path, content, err)
		}
		if ended := len(r.spans.GetSpans()); ended != 0 {
			t.Errorf("%s: %d spans have ended before the body was closed", path, ended)
		}
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
		span, attributes := r.only(t)
		if span.Name != "GET 127.0.0.1" || span.SpanKind != trace.SpanKindClient {
			t.Errorf("%s: span %q of kind %v, want GET 127.0.0.1 of a client", path, span.Name, span.SpanKind)
		}
		if span.Status.Code != want.code {
			t.Errorf("%s: status %v, want %v", path, span.Status, want.code)
		}
		wantAttributes := map[string]string{
			"http.request.method": "GET", "server.address": "127.0.0.1", "server.port": port,
			"http.response.status_code": want.status,
		}
		if diff := cmp.Diff(wantAttributes, attributes); diff != "" {
			t.Errorf("%s: attributes: %s", path, diff)
		}
		end(nil)
		work := r.spans.GetSpans()[1]
		if span.Parent.SpanID() != work.SpanContext.SpanID() {
			t.Errorf("%s: the call's span is not within that of the work", path)
		}
		if work.Status.Code != codes.Unset {
			t.Errorf("%s: the span of the work has status %v", path, work.Status)
		}
	}
}

// breaking is a body that fails.
type breaking struct{ err error }

func (b breaking) Read([]byte) (int, error) { return 0, b.err }
func (b breaking) Close() error             { return b.err }

func TestFailedCallsEndTheirSpan(t *testing.T) {
	cause := fmt.Errorf("Get https://graph.example/?access_token=%s: %w", secret,
		&net.OpError{Op: "dial", Err: errors.New("refused")})
	for name, next := range map[string]testkit.RoundTripper{
		"no answer": func(*http.Request) (*http.Response, error) { return nil, cause },
		"broken answer": func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: breaking{cause}}, nil
		},
	} {
		r := record()
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
		span, attributes := r.only(t)
		if got, want := attributes["error.type"], "*errors.errorString"; got != want {
			t.Errorf("%s: error.type %q, want %q", name, got, want)
		}
		if span.Status.Code != codes.Error {
			t.Errorf("%s: status %v, want an error", name, span.Status)
		}
		if port, has := attributes["server.port"]; has {
			t.Errorf("%s: the port is %s, though the address has none", name, port)
		}
	}
}

func TestExportRetriesWithinBatchTimeout(t *testing.T) {
	setEnviron(t)
	address, err := url.Parse("https://" + secret + ":" + secret + "@collector/" + secret + "?key=" + secret)
	if err != nil {
		t.Fatal(err)
	}
	answer := func(status int, body string, header ...string) http.Response {
		resp := http.Response{
			StatusCode: status, Status: http.StatusText(status),
			Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)),
		}
		if len(header) == 2 {
			resp.Header.Set(header[0], header[1])
		}
		return resp
	}
	taken, refused := answer(200, ""), answer(400, secret)
	tests := []struct {
		name    string
		answers []http.Response // the last one is repeated; without any, the collector does not answer
		came    []float64       // the earliest second of each attempt
		ends    float64         // seconds after which the export has ended
		problem string
	}{
		{"taken", []http.Response{taken}, []float64{0}, 0, ""},
		{"refused", []http.Response{refused}, []float64{0}, 0, "Bad Request"},
		{"redirected", []http.Response{answer(307, "", "Location", "http://elsewhere/")}, []float64{0}, 0,
			"Temporary Redirect"},
		{"busy, says when", []http.Response{answer(503, "", "Retry-After", "3"), taken}, []float64{0, 3}, 3, ""},
		{"busy for too long", []http.Response{answer(503, "", "Retry-After", "11")}, []float64{0}, 0,
			"Service Unavailable"},
		{
			"busy, does not say when", []http.Response{answer(429, ""), answer(502, ""), answer(504, ""), refused},
			[]float64{0, 0.5, 1.25, 2.375}, 7.125, "Bad Request",
		},
		{"stays busy", []http.Response{answer(429, "", "Retry-After", "4")}, []float64{0, 4, 8}, 10,
			"Too Many Requests"},
		{"does not answer", nil, []float64{0}, 10, "deadline exceeded"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, came := time.Now(), []time.Duration{}
				respond := testkit.RoundTripper(func(r *http.Request) (*http.Response, error) {
					came = append(came, time.Since(began))
					if len(test.answers) == 0 {
						<-r.Context().Done()
						return nil, r.Context().Err()
					}
					answer := test.answers[min(len(came), len(test.answers))-1]
					return &answer, nil
				})
				to := target{address: address, timeout: 10 * time.Second}
				e, err := newExporter(t.Context(), to, "demo", respond)
				if err != nil {
					t.Fatal(err)
				}
				err = e.ExportSpans(t.Context(), tracetest.SpanStubs{{Name: "work"}}.Snapshots())
				requireError(t, err, test.problem)
				inTime := func(at time.Duration, earliest float64) bool { return at.Seconds() >= earliest }
				if !slices.EqualFunc(came, test.came, inTime) {
					t.Errorf("asked at %v, want %v", came, test.came)
				}
				if took := time.Since(began).Seconds(); took > test.ends {
					t.Errorf("took %v s, want %v s at most", took, test.ends)
				}
			})
		})
	}
}
