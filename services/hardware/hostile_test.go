package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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
// much is refused, reaches nothing inside and costs no more than a page. It pauses nothing,
// because a single query may be what it does so for.
func TestHostileAggregator(t *testing.T) {
	var inside atomic.Int64
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside.Add(1) }))
	defer stranger.Close()
	body := &flow{}
	tests := map[string]http.HandlerFunc{
		"loopback by name":    http.RedirectHandler(strings.Replace(stranger.URL, "127.0.0.1", "localhost", 1), http.StatusFound).ServeHTTP,
		"link-local metadata": http.RedirectHandler("http://169.254.169.254/latest/meta-data/", http.StatusFound).ServeHTTP,
		"endless redirect":    func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x", http.StatusFound) },
		"endless body":        func(w http.ResponseWriter, _ *http.Request) { body.into(w) },
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
	for name, respond := range tests {
		t.Run(name, func(t *testing.T) {
			body.sent.Store(0)
			source := newFakeSource(t)
			source.respond = respond
			w := newWired(t, source.environ(t))
			const queries = 6 // which no cache has seen
			for i := range queries {
				requireAnswer(t, w.get(fmt.Sprintf("/api/prices/ceneo?q=rtx+40%d0+super", i)), http.StatusBadGateway, "source_changed")
			}
			if asked, most := source.total(), int64(queries*16<<20); body.sent.Load() > most || asked > queries*7 {
				t.Errorf("%d requests, %d bytes taken", asked, body.sent.Load())
			}
		})
	}
	if n := inside.Load(); n > 0 {
		t.Errorf("%d requests reached the inner network", n)
	}
}
