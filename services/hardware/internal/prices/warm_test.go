package prices_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
)

const warmProducts = 300 // the first 50 of six rankings

// ranked are products of rankings from first on: none of them is missing at the aggregator.
func ranked(first int) (queries []catalog.Query) {
	for product := first; len(queries) < warmProducts; product++ {
		if !isMissing(product) {
			queries = append(queries, catalog.Query{Text: fmt.Sprintf("part %d spelling 1", product)})
		}
	}
	return queries
}

// progress is what KeepWarm reported last.
type progress struct{ known, all int }

// warm keeps the prices of queries warm until the returned function is called.
func warm(t *testing.T, p *process, queries []catalog.Query) (last *atomic.Value, stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done, last := make(chan struct{}), &atomic.Value{}
	go func() {
		defer close(done)
		p.KeepWarm(ctx, func(context.Context) []catalog.Query { return queries }, func(known, all int) { last.Store(progress{known, all}) })
	}()
	return last, func() { cancel(); <-done; time.Sleep(time.Minute) } // a look-up that has begun goes on
}

// After hours without a question all prices are known, and they stay so.
func TestAnIdleDayKnowsEveryRankedPrice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := &fair{pacer: newPacer()}
		p := newProcess(shop)
		last, stop := warm(t, p, ranked(0))
		defer stop()
		time.Sleep(2 * time.Hour)
		for hour := range 3 * 24 {
			synctest.Wait()
			for _, q := range ranked(0) {
				if a, ok := p.Peek(q); !ok || len(a.Value.Offers) == 0 {
					t.Fatalf("%s is not known after %d hours", q.Text, hour+2)
				}
			}
			time.Sleep(time.Hour)
		}
		synctest.Wait()
		if want := (progress{warmProducts, warmProducts}); last.Load() != want || shop.requests.Load() > 5*warmProducts {
			t.Errorf("%+v, %d requests in three days, want at most 5 for each product", last.Load(), shop.requests.Load())
		}
	})
}

// A page that is about another product now is searched for again. What no shop sells any more is
// not known, and nothing of this is demand.
func TestWarmingFollowsTheProduct(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, q := cards(), catalog.Query{Text: "rtx 4070 super"}
		p := newProcess(shop)
		last, stop := warm(t, p, []catalog.Query{q})
		defer stop()
		name := shop.pages["7"]
		expect := func(when string, known int, requests ...string) {
			t.Helper()
			synctest.Wait()
			shop.expect(t, when, requests...)
			if a, ok := p.Peek(q); ok != (known > 0) || ok && a.Value.ProductName != name || last.Load() != (progress{known, 1}) {
				t.Errorf("%s: %+v, %+v known", when, a, last.Load())
			}
		}
		time.Sleep(12 * time.Hour)
		expect("at first", 1, "rtx 4070 super", "7")
		shop.mu.Lock()
		shop.pages["7"], shop.pages["8"], shop.rows["8"], shop.means[q.Text] = "MSI GeForce RTX 4070 Ti 12GB", name, name, "8"
		shop.mu.Unlock()
		time.Sleep(day)
		expect("a day later", 1, "7", "rtx 4070 super", "8")
		shop.sellOut()
		time.Sleep(day)
		expect("sold out", 0, "8")
		if n := p.Wanted(); n != 0 {
			t.Errorf("the demand for %d products is recorded", n)
		}
	})
}

// Prices that are kept for an hour only are read again when half of it is over.
func TestWarmingOfShortLivedPrices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, q := cards(), catalog.Query{Text: "rtx 4070 super"}
		p := newProcess(shop)
		p.TTL = time.Hour
		_, stop := warm(t, p, []catalog.Query{q})
		defer stop()
		for range 24 * 6 {
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			if _, ok := p.Peek(q); !ok {
				t.Fatal("not known")
			}
		}
		if n := len(shop.drain()); n > 1+2*24 {
			t.Errorf("%d requests in a day", n)
		}
	})
}

// What the aggregator does not have, and what fails, is not asked for in every round, nor by
// every replica.
func TestWarmingDoesNotInsist(t *testing.T) {
	for _, tt := range []struct {
		name        string
		err         error
		least, most int64 // tries in a day
	}{
		{"nothing matches", nil, 1, 1},
		{"the page cannot be read", lookup.Changed(errAway), 24*6 - 2, 24 * 6},
		{"no idle turn", lookup.Abandoned(errAway), 24 * 600, 24 * 720},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shop := cards()
				var tries atomic.Int64
				shop.setTurn(func(_ context.Context, r *lookup.Request) error {
					if r.Class != lookup.Idle || r.Begun {
						t.Errorf("requested by %+v", r.Caller)
					}
					tries.Add(1)
					return tt.err
				})
				matches, offers := newSharedStore[prices.Match](), newSharedStore[prices.Price]()
				one := newReplica(shop, matches.replica(nil), offers.replica(nil))
				two := newReplica(shop, matches.replica(nil), offers.replica(nil))
				_, stopOne := warm(t, one, []catalog.Query{{Text: "nothing of this name"}})
				defer stopOne()
				time.Sleep(time.Second)
				last, stopTwo := warm(t, two, []catalog.Query{{Text: "nothing of this name"}})
				defer stopTwo()
				time.Sleep(day)
				synctest.Wait()
				reported, _ := last.Load().(progress)
				if n := tries.Load(); n < tt.least || n > tt.most || reported.known != 0 {
					t.Errorf("%d tries, want %d to %d; %+v", n, tt.least, tt.most, reported)
				}
			})
		})
	}
}

// TestWarmingWaitsForQuiet checks that nothing is read ahead of time in the half minute after
// a look-up for a user, who may ask for more.
func TestWarmingWaitsForQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, begin := cards(), time.Now()
		var first atomic.Int64 // since begin
		shop.setTurn(func(_ context.Context, r *lookup.Request) error {
			if r.Class == lookup.Idle {
				first.CompareAndSwap(0, int64(time.Since(begin)))
			}
			return nil
		})
		p := newProcess(shop)
		_, stop := warm(t, p, []catalog.Query{{Text: "RTX 4070 SUPER"}})
		time.Sleep(50 * time.Second) // warming begins after a minute
		if _, _, err := p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: "something else"}); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		stop()
		if first := time.Duration(first.Load()); first != 80*time.Second {
			t.Errorf("the first idle request is sent after %s, want 30 s after that of the user", first)
		}
	})
}
