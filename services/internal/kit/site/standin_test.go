package site_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"backend.example/services/internal/kit/fault"
)

func TestStandIn(t *testing.T) {
	s := newSite(t, options())
	const (
		page    = "text/html,application/xhtml+xml,*/*;q=0.8"
		gone    = "Ta część serwisu jest chwilowo niedostępna. Spróbuj ponownie za chwilę."
		tooMany = "Zbyt wiele żądań w krótkim czasie. Spróbuj ponownie za chwilę."
	)
	for _, test := range []struct{ path, accept, shows, contentType, retryAfter string }{
		{"/niedostepne/502", page, "Błąd 502</p>\n<h1>" + gone, "text/html; charset=utf-8", "5"},
		{"/niedostepne/kod/504", page, "Błąd 504</p>\n<h1>" + gone, "text/html; charset=utf-8", "5"},
		{"/niedostepne/429", page, "Błąd 429</p>\n<h1>" + tooMany, "text/html; charset=utf-8", "1"},
		{"/niedostepne/502", "*/*", `{"success":false,"error":"` + gone + `"}`, "application/json", "5"},
		{"/niedostepne/429", "", `{"success":false,"error":"` + tooMany + `"}`, "application/json", "1"},
		{"/niedostepne/kod/503", "*/*", `{"error":"` + gone + `","code":"service_unavailable"}`, "application/json", "5"},
		{"/niedostepne/kod/429", "application/json", `{"error":"` + tooMany + `","code":"too_many_requests"}`, "application/json", "1"},
	} {
		answer, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, test.path, nil)
		r.Header.Set("Accept", test.accept)
		if err := s.ServeStandIn(answer, r); err != nil {
			t.Fatal(err)
		}
		header := answer.Header()
		if answer.Code != http.StatusOK || header.Get("Content-Type") != test.contentType ||
			header.Get("Retry-After") != test.retryAfter || header.Get("Cache-Control") != "no-store" {
			t.Errorf("%+v: status %d, %v", test, answer.Code, header)
		}
		if body := answer.Body.String(); !strings.Contains(body, test.shows) || test.accept != page && body != test.shows+"\n" {
			t.Errorf("%+v: %s", test, body)
		}
	}
	for _, path := range []string{"/niedostepne/200", "/niedostepne/x", "/niedostepne/", "/niedostepne/inne/502", "/niedostepne/kod/", "/x/502"} {
		answer := httptest.NewRecorder()
		err := s.ServeStandIn(answer, httptest.NewRequest(http.MethodGet, path, nil))
		if !fault.Is(err, "not_found") || answer.Body.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", path, err, answer.Body.Len())
		}
	}
}
