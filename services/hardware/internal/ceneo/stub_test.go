package ceneo

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/prices"
)

// stub is the aggregator: a handler per path, and the paths that were requested.
type stub struct {
	*Site
	handlers map[string]http.HandlerFunc
	paths    []string // without robots.txt
	accepted []string // the Accept header of each request
}

const (
	home       = "https://www.ceneo.pl"
	cardsPath  = "/Karty_graficzne;szukaj-RTX+4070"
	allPath    = "/Komputery;szukaj-RTX+4070" // of the whole computer department
	barePath   = "/;szukaj-RTX+4070"          // of the whole site
	sortedPath = "/155000002;0280-0.htm"
	plainPath  = "/155000002"
)

// newStub has the search for an RTX 4070 and the page of the product that it leads to.
func newStub(t testing.TB, sections map[catalog.Category]string) *stub {
	t.Helper()
	s := &stub{}
	base, _ := url.Parse(home)
	s.Site = New(fetch.Options{BaseURL: base, UserAgent: "test", Timeout: time.Second, Transport: s, Now: time.Now},
		sections, nil)
	s.handlers = map[string]http.HandlerFunc{
		"/robots.txt": text(200, fixture(t, "robots.txt")), cardsPath: text(200, fixture(t, "list.html")),
		allPath: text(200, fixture(t, "list.html")), sortedPath: text(200, fixture(t, "product.html")),
	}
	return s
}

// RoundTrip implements http.RoundTripper.
func (s *stub) RoundTrip(req *http.Request) (*http.Response, error) {
	path := req.URL.EscapedPath()
	s.accepted = append(s.accepted, req.Header.Get("Accept"))
	if path != "/robots.txt" {
		s.paths = append(s.paths, path)
	}
	handler := s.handlers[path]
	if handler == nil {
		handler = http.NotFound
	}
	recorder := httptest.NewRecorder()
	handler(recorder, req)
	resp := recorder.Result()
	resp.Request = req
	return resp, nil
}

// find takes both steps of a look-up.
func (s *stub) find(ctx context.Context, q catalog.Query) (prices.Finding, error) {
	number, found, err := s.Search(ctx, &fetch.Request{}, q)
	if err != nil || number == "" {
		return found, err
	}
	f, err := s.Product(ctx, &fetch.Request{}, number, found.OfferCount)
	f.Alternatives = found.Alternatives
	return f, err
}

func (s *stub) mustFind(t *testing.T, text string) prices.Finding {
	t.Helper()
	f, err := s.find(t.Context(), catalog.Query{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (s *stub) wantPaths(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(s.paths, want) {
		t.Errorf("requested %q, want %q", s.paths, want)
	}
}

// text is a whole page or another file.
func text(status int, body string) http.HandlerFunc {
	if strings.Contains(body, "<") && !strings.Contains(body, "</html>") {
		body += "</html>"
	}
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status); _, _ = io.WriteString(w, body) }
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

func fixture(t testing.TB, name string) string {
	t.Helper()
	body, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
