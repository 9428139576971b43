package prices_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
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
func warm(t *testing.T, p *process, queries []catalog.Query) (last *progress, stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done, last := make(chan struct{}), &progress{}
	go func() {
		defer close(done)
		p.KeepWarm(ctx, func(context.Context) []catalog.Query { return queries }, func(known, all int) { *last = progress{known, all} })
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
		if want := (progress{warmProducts, warmProducts}); *last != want || shop.requests.Load() > 5*warmProducts {
			t.Errorf("%+v, %d requests in three days, want at most 5 for each product", *last, shop.requests.Load())
		}
	})
}

// What the aggregator does not have, and what fails, is not asked for in every round.
func TestWarmingDoesNotInsist(t *testing.T) {
	for _, tt := range []struct {
		name        string
		err         error
		least, most int64 // tries in a day
	}{
		{"nothing matches", nil, 1, 1},
		{"the page cannot be read", lookup.Changed(errAway), 24, 24 * 6},
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
				p := newProcess(shop)
				last, stop := warm(t, p, []catalog.Query{{Text: "nothing of this name"}})
				time.Sleep(day)
				stop()
				if n := tries.Load(); n < tt.least || n > tt.most || last.known != 0 {
					t.Errorf("%d tries, want %d to %d; %+v", n, tt.least, tt.most, *last)
				}
			})
		})
	}
}

// Warming takes no place in the queue of users. After an idle night people wait less for what
// was warmed; over a day without a quiet minute they wait as long for anything else.
func TestUsersWaitNoLongerBecauseOfWarming(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	t.Parallel()
	const nothing = "nothing"
	ratios := map[string]float64{"unpopular products": 1.005, "popular products": 0.99} // of the waits, at most
	var mu sync.Mutex
	days := map[string]tally{}
	t.Run("day", func(t *testing.T) {
		for name, products := range map[string][]catalog.Query{
			nothing: nil, "unpopular products": ranked(100_000), "popular products": ranked(0),
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					shop := &fair{pacer: newPacer()}
					p := newProcess(shop)
					defer ahead(t, p)()
					if products != nil {
						_, stop := warm(t, p, products)
						defer stop()
					}
					time.Sleep(2 * time.Hour)
					day := live(p, shop, questionsOf(0, newZipf(6000)))
					mu.Lock()
					defer mu.Unlock()
					days[name] = day
				})
			})
		}
	})
	without := days[nothing]
	for name, most := range ratios {
		with := days[name]
		ratio := with.sum.Seconds() / without.sum.Seconds()
		t.Logf("%s: %.0f s of waiting instead of %.0f s, ratio %.4f; %d refused instead of %d",
			name, with.sum.Seconds(), without.sum.Seconds(), ratio, with.refused, without.refused)
		if ratio > most || with.refused > without.refused+1 {
			t.Errorf("%s: ratio %.4f, want at most %.3f; %d refused instead of %d", name, ratio, most, with.refused, without.refused)
		}
	}
}
