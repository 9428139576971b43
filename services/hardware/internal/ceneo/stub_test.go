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
	"sync"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/fault"
)

// stubSite is the aggregator in these tests: a handler per path, and a log.
type stubSite struct {
	*httptest.Server
	mu       sync.Mutex
	handlers map[string]http.HandlerFunc // by escaped path
	asked    []string                    // escaped paths, robots.txt included
	headers  []http.Header
}

func newStubSite(t *testing.T) *stubSite {
	t.Helper()
	s := &stubSite{handlers: map[string]http.HandlerFunc{robotsPath: text(200, fixture(t, "robots.txt"))}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.EscapedPath())
		s.headers = append(s.headers, r.Header)
		handler := s.handlers[r.URL.EscapedPath()]
		s.mu.Unlock()
		if handler == nil {
			http.NotFound(w, r)
			return
		}
		handler(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *stubSite) on(path string, h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[path] = h
}

// pages lists what was asked for, without robots.txt.
func (s *stubSite) pages() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.asked), func(path string) bool { return path == robotsPath })
}

func (s *stubSite) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, asked := range s.asked {
		if asked == path {
			n++
		}
	}
	return n
}

// text answers with a status and a body.
func text(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

// countingPacer gives every turn at once and notes how it was asked.
type countingPacer struct {
	mu     sync.Mutex
	begun  []bool
	sent   int
	refuse error
	apart  []time.Duration
}

func (p *countingPacer) KeepApart(d time.Duration) { p.apart = append(p.apart, d) }

func (p *countingPacer) Turn(ctx context.Context, r *lookup.Request) (func(), error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuse != nil {
		return nil, p.refuse
	}
	p.begun = append(p.begun, r.Begun)
	r.Begun = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.sent++
	}, nil
}

func (p *countingPacer) turns() ([]bool, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.begun), p.sent
}

const agent = "hardware-test/1.0 (+mailto:ops@backend.example)"

// options points an Aggregator at a stub.
func options(t *testing.T, base string) (AggregatorOptions, *countingPacer) {
	t.Helper()
	p := &countingPacer{}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return AggregatorOptions{
		BaseURL: mustParse(t, base), UserAgent: agent, Timeout: 10 * time.Second,
		Transport: transport, Pacer: p, Now: time.Now,
	}, p
}

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func query(text string) catalog.Query { return catalog.Query{Text: text} }

// wantCode reports an error that is not the fault with code.
func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("error %v, want %s", err, code)
	}
}

const (
	searchPath = "/Karty_graficzne;szukaj-RTX+4070"
	allPath    = "/Komputery;szukaj-RTX+4070" // of the whole computer department
	barePath   = "/;szukaj-RTX+4070"          // of the whole site
	sortedPath = "/155000002;0280-0.htm"
	plainPath  = "/155000002"
)

// openStub is a stub with the documented search and product page.
func openStub(t *testing.T) (*stubSite, *Aggregator, *countingPacer) {
	t.Helper()
	s := newStubSite(t)
	s.on(searchPath, text(200, fixture(t, "list.html")))
	s.on(allPath, text(200, fixture(t, "list.html")))
	s.on(sortedPath, text(200, fixture(t, "product.html")))
	o, pacer := options(t, s.URL)
	return s, NewAggregator(o), pacer
}

func mustFind(t *testing.T, a *Aggregator, q catalog.Query) prices.Finding {
	t.Helper()
	f, err := find(t.Context(), a, q)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// find takes both steps of a look-up.
func find(ctx context.Context, a *Aggregator, q catalog.Query) (prices.Finding, error) {
	number, told, err := a.Search(ctx, &lookup.Request{}, q)
	if err != nil || number == "" {
		return told, err
	}
	f, err := a.Product(ctx, &lookup.Request{}, number, told.OfferCount)
	f.Alternatives = told.Alternatives
	return f, err
}

// flushed answers in chunks, without a length.
func flushed(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, body)
	}
}

func withHeader(name, value, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(name, value)
		_, _ = io.WriteString(w, body)
	}
}

type pacerFunc func(ctx context.Context) (func(), error)

func (pacerFunc) KeepApart(time.Duration) {}

func (f pacerFunc) Turn(ctx context.Context, _ *lookup.Request) (func(), error) { return f(ctx) }

// slowSource answers every request after a time, or when its context ends.
type slowSource struct{ takes time.Duration }

func (s slowSource) RoundTrip(req *http.Request) (*http.Response, error) {
	select {
	case <-time.After(s.takes):
		body := io.NopCloser(strings.NewReader(""))
		return &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: body, Request: req}, nil
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
}

func withRetryAfter(status int, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", value)
		w.WriteHeader(status)
	}
}

func fixture(t testing.TB, name string) string {
	t.Helper()
	body, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
