package httpx_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

func TestInternalErrorLeaksNothing(t *testing.T) {
	causes := []error{
		errors.New(`pq: relation "users" does not exist: SELECT email FROM users`),
		errors.New("dial tcp 10.0.3.7:5432: connect: connection refused"),
		errors.New("open /etc/demo/keys.json: permission denied"),
		errors.New("refresh with token ya29.secret failed"),
		errors.New("runtime error at store/user.go:41"),
	}
	causes = append(causes, echo.NewHTTPError(http.StatusBadGateway, "upstream db.inner").SetInternal(causes[1]))
	var first string
	for _, cause := range causes {
		s := newService()
		s.fail("/it", cause)
		answer := s.get("/it")
		if answer.Code != 500 {
			t.Errorf("%v: status = %d, want 500", cause, answer.Code)
		}
		if first == "" {
			first = answer.Body.String()
		}
		if got := answer.Body.String(); got != first {
			t.Errorf("%v: body = %s, want the same for every cause: %s", cause, got, first)
		}
		for name, values := range answer.Header() {
			if strings.Contains(strings.Join(values, " "), cause.Error()) {
				t.Errorf("%v: header %s = %q", cause, name, values)
			}
		}
		if entries := s.log.entries(t); len(entries) != 1 || entries[0]["error"] != cause.Error() {
			t.Errorf("%v: logged %v, want the cause once", cause, entries)
		}
	}
	for _, word := range []string{"SELECT", "pq", "10.0.3.7", "/etc", ".go", "ya29", "db.inner", "connection"} {
		if strings.Contains(first, word) {
			t.Errorf("body %s holds %q", first, word)
		}
	}
}

func TestFaultShowsItsMessageNotItsCause(t *testing.T) {
	s := newService()
	s.fail("/it", fault.Wrap(errors.New("GET http://10.0.3.7/?key=abc: EOF"), fault.Upstream, "source_failed", "Źródło."))
	want := `{"error":"Źródło.","code":"source_failed"}` + "\n"
	if answer := s.get("/it"); answer.Code != 502 || answer.Body.String() != want {
		t.Errorf("answer = %d %s, want 502 %s", answer.Code, answer.Body, want)
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
			"level": "ERROR", "code": "some_code", "status": float64(httpx.Status(test.kind)), "error": "some_code: EOF",
			"method": "GET", "route": "/companies/:slug", "request_id": "req-7",
		}
		for key, value := range want {
			if entries[0][key] != value {
				t.Errorf("kind %d: %s = %v, want %v", test.kind, key, entries[0][key], value)
			}
		}
	}
}
