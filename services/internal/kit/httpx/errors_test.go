package httpx_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

func TestErrorsBecomeResponses(t *testing.T) {
	notFound := fault.New(fault.NotFound, "company_not_found", "Nie znaleziono firmy.")
	tooLarge := fmt.Errorf("read: %w", &http.MaxBytesError{Limit: 1})
	tests := []struct {
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
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newService()
			s.GET("/it", func(c echo.Context) error {
				c.Response().Header().Set("Cache-Control", "public, max-age=60")
				return test.err
			})
			answer := s.get("/it")
			if body := decode(t, answer); answer.Code != test.status || body.Code != test.code || body.Error == "" {
				t.Errorf("answer = %d %+v, want %d with code %s", answer.Code, body, test.status, test.code)
			}
			if got := answer.Header()["Cache-Control"]; len(got) != 1 || got[0] != "no-store" {
				t.Errorf("Cache-Control = %q, want no-store alone", got)
			}
			if got := answer.Header().Get("Content-Type"); got != "application/json" {
				t.Errorf("Content-Type = %q, want application/json", got)
			}
		})
	}
}

func TestRetryAfterRoundsUp(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		0: "", time.Nanosecond: "1", time.Second: "1", 1001 * time.Millisecond: "2", time.Minute: "60",
		-time.Second: "",
	} {
		s := newService()
		s.fail("/it", fault.New(fault.Unavailable, "busy", "Zajęte.").After(wait))
		if got := s.get("/it").Header().Get("Retry-After"); got != want {
			t.Errorf("Retry-After for %s = %q, want %q", wait, got, want)
		}
	}
}

func TestHeadErrorHasNoBody(t *testing.T) {
	s := newService()
	s.HEAD("/it", func(echo.Context) error { return fault.New(fault.Forbidden, "forbidden", "Brak dostępu.") })
	answer := s.do(httptest.NewRequest(http.MethodHead, "/it", nil))
	if answer.Code != 403 || answer.Body.Len() != 0 {
		t.Errorf("answer = %d %q, want 403 without a body", answer.Code, answer.Body)
	}
	for name, want := range map[string]string{"Cache-Control": "no-store", "Content-Type": "application/json"} {
		if got := answer.Header().Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
}

func TestErrorAfterResponseBeganIsOnlyLogged(t *testing.T) {
	s := newService()
	s.GET("/it", func(c echo.Context) error {
		if err := c.String(http.StatusOK, "half"); err != nil {
			return err
		}
		return io.ErrUnexpectedEOF
	})
	answer := s.get("/it")
	if answer.Code != 200 || answer.Body.String() != "half" {
		t.Errorf("answer = %d %q, want the handler's own", answer.Code, answer.Body)
	}
	entries := s.log.entries(t)
	if len(entries) != 1 || entries[0]["level"] != "WARN" || entries[0]["error"] != "unexpected EOF" {
		t.Errorf("logged %v, want one warning with the error", entries)
	}
}

func TestDisconnectedClientGetsNoResponseAndNoLog(t *testing.T) {
	s := newService()
	s.fail("/it", context.Canceled)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	answer := s.do(httptest.NewRequestWithContext(ctx, http.MethodGet, "/it", nil))
	if answer.Body.Len() != 0 {
		t.Errorf("body = %q, want none", answer.Body)
	}
	if entries := s.log.entries(t); len(entries) != 0 {
		t.Errorf("logged %v, want nothing", entries)
	}
	if got := s.metrics(t); !strings.HasSuffix(got[1], `{method="GET",route="/it",status="499"} 1`) {
		t.Errorf("metrics %q, want the status 499", got)
	}
}

// newPages returns a service whose error pages, below /pages, have one line.
func newPages(fails error) service {
	s := newServiceWith(func(w http.ResponseWriter, r *http.Request, status int, f *fault.Error) (bool, error) {
		if fails != nil || !strings.HasPrefix(r.URL.Path, "/pages") {
			return false, fails
		}
		w.WriteHeader(status)
		_, err := w.Write([]byte("page: " + f.Message))
		return true, err
	})
	late := fault.New(fault.Unavailable, "late", "Za późno.").After(3 * time.Second)
	for _, path := range []string{"/pages/late", "/api/late"} {
		s.fail(path, late)
	}
	return s
}

func TestErrorsBelowPagesArePages(t *testing.T) {
	s := newPages(nil)
	for path, want := range map[string]struct {
		status int
		body   string
	}{
		"/pages/late": {503, "page: Za późno."},
		"/pages/none": {404, "page: Nie znaleziono zasobu."},
		"/api/late":   {503, `{"error":"Za późno.","code":"late"}` + "\n"},
		"/none":       {404, `{"error":"Nie znaleziono zasobu.","code":"not_found"}` + "\n"},
	} {
		answer := s.get(path)
		if answer.Code != want.status || answer.Body.String() != want.body {
			t.Errorf("%s: %d %s", path, answer.Code, answer.Body)
		}
		if got := answer.Header().Get(echo.HeaderRetryAfter); want.status == 503 && got != "3" {
			t.Errorf("%s: Retry-After %q", path, got)
		}
		if got := answer.Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control %q", path, got)
		}
	}
}

func TestInternalErrorLeaksNothing(t *testing.T) {
	dial := errors.New("dial tcp 10.0.3.7:5432: connect: connection refused")
	const internal = `{"error":"Wystąpił nieoczekiwany błąd. Spróbuj ponownie później.","code":"internal"}`
	for want, causes := range map[string][]error{
		internal: {
			errors.New(`pq: relation "users" does not exist: SELECT email FROM users`), dial,
			echo.NewHTTPError(http.StatusBadGateway, "upstream db.inner").SetInternal(dial),
		},
		`{"error":"Źródło.","code":"source_failed"}`: {fault.Wrap(dial, fault.Upstream, "source_failed", "Źródło.")},
	} {
		for _, cause := range causes {
			s := newService()
			s.fail("/it", cause)
			answer := s.get("/it")
			if got := answer.Body.String(); got != want+"\n" ||
				strings.Contains(fmt.Sprint(answer.Header()), "10.0.3.7") {
				t.Errorf("%v: %v %s, want %s", cause, answer.Header(), got, want)
			}
			if entries := s.log.entries(t); len(entries) != 1 || entries[0]["error"] != cause.Error() {
				t.Errorf("%v: logged %v, want the cause once", cause, entries)
			}
		}
	}
}

func TestFailuresAreLoggedOnceWithTheRequest(t *testing.T) {
	tests := []struct {
		kind   fault.Kind
		logged bool
	}{
		{fault.Internal, true}, {fault.Upstream, true}, {fault.Unavailable, true}, {fault.Timeout, true},
		{fault.Invalid, false}, {fault.Unauthenticated, false}, {fault.Forbidden, false},
		{fault.NotFound, false}, {fault.TooLarge, false}, {fault.Limited, false},
	}
	for _, test := range tests {
		s := newService()
		s.fail("/companies/:slug", fault.Wrap(io.EOF, test.kind, "some_code", "Tekst."))
		r := httptest.NewRequest(http.MethodGet, "/companies/acme", nil)
		r.Header.Set("X-Request-Id", "req-7")
		s.do(r)

		entries := s.log.entries(t)
		if (len(entries) == 1) != test.logged || len(entries) > 1 {
			t.Errorf("kind %d: logged %v, want one line: %t", test.kind, entries, test.logged)
		}
		if len(entries) == 0 {
			continue
		}
		want := map[string]any{
			"level": "ERROR", "code": "some_code", "status": float64(httpx.Status(test.kind)),
			"error":  "some_code: EOF",
			"method": "GET", "route": "/companies/:slug", "request_id": "req-7",
		}
		for key, value := range want {
			if entries[0][key] != value {
				t.Errorf("kind %d: %s = %v, want %v", test.kind, key, entries[0][key], value)
			}
		}
	}
}
