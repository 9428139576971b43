package fetch

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"backend.example/services/internal/kit/fault"
)

// stubSite is a site with a handler per path, and a log.
type stubSite struct {
	*httptest.Server
	*Client

	mu       sync.Mutex
	handlers map[string]http.HandlerFunc
	paths    []string // requested, robots.txt included
	headers  []http.Header
}

const agent = "hardware-test/1.0 (+mailto:ops@backend.example)"

// newStub has a robots.txt without rules and the pages /page and /other.
func newStub(t *testing.T) *stubSite {
	t.Helper()
	s := &stubSite{handlers: map[string]http.HandlerFunc{
		robotsPath: text(200, ""), "/page": text(200, "content"), "/other": text(200, "other"),
	}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.paths, s.headers = append(s.paths, r.URL.EscapedPath()), append(s.headers, r.Header)
		handler := s.handlers[r.URL.EscapedPath()]
		s.mu.Unlock()
		if handler == nil {
			handler = http.NotFound
		}
		handler(w, r)
	}))
	t.Cleanup(s.Close)
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	s.Client = New(Options{
		BaseURL: base, UserAgent: agent, Accept: "text/html", Timeout: 10 * time.Second, Transport: transport,
		Now:       time.Now,
		Forbidden: "/click/", Challenges: []string{"js_f-container"},
	})
	return s
}

func (s *stubSite) on(path string, h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[path] = h
}

func (s *stubSite) count(path string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.paths {
		if p == path {
			n++
		}
	}
	return n
}

// fetch requests a path in a look-up of its own.
func (s *stubSite) fetch(ctx context.Context, path string) (Page, error) {
	return s.Get(ctx, &Request{}, s.URL+path, nil)
}

// wantPage fails unless a path can be fetched.
func (s *stubSite) wantPage(t *testing.T, path string) {
	t.Helper()
	if p, err := s.fetch(t.Context(), path); err != nil || p.Status != 200 {
		t.Errorf("%s: status %d, %v", path, p.Status, err)
	}
}

func (s *stubSite) wantCode(t *testing.T, path, code string) {
	t.Helper()
	if p, err := s.fetch(t.Context(), path); !fault.Is(err, code) || p.Body != nil || fault.From(err).RetryAfter != 0 {
		t.Errorf("%s: body %q, error %v, want %s", path, p.Body, err, code)
	}
}

func (s *stubSite) wantPaths(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(s.paths, want) {
		t.Errorf("requested %q, want %q", s.paths, want)
	}
}

// text responds with a status and a body.
func text(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

func withHeader(name, value string, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(name, value)
		h(w, r)
	}
}
