package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// flow is an endless body that counts what the other side lets it send.
type flow struct{ sent atomic.Int64 }

// into writes until the client has had enough, and 1 GiB at most.
func (f *flow) into(w io.Writer) {
	chunk := []byte(strings.Repeat("<p>", 10<<10))
	for range (1 << 30) / len(chunk) {
		n, err := w.Write(chunk)
		f.sent.Add(int64(n))
		if err != nil {
			return
		}
	}
}

// TestHostileAggregator: a source that sends us elsewhere, round in circles or too
// much is refused, reaches nothing inside, costs no more than a page, and after
// five failures in a row it is not asked any more.
func TestHostileAggregator(t *testing.T) {
	var inside atomic.Int64
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside.Add(1) }))
	defer stranger.Close()
	port := stranger.URL[strings.LastIndex(stranger.URL, ":"):]
	body := &flow{}
	to := func(address string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, address, http.StatusFound) }
	}
	tests := map[string]http.HandlerFunc{
		"loopback":             to(stranger.URL),
		"loopback by name":     to("http://localhost" + port),
		"loopback as a number": to("http://2130706433" + port),
		"loopback, mapped":     to("http://[::ffff:127.0.0.1]" + port),
		"link-local metadata":  to("http://169.254.169.254/latest/meta-data/"),
		"private network":      to("http://10.0.0.1/"),
		"private, mapped":      to("http://[::ffff:192.168.0.1]/"),
		"unique local":         to("http://[fd00::1]/"),
		"a file":               to("file:///etc/passwd"),
		"endless redirect":     func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x", http.StatusFound) },
		"endless body":         func(w http.ResponseWriter, _ *http.Request) { body.into(w) },
		"body of 10 GB": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10000000000")
			body.into(w)
		},
		"gzip bomb": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			(&flow{}).into(z)
		},
	}
	for name, answer := range tests {
		t.Run(name, func(t *testing.T) {
			body.sent.Store(0)
			s := openHostile(t, answer)
			for i := range 5 {
				if a := s.ask(i); a.Code != http.StatusBadGateway {
					t.Errorf("look-up %d: %d %s", i+1, a.Code, a.Body)
				}
			}
			asked := s.asked.Load()
			a := s.ask(6)
			seconds, _ := strconv.Atoi(a.Header().Get("Retry-After"))
			if a.Code != http.StatusServiceUnavailable || !strings.Contains(a.Body.String(), "source_paused") || seconds < 1 || s.asked.Load() != asked {
				t.Errorf("after five failures: %d %s, Retry-After %d, %d requests more", a.Code, a.Body, seconds, s.asked.Load()-asked)
			}
			if most := int64(5 * 16 << 20); body.sent.Load() > most || asked > 5*7 {
				t.Errorf("%d requests, %d bytes taken", asked, body.sent.Load())
			}
		})
	}
	if n := inside.Load(); n > 0 {
		t.Errorf("%d requests reached the inner network", n)
	}
}

// hostile is the service before a source with one answer for every page.
type hostile struct {
	http.Handler
	asked atomic.Int64 // pages
}

func openHostile(t *testing.T, answer http.HandlerFunc) *hostile {
	t.Helper()
	s := &hostile{}
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		s.asked.Add(1)
		answer(w, r)
	}))
	t.Cleanup(source.Close)
	cfg, err := loadConfig((&fakeSource{Server: source}).environ(t))
	if err != nil {
		t.Fatal(err)
	}
	a, err := newApp(cfg, slog.New(slog.DiscardHandler), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Handler = a.handler()
	return s
}

// ask makes the i-th look-up, which no cache has seen.
func (s *hostile) ask(i int) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	q := url.QueryEscape(fmt.Sprint("rtx 40", i, "0 super"))
	s.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/api/prices/ceneo?q="+q, nil))
	return answer
}
