package site_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"
	"time"

	"backend.example/services/internal/kit/site"
)

// moment is a time at which it is the next day in Poland.
var moment = time.Date(2026, time.November, 21, 23, 5, 0, 0, time.UTC)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// options configure a small site.
func options() site.Options {
	return site.Options{
		Name: "Katalog", Home: "/konto", Paths: []string{"/", "/konto"}, Prefix: "/konto/static",
		Navigation: func(*http.Request) []site.Link {
			return []site.Link{{Href: "/konto/audyt?firma=1", Text: "Audyt"}, {Href: "/konto/inne", Text: "Inne"}}
		},
		Static: fstest.MapFS{"more.js": file("alert(1)")},
		Pages: fstest.MapFS{
			"greeting.html":         file(`{{define "main"}}<h1>{{.}}</h1>{{template "part" .}}{{end}}`),
			"parts.html":            file(`{{define "main"}}{{plural 2 "a" "b" "c"}}{{end}}{{define "head"}}<meta name="x" content="{{.}}">{{end}}`),
			"broken.html":           file(`{{define "main"}}<p>{{.Missing}}</p>{{end}}`),
			"partials/account.html": file(`{{define "account"}}<b>{{.}}</b>{{end}}`),
			"partials/part.html":    file(`{{define "part"}}<i>{{.}}</i>{{end}}`),
		},
	}
}

func newSite(t *testing.T, o site.Options) *site.Site {
	t.Helper()
	s, err := site.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// write renders a page for a request of /konto/audyt.
func write(t *testing.T, s *site.Site, name string, p site.Page) *httptest.ResponseRecorder {
	t.Helper()
	answer := httptest.NewRecorder()
	if err := s.Write(answer, httptest.NewRequest(http.MethodGet, "/konto/audyt", nil), http.StatusOK, name, p); err != nil {
		t.Fatal(err)
	}
	return answer
}
