package httpapi_test

import (
	"bytes"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

// sink takes a body without allocating for it.
type sink struct {
	header http.Header
	body   bytes.Buffer
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(int)             {}
func (s *sink) Write(b []byte) (int, error) { return s.body.Write(b) }

// allocations returns how often a request allocates: the least of many runs, because
// pools drop entries at random under the race detector.
func allocations(by http.Handler, path string, headers ...string) float64 {
	request, out := httptest.NewRequest(http.MethodGet, path, nil), &sink{header: http.Header{}}
	if len(headers) == 2 {
		request.Header.Set(headers[0], headers[1])
	}
	least := math.Inf(1)
	for range 200 {
		least = min(least, testing.AllocsPerRun(1, func() {
			clear(out.header)
			out.body.Reset()
			by.ServeHTTP(out, request)
		}))
	}
	return least
}

// TestHitEncodesNothing: a hit allocates as little for 500 rows as for one, plain and in
// gzip, and does not ask the shared store.
func TestHitEncodesNothing(t *testing.T) {
	w := newWorld()
	r := w.newReplica(t)
	limited := func(limit string) string { return "/api/benchmark/gpu?limit=" + limit }
	paths := []string{limited("10"), limited("200"), limited("500"), priceOf + "q=abc", priceOf + "q=+ABC+"}
	for _, path := range paths {
		r.plain(path)
	}
	before := w.calls()
	for _, encoding := range []string{"identity", "gzip"} {
		ten := allocations(r.echo, paths[0], "Accept-Encoding", encoding)
		for _, path := range paths {
			if n := allocations(r.echo, path, "Accept-Encoding", encoding); n > ten+5 { // a price is of two parts
				t.Errorf("%s in %s: %v allocations, %v for ten rows", path, encoding, n, ten)
			}
		}
	}
	if w.calls() != before || w.site.asked+w.shop.asked != 2 {
		t.Errorf("%d calls of the shared store, %d look-ups", w.calls()-before, w.site.asked+w.shop.asked)
	}
}

// TestMissReadsTheLocalCacheOnce for each part of its answer: a price has the search and
// the offers.
func TestMissReadsTheLocalCacheOnce(t *testing.T) {
	for path, parts := range map[string]int64{rankingOf: 1, priceOf + "q=abc": 2} {
		r := newWorld().newReplica(t)
		r.get(path)
		if n := r.local.Misses(); n != parts {
			t.Errorf("%s: the local cache was read %d times, want %d", path, n, parts)
		}
	}
}

// TestNewAnswerReplacesTheKeptBody: the kept encoding is not served for a newer answer.
func TestNewAnswerReplacesTheKeptBody(t *testing.T) {
	c := newCanned(t, time.Hour)
	c.via = lookup.ViaLocal
	for _, path := range []string{rankingOf, priceOf + "q=abc"} {
		old := c.get(path).Body.String()
		if again := c.get(path).Body.String(); again != old {
			t.Errorf("%s: %s after %s", path, again, old)
		}
		c.ranking, c.price = ranking(1, now), price(card(), now)
		if newer := c.get(path).Body.String(); newer == old {
			t.Errorf("%s: the body of the answer before is still served", path)
		}
		c.ranking, c.price = ranking(3, now.Add(-time.Hour)), price(card(), now.Add(-time.Hour))
	}
}
