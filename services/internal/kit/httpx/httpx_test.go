package httpx_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/site"
	"backend.example/services/internal/kit/testkit"
)

const bodyLimit = 16

type service struct {
	*echo.Echo
	log      *testkit.Log
	registry *prometheus.Registry
}

func newService(o httpx.Options) service {
	s := service{log: &testkit.Log{}, registry: prometheus.NewRegistry()}
	o.Log = slog.New(slog.NewJSONHandler(s.log, nil))
	o.Metrics, o.BodyLimit = httpx.NewMetrics(s.registry, "demo"), bodyLimit
	o.ErrorBody = func(f *fault.Error) any { return map[string]string{"error": f.Message, "code": f.Code} }
	s.Echo = httpx.New(o)
	return s
}

func (s service) fail(path string, err error) {
	s.Any(path, func(echo.Context) error { return err })
}

// headers are pairs of name and value.
func (s service) do(method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header[headers[i]] = append(r.Header[headers[i]], headers[i+1])
	}
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, r)
	return answer
}

func codeOf(t *testing.T, answer *httptest.ResponseRecorder) string {
	t.Helper()
	var body map[string]string
	if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil || body["error"] == "" {
		t.Fatalf("body %q: %v", answer.Body, err)
	}
	return body["code"]
}

func TestErrorsBecomeResponses(t *testing.T) {
	notFound := fault.New(fault.NotFound, "company_not_found", "Nie znaleziono firmy.")
	tooLarge := fmt.Errorf("read: %w", &http.MaxBytesError{Limit: 1})
	for _, test := range []struct {
		name   string
		err    error
		status int
		code   string
	}{
		{"fault", notFound, 404, "company_not_found"},
		{"wrapped fault", fmt.Errorf("audit: %w", notFound), 404, "company_not_found"},
		{"fault inside an echo error", echo.NewHTTPError(400).SetInternal(notFound), 404, "company_not_found"},
		{"body over the limit", tooLarge, 413, "body_too_large"},
		{"body over the limit while binding", echo.NewHTTPError(400).SetInternal(tooLarge), 413, "body_too_large"},
		{"echo 404", echo.ErrNotFound, 404, "not_found"},
		{"echo 405", echo.ErrMethodNotAllowed, 405, "method_not_allowed"},
		{"echo 413", echo.ErrStatusRequestEntityTooLarge, 413, "body_too_large"},
		{"echo 400", fmt.Errorf("bind: %w", echo.ErrBadRequest), 400, "bad_request"},
		{"echo 415", echo.ErrUnsupportedMediaType, 400, "bad_request"},
		{"echo binder", echo.NewBindingError("limit", []string{"x"}, "failed", io.EOF), 400, "bad_request"},
		{"echo 500", echo.NewHTTPError(500), 500, "internal"},
		{"echo 399", echo.NewHTTPError(399), 500, "internal"},
		{"echo 503", echo.ErrServiceUnavailable, 500, "internal"},
		{"unclassified", io.ErrUnexpectedEOF, 500, "internal"},
		{"own deadline", context.DeadlineExceeded, 500, "internal"},
	} {
		s := newService(httpx.Options{})
		s.GET("/it", func(c echo.Context) error {
			c.Response().Header().Set("Cache-Control", "public, max-age=60")
			return test.err
		})
		answer := s.do("GET", "/it")
		got := []any{answer.Code, codeOf(t, answer), answer.Header()["Cache-Control"], answer.Header()["Content-Type"]}
		want := []any{test.status, test.code, []string{"no-store"}, []string{"application/json"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
		s.HEAD("/it", func(echo.Context) error { return test.err })
		if head := s.do("HEAD", "/it"); head.Code != test.status || head.Body.Len() != 0 {
			t.Errorf("%s: HEAD is answered %d %q", test.name, head.Code, head.Body)
		}
	}
}

func TestRetryAfterRoundsUp(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		0: "", time.Nanosecond: "1", time.Second: "1", 1001 * time.Millisecond: "2", time.Minute: "60",
		-time.Second: "",
	} {
		s := newService(httpx.Options{})
		s.fail("/it", fault.New(fault.Unavailable, "busy", "Zajęte.").After(wait))
		if got := s.do("GET", "/it").Header().Get("Retry-After"); got != want {
			t.Errorf("Retry-After for %s = %q, want %q", wait, got, want)
		}
	}
}

func TestErrorAfterResponseBeganIsOnlyLogged(t *testing.T) {
	s := newService(httpx.Options{})
	s.GET("/it", func(c echo.Context) error { return errors.Join(c.String(http.StatusOK, "half"), io.EOF) })
	if answer := s.do("GET", "/it"); answer.Code != 200 || answer.Body.String() != "half" {
		t.Errorf("answer = %d %q, want the handler's own", answer.Code, answer.Body)
	}
	logged := s.log.Records("answer broken off")
	if len(logged) != 1 || logged[0]["level"] != "WARN" || logged[0]["error"] != "EOF" {
		t.Errorf("logged %s, want one warning with the error", s.log)
	}
}

func TestDisconnectedClientGetsNoResponseAndNoLog(t *testing.T) {
	s := newService(httpx.Options{})
	s.fail("/it", context.Canceled)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodGet, "/it", nil))
	if answer.Body.Len() != 0 {
		t.Errorf("body %q, want none", answer.Body)
	}
	if logged := s.log.String(); logged != "" {
		t.Errorf("logged %s, want nothing", logged)
	}
	if got := testkit.Series(t, s.registry); got["demo_http_request_duration_seconds GET /it 499"] != 1 {
		t.Errorf("metrics %v, want the status 499", got)
	}
}

func TestErrorsBelowPagesArePages(t *testing.T) {
	pages, err := site.New(site.Options{
		Name: "Demo", Home: "/pages", Paths: []string{"/pages"}, Prefix: "/pages/static", Files: fstest.MapFS{
			"templates/partials/account.html": &fstest.MapFile{Data: []byte(`{{define "account"}}{{end}}`)},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := newService(httpx.Options{Site: pages})
	for _, path := range []string{"/pages/late", "/api/late"} {
		s.fail(path, fault.New(fault.Unavailable, "late", "Za późno.").After(3*time.Second))
	}
	for path, want := range map[string]struct {
		status     int
		kind, body string
		retryAfter string
	}{
		"/pages/late": {503, "text/html; charset=utf-8", "Za późno.", "3"},
		"/pages/none": {404, "text/html; charset=utf-8", "Nie ma takiej strony.", ""},
		"/api/late":   {503, "application/json", `{"code":"late","error":"Za późno."}`, "3"},
		"/api/none":   {404, "application/json", `{"code":"not_found","error":"Nie znaleziono zasobu."}`, ""},
	} {
		answer := s.do("GET", path)
		h := answer.Header()
		got := []any{answer.Code, h.Get("Content-Type"), h.Get("Retry-After"), h.Get("Cache-Control")}
		if diff := cmp.Diff([]any{want.status, want.kind, want.retryAfter, "no-store"}, got); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
		if !strings.Contains(answer.Body.String(), want.body) {
			t.Errorf("%s: body %s, want %q in it", path, answer.Body, want.body)
		}
	}
}

func TestInternalErrorLeaksNothing(t *testing.T) {
	dial := errors.New("dial tcp 10.0.3.7:5432: connect: connection refused")
	const internal = `{"code":"internal","error":"Wystąpił nieoczekiwany błąd. Spróbuj ponownie później."}`
	for want, causes := range map[string][]error{
		internal: {
			errors.New(`pq: relation "users" does not exist: SELECT email FROM users`), dial,
			echo.NewHTTPError(http.StatusBadGateway, "upstream db.inner").SetInternal(dial),
		},
		`{"code":"source_failed","error":"Źródło."}`: {fault.Wrap(dial, fault.Upstream, "source_failed", "Źródło.")},
	} {
		for _, cause := range causes {
			s := newService(httpx.Options{})
			s.fail("/it", cause)
			answer := s.do("GET", "/it")
			if got := answer.Body.String(); got != want+"\n" {
				t.Errorf("%v: body %s, want %s", cause, got, want)
			}
			if headers := fmt.Sprint(answer.Header()); strings.Contains(headers, "10.0.3.7") {
				t.Errorf("%v: headers %s contain the address", cause, headers)
			}
			if logged := s.log.Records("request failed"); len(logged) != 1 || logged[0]["error"] != cause.Error() {
				t.Errorf("%v: logged %s, want the cause once", cause, s.log)
			}
		}
	}
}

func TestFailuresAreLoggedOnceWithTheRequest(t *testing.T) {
	for kind, isLogged := range map[fault.Kind]bool{
		fault.Internal: true, fault.Upstream: true, fault.Unavailable: true, fault.Timeout: true,
		fault.Invalid: false, fault.Unauthenticated: false, fault.Forbidden: false, fault.NotFound: false,
		fault.TooLarge: false, fault.Limited: false,
	} {
		s := newService(httpx.Options{})
		s.fail("/companies/:slug", fault.Wrap(io.EOF, kind, "some_code", "Tekst."))
		s.do("GET", "/companies/acme", "X-Request-Id", "req-7")
		var want []map[string]any
		if isLogged {
			want = []map[string]any{{
				"level": "ERROR", "msg": "request failed", "code": "some_code", "error": "some_code: EOF",
				"status": float64(httpx.Status(kind)), "method": "GET", "route": "/companies/:slug",
				"request_id": "req-7",
			}}
		}
		if diff := cmp.Diff(want, s.log.Records("request failed")); diff != "" {
			t.Errorf("kind %d: %s", kind, diff)
		}
	}
}

func TestRequestID(t *testing.T) {
	for kept, ids := range map[bool][]string{
		true: {"abc-DEF_0.9", "x", strings.Repeat("a", 64)},
		false: {
			strings.Repeat("a", 65), "", "a\nlevel=ERROR", "a\r\nSet-Cookie: x=1", `a","level":"ERROR`, "a b", "a~b",
			"<script>", "${jndi:ldap://x}", "../../etc/passwd", "\x1b[31m", "a\x00", "żółw",
		},
	} {
		for _, sent := range ids {
			s := newService(httpx.Options{})
			var seen string
			s.GET("/it", func(c echo.Context) error {
				seen = httpx.RequestID(c)
				return io.EOF
			})
			returned := s.do("GET", "/it", "X-Request-Id", sent).Header().Get("X-Request-Id")
			if (seen == sent) != kept {
				t.Errorf("id = %q for %q, want it kept %t", seen, sent, kept)
			}
			if !kept && len(seen) < 16 {
				t.Errorf("new id %q has less than 16 characters", seen)
			}
			if returned != seen {
				t.Errorf("%q: the client gets id %q, the handler %q", sent, returned, seen)
			}
			if logged := s.log.Records("request failed")[0]["request_id"]; logged != seen {
				t.Errorf("%q: the log has id %q, the handler %q", sent, logged, seen)
			}
		}
	}
}

func TestHeadersOfAllResponses(t *testing.T) {
	s := newService(httpx.Options{})
	ids := map[string]bool{"": true}
	for _, path := range []string{"/", "/no-such-path"} {
		header := s.do("GET", path).Header()
		if diff := cmp.Diff([]string{"nosniff"}, header["X-Content-Type-Options"]); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
		ids[header.Get("X-Request-Id")] = true
	}
	if len(ids) != 3 {
		t.Errorf("ids %v, want two different ones", ids)
	}
}

func TestPanicIsAnsweredAndLoggedOnce(t *testing.T) {
	for name, value := range map[string]any{"text": "secret boom", "error": io.ErrUnexpectedEOF} {
		s := newService(httpx.Options{})
		s.GET("/it", func(echo.Context) error { panic(value) })
		answer := s.do("GET", "/it")
		if code := codeOf(t, answer); answer.Code != 500 || code != "internal" {
			t.Errorf("%s: answer = %d %s, want 500 internal", name, answer.Code, code)
		}
		for _, leak := range []string{"boom", "EOF", "goroutine", ".go", "panic"} {
			if strings.Contains(answer.Body.String(), leak) {
				t.Errorf("%s: body %s contains %q", name, answer.Body, leak)
			}
		}
		logged := s.log.Records("panic")
		if len(logged) != 1 || strings.Count(s.log.String(), "\n") != 1 {
			t.Fatalf("%s: logged %s, want one line", name, s.log)
		}
		if stack := fmt.Sprint(logged[0]["stack"]); !strings.Contains(stack, "httpx_test.go") {
			t.Errorf("%s: stack %s does not lead to the panic", name, stack)
		}
		got := []any{logged[0]["level"], logged[0]["route"], logged[0]["request_id"]}
		if diff := cmp.Diff([]any{"ERROR", "/it", answer.Header().Get("X-Request-Id")}, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestBodyLimit(t *testing.T) {
	s := newService(httpx.Options{})
	s.POST("/it", func(c echo.Context) error {
		_, err := io.ReadAll(c.Request().Body)
		return err
	})
	s.POST("/bind", func(c echo.Context) error { return c.Bind(&struct{ Name string }{}) })
	server := httptest.NewServer(s)
	defer server.Close()
	fits := strings.Repeat("a", bodyLimit)
	for _, test := range []struct {
		name, path string
		body       io.Reader
		status     int
		closed     bool
	}{
		{"at the limit", "/it", strings.NewReader(fits), 200, false},
		{"over the limit", "/it", strings.NewReader(fits + "a"), 413, true},
		{"over the limit, of unknown length", "/it", io.MultiReader(strings.NewReader(fits), strings.NewReader("a")),
			413, true},
		{"over the limit while binding", "/bind", strings.NewReader(`{"name":"` + fits + `"}`), 413, true},
		{"no body", "/it", nil, 200, false},
	} {
		answer, err := server.Client().Post(server.URL+test.path, "application/json", test.body)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != test.status {
			t.Errorf("%s: status = %d, want %d", test.name, answer.StatusCode, test.status)
		}
		if answer.Close != test.closed {
			t.Errorf("%s: connection closed = %t, want %t", test.name, answer.Close, test.closed)
		}
	}
}

func TestRequestsCountByRouteMethodAndFinalStatus(t *testing.T) {
	s := newService(httpx.Options{})
	s.GET("/companies/:slug", func(c echo.Context) error { return c.NoContent(http.StatusNoContent) })
	s.POST("/companies/:slug", func(echo.Context) error { return fault.New(fault.Limited, "limited", "Limit.") })
	s.GET("/broken", func(echo.Context) error { return io.EOF })
	s.GET("/panics", func(echo.Context) error { panic("boom") })
	for _, request := range []string{
		"GET /companies/a", "GET /companies/b", "POST /companies/c", "GET /broken", "GET /panics", "GET /x1", "GET /x2",
		"GET /wp-admin/setup.php", "DELETE /broken", "BREW /x3", "PROPFIND /x4", "BREW /companies/a",
	} {
		method, path, _ := strings.Cut(request, " ")
		s.do(method, path)
	}
	const duration = "demo_http_request_duration_seconds "
	want := map[string]float64{
		"demo_http_failures_total internal":     2,
		duration + "DELETE /broken 405":         1,
		duration + "GET /broken 500":            1,
		duration + "GET /companies/:slug 204":   2,
		duration + "GET /panics 500":            1,
		duration + "GET none 404":               3,
		duration + "POST /companies/:slug 429":  1,
		duration + "other /companies/:slug 405": 1,
		duration + "other none 404":             2,
	}
	if diff := cmp.Diff(want, testkit.Series(t, s.registry)); diff != "" {
		t.Error(diff)
	}
}

func TestAccessLogWritesLinesAfterDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &testkit.Log{}
		s := newService(httpx.Options{AccessLog: httpx.NewAccessLog(log)})
		s.GET("/prices/:name", func(c echo.Context) error {
			time.Sleep(1500 * time.Microsecond)
			c.Response().Header().Set("Cache-Status", `demo; hit; detail="here"`)
			return c.String(http.StatusOK, "four")
		})
		s.do("GET", "/prices/secret?q=secret", "X-Request-Id", "a", "Cookie", "session=secret")
		s.do("BREW", "/elsewhere/secret", "X-Request-Id", "b")
		if log.String() != "" {
			t.Fatalf("written before the delay: %s", log)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		lost := `{"code":"not_found","error":"Nie znaleziono zasobu."}` + "\n"
		want := []map[string]any{
			{"level": "INFO", "msg": "request", "request_id": "a", "method": "GET", "route": "/prices/:name",
				"status": 200.0, "bytes": 4.0, "duration_ms": 1.5, "cache": `demo; hit; detail="here"`},
			{"level": "INFO", "msg": "request", "request_id": "b", "method": "other", "route": "none",
				"status": 404.0, "bytes": float64(len(lost)), "duration_ms": 0.0},
		}
		if diff := cmp.Diff(want, log.Records("request")); diff != "" {
			t.Error(diff)
		}
		if text := log.String(); strings.Contains(text, "secret") {
			t.Errorf("a path, query or cookie is in\n%s", text)
		}
		if text := log.String(); !strings.Contains(text, `"time":"2000-01-01T0`) { // synctest begins on that day
			t.Errorf("no time in\n%s", text)
		}
		s.do("GET", "/elsewhere")
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if got := len(log.Records("request")); got != 3 {
			t.Errorf("%d lines after another request and the delay, want 3", got)
		}
	})
}
