package site_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"backend.example/services/internal/kit/site"
)

func TestDocument(t *testing.T) {
	s := newSite(t, options())
	d, err := s.Document("/konto/inne", "greeting", site.Page{Title: "Opis", Data: "x"})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, match string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/konto/inne?x=1", nil)
		r.Header.Set("If-None-Match", match)
		answer := httptest.NewRecorder()
		d.ServeHTTP(answer, r)
		return answer
	}
	first := ask(http.MethodGet, "")
	h, body := first.Header(), first.Body.String()
	if h.Get("Cache-Control") != "no-cache" || h.Get("Content-Type") != "text/html; charset=utf-8" || h.Get("Content-Security-Policy") == "" {
		t.Errorf("headers %v", h)
	}
	for _, want := range []string{"<h1>x</h1>", `href="/konto/inne" aria-current="page"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in\n%s", want, body)
		}
	}
	if again := ask(http.MethodGet, h.Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
		t.Errorf("again: %d, %d bytes", again.Code, again.Body.Len())
	}
	if head := ask(http.MethodHead, `"other"`); head.Code != 200 || head.Body.Len() > 0 {
		t.Errorf("HEAD: %d, %d bytes", head.Code, head.Body.Len())
	}
	other, err := s.Document("/konto/inne", "greeting", site.Page{Title: "Opis", Data: "y"})
	if err != nil {
		t.Fatal(err)
	}
	changed := httptest.NewRecorder()
	other.ServeHTTP(changed, httptest.NewRequest(http.MethodGet, "/konto/inne", nil))
	if changed.Header().Get("ETag") == h.Get("ETag") {
		t.Error("another page has the same ETag")
	}
	if _, err := s.Document("/", "none", site.Page{}); err == nil {
		t.Error("a page that there is not")
	}
}
