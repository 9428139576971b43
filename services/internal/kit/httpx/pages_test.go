package httpx_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/fault"
)

// newPages is a service whose error pages, below /pages, are one line each.
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

func TestErrorsOfPagesArePages(t *testing.T) {
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

func TestErrorPageThatFailsIsLogged(t *testing.T) {
	s := newPages(errors.New("no template"))
	s.do(httptest.NewRequest(http.MethodGet, "/pages/late", nil))
	entries := s.log.entries(t)
	if last := entries[len(entries)-1]; last["msg"] != "error answer not written" || last["error"] != "no template" {
		t.Errorf("logged %v", entries)
	}
}
