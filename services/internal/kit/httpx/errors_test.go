package httpx_test

import (
	"context"
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

func TestStatusOfEveryKind(t *testing.T) {
	tests := map[fault.Kind]int{
		fault.Internal: 500, fault.Invalid: 400, fault.Unauthenticated: 401, fault.Forbidden: 403,
		fault.NotFound: 404, fault.MethodNotAllowed: 405, fault.TooLarge: 413, fault.Limited: 429,
		fault.Upstream: 502, fault.Unavailable: 503, fault.Timeout: 504, fault.Timeout + 1: 500,
	}
	for kind, want := range tests {
		if got := httpx.Status(kind); got != want {
			t.Errorf("Status(%d) = %d, want %d", kind, got, want)
		}
	}
}

func TestErrorsBecomeAnswers(t *testing.T) {
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

func TestRouterErrors(t *testing.T) {
	s := newService()
	s.POST("/it", func(c echo.Context) error { return c.NoContent(http.StatusNoContent) })

	unknown := s.get("/elsewhere")
	if got := decode(t, unknown); unknown.Code != 404 || got.Code != "not_found" {
		t.Errorf("unknown path answers %d %+v", unknown.Code, got)
	}
	wrong := s.get("/it")
	if got := decode(t, wrong); wrong.Code != 405 || got.Code != "method_not_allowed" {
		t.Errorf("wrong method answers %d %+v", wrong.Code, got)
	}
	if allow := wrong.Header().Get("Allow"); !strings.Contains(allow, http.MethodPost) {
		t.Errorf("Allow = %q, want POST in it", allow)
	}
	if entries := s.log.entries(t); len(entries) != 0 {
		t.Errorf("logged %v", entries)
	}
}

func TestRetryAfterRoundsUp(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		0: "", time.Nanosecond: "1", time.Second: "1", 1001 * time.Millisecond: "2", time.Minute: "60", -time.Second: "",
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
	if got := answer.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control = %q, want no-store", got)
	}
}

func TestErrorAfterTheAnswerBeganIsOnlyLogged(t *testing.T) {
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

func TestClientGoneIsNeitherAnsweredNorLogged(t *testing.T) {
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
	if got := s.metrics(t); !strings.HasSuffix(got[0], `{method="GET",route="/it",status="499"} 1`) {
		t.Errorf("metrics %q, want the status 499", got)
	}
}
