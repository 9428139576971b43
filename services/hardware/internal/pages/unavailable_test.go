package pages

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestUnavailable(t *testing.T) {
	w := newWorld(t)
	const message = "Ta część serwisu jest chwilowo niedostępna. Spróbuj ponownie za chwilę."
	for _, tt := range []struct{ name, accept, path, shows string }{
		{"a browser", "text/html,application/xhtml+xml,*/*;q=0.8", "/niedostepne/502", "Błąd 502 " + message},
		{"a browser, too late", "text/html", "/niedostepne/504", "Błąd 504 " + message},
		{"a program", "*/*", "/niedostepne/502", `{"success":false,"error":"` + message + `"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, tt.path, nil)
			r.Header.Set("Accept", tt.accept)
			p := w.answer(t, r)
			p.shows(tt.shows)
			if p.status != http.StatusOK || p.header.Get("Retry-After") != "5" || p.header.Get("Cache-Control") != "no-store" {
				t.Errorf("status %d, %v", p.status, p.header)
			}
		})
	}
	for _, path := range []string{"/niedostepne/200", "/niedostepne/x", "/niedostepne/"} {
		if p := w.get(t, path); p.status != http.StatusNotFound {
			t.Errorf("%s: status %d", path, p.status)
		}
	}
}
