package httpapi_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"unsafe"
)

// sink keeps the very slices that a handler writes.
type sink struct {
	header http.Header
	parts  [][]byte
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(int)             {}
func (s *sink) Write(b []byte) (int, error) { s.parts = append(s.parts, b); return len(b), nil }

// wrote reports whether bytes of payload itself, and no copy of them, are among
// the parts, from its beginning.
func (s *sink) wrote(payload []byte) bool {
	for _, part := range s.parts {
		if len(part) > 0 && unsafe.SliceData(part) == unsafe.SliceData(payload) {
			return true
		}
	}
	return false
}

// TestHitCopiesAndAsksNothing: the encoded bytes of a kept answer go out as they
// are, whatever the limit or the spelling, and the shared store is not asked.
func TestHitCopiesAndAsksNothing(t *testing.T) {
	w := newWorld()
	r := w.newReplica(t)
	r.get(rankingOf)
	r.get(priceOf + "q=abc")
	ranked, _, err := r.rankings.Get(t.Context(), "gpu")
	if err != nil {
		t.Fatal(err)
	}
	before := w.store.calls
	priced := w.store.kept["price:ceneo::abc"]
	for path, payload := range map[string][]byte{
		"/api/benchmark/gpu": ranked.Payload, "/api/benchmark/gpu?limit=500": ranked.Payload, "/api/benchmark/gpu?limit=1": ranked.Payload,
		priceOf + "q=abc": priced.Payload, priceOf + "q=+ABC+": priced.Payload,
	} {
		out := &sink{header: http.Header{}}
		r.echo.ServeHTTP(out, httptest.NewRequest(http.MethodGet, path, nil))
		if !out.wrote(payload) || !json.Valid(bytes.Join(out.parts, nil)) {
			t.Errorf("%s: the encoded answer was not written as it is", path)
		}
	}
	if w.store.calls != before || w.site.asked+w.shop.asked != 2 {
		t.Errorf("%d calls of the shared store, %d look-ups", w.store.calls-before, w.site.asked+w.shop.asked)
	}
}

// TestHitEncodesNothing: what a hit allocates does not grow with its rows.
func TestHitEncodesNothing(t *testing.T) {
	r := newWorld().newReplica(t)
	r.get(rankingOf)
	allocations := func(path string) float64 {
		request, out := httptest.NewRequest(http.MethodGet, path, nil), &sink{}
		return testing.AllocsPerRun(200, func() {
			out.header, out.parts = http.Header{}, out.parts[:0]
			r.echo.ServeHTTP(out, request)
		})
	}
	one, all := allocations("/api/benchmark/gpu?limit=1"), allocations("/api/benchmark/gpu?limit=500")
	if all > one+5 || all > 60 {
		t.Errorf("%v allocations for 500 rows, %v for one", all, one)
	}
}
