package prove

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"backend.example/deploy/stack"
)

// shopper asks for the prices of ever new products, and for the rankings. What it
// was told once, it has to be told again: the look-up was paid for.
type shopper struct {
	stack *stack.Stack
	base  string
	http  *http.Client
	asked int
	told  map[string]string // scrapedAt by path
	full  int               // rows of the ranking that the shopper compares
}

type offer struct {
	ScrapedAt string
	Offers    []any
}

const ranking = "/api/benchmark/ssd?limit=500"

func newShopper(t *testing.T, s *stack.Stack) *shopper {
	t.Helper()
	h := &shopper{stack: s, base: s.Gateway, http: &http.Client{Transport: anywhere()}, told: map[string]string{}}
	h.full = h.rows(t)
	return h
}

// work asks until an answer stays out or it is over.
func (h *shopper) work(ctx context.Context, over <-chan struct{}) {
	h.http.CloseIdleConnections()
	for {
		h.asked++
		path := fmt.Sprintf("/api/prices/ceneo?q=dysk+model+%d", h.asked)
		a, err := stack.Send(ctx, h.http, http.MethodGet, h.base+path, nil)
		var o offer
		if err != nil || a.Status != http.StatusOK || json.Unmarshal(a.Body, &o) != nil {
			return
		}
		if len(o.Offers) > 0 { // an empty answer is not kept
			h.told[path] = o.ScrapedAt
		}
		select {
		case <-over:
			return
		default:
		}
	}
}

// shares waits until what one replica was told, another one knows.
func shares(t *testing.T, s *stack.Stack) {
	t.Helper()
	n := 0
	stack.Eventually(t, "the replicas share their cache", func(ctx context.Context) bool {
		n++
		first, second := offer{}, offer{}
		for i, o := range []*offer{&first, &second} {
			path := fmt.Sprintf("%s/api/prices/ceneo?q=nowa+karta+%d", s.Hardware[i].URL(), n)
			a, err := stack.Send(ctx, stack.Client(), http.MethodGet, path, nil)
			if err != nil || a.Status != http.StatusOK || json.Unmarshal(a.Body, o) != nil {
				return false
			}
		}
		return first.ScrapedAt == second.ScrapedAt
	})
}

// verify asks for the newest of the known again. forgotten: the cache that the
// replicas share was killed.
func (h *shopper) verify(t *testing.T, forgotten bool) {
	t.Helper()
	if forgotten {
		clear(h.told)
	}
	for path, want := range h.told {
		a, err := stack.Send(t.Context(), h.http, http.MethodGet, h.base+path, nil)
		var o offer
		if err != nil || a.Status != http.StatusOK || json.Unmarshal(a.Body, &o) != nil || o.ScrapedAt != want && !h.wentAlone() {
			t.Errorf("%s: %d, %v, scraped at %q; told before: %q", path, a.Status, err, o.ScrapedAt, want)
		}
		h.told[path] = o.ScrapedAt
		break // any one: the map's order changes
	}
	if rows := h.rows(t); rows != h.full {
		t.Errorf("the ranking has %d rows, before it had %d", rows, h.full)
	}
}

// wentAlone reports whether a replica says that Redis did not answer in time, which
// happens on a machine that is busy: it then looks up alone, and nobody shares that.
func (h *shopper) wentAlone() bool {
	for _, replica := range h.stack.Hardware {
		if log := replica.Log.String(); strings.Contains(log, "shared store is away") || strings.Contains(log, "outcome not shared") {
			return true
		}
	}
	return false
}

func (h *shopper) rows(t *testing.T) int {
	t.Helper()
	a, err := stack.Send(t.Context(), h.http, http.MethodGet, h.base+ranking, nil)
	if err != nil {
		t.Fatal(err)
	}
	return stack.Decode[struct{ Count int }](t, a).Count
}
