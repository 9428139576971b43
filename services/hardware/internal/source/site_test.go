package source

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
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
	s := &stubSite{handlers: map[string]http.HandlerFunc{robotsPath: text(200, "User-agent: *\nDisallow: /Click/\n")}}
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
	mu       sync.Mutex
	admitted []bool
	sent     int
	refuse   error
}

func (p *countingPacer) Turn(_ context.Context, admitted bool) (func(), error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuse != nil {
		return nil, p.refuse
	}
	p.admitted = append(p.admitted, admitted)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.sent++
	}, nil
}

func (p *countingPacer) turns() ([]bool, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.admitted), p.sent
}

const agent = "hardware-test/1.0 (+mailto:ops@backend.example)"

// options points an Aggregator at a stub.
func options(t *testing.T, base string) (AggregatorOptions, *countingPacer) {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	p := &countingPacer{}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return AggregatorOptions{
		Name: "ceneo", BaseURL: u, UserAgent: agent, Timeout: 10 * time.Second,
		Transport: transport, Pacer: p, Now: time.Now,
	}, p
}

func query(text string) catalog.Query { return catalog.Query{Text: text} }

// wantCode reports an error that is not the fault with code.
func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("error %v, want %s", err, code)
	}
}

func TestSiteHoldsItsOwnHostOnly(t *testing.T) {
	tests := []struct {
		base, address string
		want          bool
	}{
		{"https://www.ceneo.pl", "https://www.ceneo.pl/1", true},
		{"https://www.ceneo.pl", "https://ceneo.pl/1", true},
		{"https://ceneo.pl", "https://WWW.Ceneo.pl:443/1", true},
		{"http://ceneo.pl", "https://ceneo.pl/1", true},
		{"https://ceneo.pl", "http://ceneo.pl/1", false},
		{"https://ceneo.pl", "https://ceneo.pl:8443/", false},
		{"https://ceneo.pl", "https://m.ceneo.pl/", false},
		{"https://ceneo.pl", "https://ceneo.pl.evil.example/", false},
		{"https://ceneo.pl", "https://user@ceneo.pl/", false},
		{"https://ceneo.pl", "ftp://ceneo.pl/", false},
		{"http://127.0.0.1:9000", "http://127.0.0.1:9001/", false},
		{"http://127.0.0.1:9000", "https://127.0.0.1:9000/", false},
	}
	for _, tt := range tests {
		base, err := url.Parse(tt.base)
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(tt.address)
		if err != nil {
			t.Fatal(err)
		}
		if got := (baseURL{base}).contains(u); got != tt.want {
			t.Errorf("%s holds %s: %v", tt.base, tt.address, got)
		}
	}
}

func TestSiteAddresses(t *testing.T) {
	for base, want := range map[string][2]string{
		"https://www.ceneo.pl":         {"ceneo.pl", "https://www.ceneo.pl/155"},
		"https://www.ceneo.pl/":        {"ceneo.pl", "https://www.ceneo.pl/155"},
		"http://127.0.0.1:9000/prices": {"127.0.0.1", "http://127.0.0.1:9000/prices/155"},
	} {
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		if s := (baseURL{u}); s.domain() != want[0] || s.address("155") != want[1] {
			t.Errorf("%s: %q, %q", base, s.domain(), s.address("155"))
		}
	}
}

func TestSearchTextIsSafeInAPath(t *testing.T) {
	o, _ := options(t, "https://www.ceneo.pl")
	a := NewAggregator(o)
	tests := map[string]string{
		"RTX 4070":                "RTX+4070",
		"słuchawki sony":          "s%C5%82uchawki+sony",
		"80+ Gold":                "80%2B+Gold",
		"a/b;c?d#e%f":             "a+b+c+d+e+f",
		`2.5" dysk <x> {y}|[z]`:   "2.5+dysk+x+y+z",
		"../../Click/Offer":       "..+..+Click+Offer",
		"rock & roll*^~`:'\\koń":  "rock+roll+ko%C5%84",
		"  M.2  NVMe ":            "M.2+NVMe",
		strings.Repeat("ż", 200):  strings.Repeat("%C5%BC", 200),
		"be quiet! Pure Power 12": "be+quiet%21+Pure+Power+12",
	}
	for in, want := range tests {
		if got := a.SearchURL(in); got != "https://www.ceneo.pl/;szukaj-"+want {
			t.Errorf("SearchURL(%q) = %q", in, got)
		}
	}
}
