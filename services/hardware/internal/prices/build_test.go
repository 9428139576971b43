package prices_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
)

// build asks for the prices of eight parts every second, over real turns in virtual time,
// and returns how many were ready each time.
func build(t *testing.T, quotes *prices.Quotes) (ready []int, took time.Duration) {
	t.Helper()
	queries := eightParts()
	for begun, last := time.Now(), -1; ; time.Sleep(time.Second) {
		count := 0
		for _, q := range quotes.Ask(t.Context(), lookup.Caller{Client: "192.0.2.1"}, queries) {
			switch {
			case q.Fault != nil:
				t.Fatal(q.Fault)
			case q.Answer != nil:
				count++
			}
		}
		if count < last {
			t.Errorf("%d ready, then %d", last, count)
		}
		last = count
		if ready = append(ready, count); count == len(queries) {
			return ready, time.Since(begun)
		}
	}
}

func eightParts() (queries []catalog.Query) {
	for n := range 8 {
		queries = append(queries, catalog.Query{Text: fmt.Sprintf("part %d spelling 1", n)})
	}
	return queries
}

func TestABuildOfEightParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pacer := newPacer()
		shop := &fair{pacer: pacer}
		p := newProcess(shop)
		quotes := prices.NewQuotes(p.Prices, pacer, nil, quiet)

		ready, took := build(t, quotes)
		t.Logf("eight unknown parts: %.1f s, ready after each second: %v", took.Seconds(), ready)
		if took > 25*time.Second || shop.requests.Load() != 16 {
			t.Errorf("eight unknown parts took %v and %d requests", took, shop.requests.Load())
		}
		for i := 4; i < len(ready); i++ { // two turns and a request are 2.7 s
			if ready[i] <= ready[i-4] {
				t.Errorf("no progress within 4 s: %v", ready)
			}
		}
		if _, took := build(t, quotes); took != 0 || shop.requests.Load() != 16 {
			t.Errorf("eight known parts took %v", took)
		}
		time.Sleep(25 * time.Hour)
		ready, took = build(t, quotes)
		t.Logf("a day later: %.1f s, ready after each second: %v", took.Seconds(), ready)
		if took > 11*time.Second || shop.requests.Load() != 24 {
			t.Errorf("a day later eight parts took %v, %d requests in all", took, shop.requests.Load())
		}
		time.Sleep(time.Minute)
	})
}

// Turns go round the clients: a client that asks for a single part does not wait for the list.
func TestAListDoesNotHoldUpOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pacer := newPacer()
		p := newProcess(&fair{pacer: pacer})
		quotes := prices.NewQuotes(p.Prices, pacer, nil, quiet)
		quotes.Ask(t.Context(), lookup.Caller{Client: "192.0.2.1"}, eightParts())
		time.Sleep(3 * time.Second)
		begun := time.Now()
		_, _, err := p.Get(context.Background(), lookup.Caller{Client: "192.0.2.2"}, catalog.Query{Text: "part 40 spelling 1"})
		if took := time.Since(begun); err != nil || took > 8*time.Second {
			t.Errorf("a single part took %v next to a list, %v", took, err)
		}
		time.Sleep(2 * time.Minute)
	})
}
