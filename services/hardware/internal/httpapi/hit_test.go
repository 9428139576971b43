package httpapi_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"backend.example/services/hardware/internal/httpapi"
)

// sink takes a body without allocating for it.
type sink struct {
	header http.Header
	body   bytes.Buffer
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(int)             {}
func (s *sink) Write(b []byte) (int, error) { return s.body.Write(b) }

// scratch changes the first text of an encoded answer to one that begins with "~".
func scratch(form any) {
	payload := httpapi.Payload(form)
	payload[bytes.Index(payload, []byte(`":"`))+3] = '~'
}

// TestHitIsTheEncodedCopy: the encoded bytes of a kept answer go out as they are,
// a scratch in them included, whatever the limit or the spelling, and the shared store
// is not asked.
func TestHitIsTheEncodedCopy(t *testing.T) {
	w := newWorld()
	r := w.newReplica(t)
	r.get(rankingOf)
	r.get(priceOf + "q=abc")
	ranked, _, err := r.rankings.Get(t.Context(), "gpu")
	if err != nil {
		t.Fatal(err)
	}
	before := w.calls()
	priced := w.prices.Kept["offers:ceneo.pl:161482093"]
	scratch(ranked.Rendered)
	scratch(priced.Rendered)
	for _, path := range []string{
		"/api/benchmark/gpu", "/api/benchmark/gpu?limit=500", "/api/benchmark/gpu?limit=1", priceOf + "q=abc", priceOf + "q=+ABC+",
	} {
		if body := r.plain(path).Body.Bytes(); !bytes.Contains(body, []byte(`":"~`)) || !json.Valid(body) {
			t.Errorf("%s: the encoded answer was not written as it is", path)
		}
	}
	if w.calls() != before || w.site.asked+w.shop.asked != 2 {
		t.Errorf("%d calls of the shared store, %d look-ups", w.calls()-before, w.site.asked+w.shop.asked)
	}
}

// TestHitEncodesNothing: what a hit allocates does not grow with its rows.
func TestHitEncodesNothing(t *testing.T) {
	r := newWorld().newReplica(t)
	r.get(rankingOf)
	one, all := allocations(r.echo, "/api/benchmark/gpu?limit=1"), allocations(r.echo, "/api/benchmark/gpu?limit=500")
	if all > one {
		t.Errorf("%v allocations for 500 rows, %v for one", all, one)
	}
}
