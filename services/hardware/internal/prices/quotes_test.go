package prices_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
)

// list is a list of questions that is asked again and again.
type list struct {
	*prices.Quotes
	queries []catalog.Query
	keys    []string // whose places were asked for
}

func newList(p *process, texts ...string) *list {
	l := &list{}
	for _, text := range texts {
		l.queries = append(l.queries, catalog.Query{Text: text})
	}
	l.Quotes = prices.NewQuotes(p.Prices, func(_ context.Context, keys ...string) []lookup.Place {
		l.keys = keys
		places := make([]lookup.Place, len(keys))
		for i := range places {
			places[i].Number = i + 1
		}
		return places
	}, quiet)
	return l
}

// states returns for every item "ready", the code of its failure, or its place in the queue and
// the name that the search found.
func (l *list) states(t *testing.T) (states []string) {
	t.Helper()
	for _, q := range l.Ask(t.Context(), lookup.Caller{}, l.queries) {
		state := "ready"
		switch {
		case q.Fault != nil:
			state = q.Fault.Code
		case q.Answer == nil && q.Found != nil:
			state = fmt.Sprintf("%d: %s for %g", q.Place.Number, q.Found.ProductName, q.Found.PriceLow)
		case q.Answer == nil:
			state = fmt.Sprint(q.Place.Number)
		}
		states = append(states, state)
	}
	return states
}

func (l *list) expect(t *testing.T, when string, want ...string) {
	t.Helper()
	if got := l.states(t); !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", when, got, want)
	}
}

// takes lets every request take some time.
func takes(d time.Duration) func(context.Context, *lookup.Request) error {
	return func(ctx context.Context, _ *lookup.Request) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func TestQuotesAreAnsweredAsTheyComeIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		p := newProcess(shop)
		named(t, p, "geforce rtx 4070 super")
		time.Sleep(23 * time.Hour)
		shop.drain()
		shop.setTurn(takes(2 * time.Second))
		l := newList(p, "GeForce RTX 4070 SUPER", "rtx 4070 super", "RTX 4070 Super", "other")
		begun := time.Now()
		l.expect(t, "at first", "ready", "1", "2", "3")
		if took := time.Since(begun); took > 250*time.Millisecond {
			t.Errorf("the first answer took %v", took)
		}
		if want := []string{p.Key(l.queries[1]), p.Key(l.queries[1]), p.Key(l.queries[3])}; !slices.Equal(l.keys, want) {
			t.Errorf("asked for the places of %q, want %q", l.keys, want)
		}
		time.Sleep(2 * time.Second)
		l.expect(t, "after the searches", "ready", "ready", "ready", "ready")
		if asked := shop.drain(); len(asked) != 2 || !slices.Contains(asked, "rtx 4070 super") {
			t.Errorf("requests %q, want one for equal questions", asked)
		}

		time.Sleep(2 * time.Hour)
		l.expect(t, "when the offers have expired, and one search too", "1: "+shop.pages["7"]+" for 0", "2: "+shop.pages["7"]+" for 90", "3: "+shop.pages["7"]+" for 90", "4")
		time.Sleep(2 * time.Second)
		l.expect(t, "after the page", "ready", "ready", "ready", "ready")
		time.Sleep(2 * day)
		l.expect(t, "when the price of the search is too old", "1: "+shop.pages["7"]+" for 0", "2: "+shop.pages["7"]+" for 0", "3: "+shop.pages["7"]+" for 0", "4")
		time.Sleep(time.Minute)
	})
}

func TestAListCountsEachAnswerOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(&shop{finding: twoOffers})
		newList(p, "rtx 4070").expect(t, "looked up", "ready")
		p.answered.expect(t, "of the look-up, and of the list", "source", "local")
		newList(p, "rtx 4070", "RTX 4070").expect(t, "kept", "ready", "ready")
		p.answered.expect(t, "with a list of two", "source", "local", "local", "local")
		time.Sleep(time.Minute)
	})
}

// A failure and an empty result are not kept, but the client comes back for them.
func TestWhatIsNotKeptIsToldForAMinute(t *testing.T) {
	for _, tt := range []struct {
		name, query, state string
		err                error
	}{
		{"a failure", "rtx 4070 super", "source_timeout", lookup.Slow(errAway)},
		{"nothing matched", "other", "ready", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shop, asked := cards(), new(atomic.Int32)
				shop.setTurn(func(context.Context, *lookup.Request) error {
					if asked.Add(1) == 1 {
						time.Sleep(30 * time.Second)
					}
					return tt.err
				})
				l := newList(newProcess(shop), tt.query)
				l.expect(t, "at first", "1")
				time.Sleep(30 * time.Second) // the minute begins with the outcome
				for range 59 {
					l.expect(t, "within a minute", tt.state)
					time.Sleep(time.Second)
				}
				if asked.Load() != 1 {
					t.Errorf("the source was asked %d times within a minute", asked.Load())
				}
				time.Sleep(2 * time.Second)
				l.expect(t, "after a minute", tt.state)
				if asked.Load() != 2 {
					t.Errorf("the source was asked %d times", asked.Load())
				}
				time.Sleep(time.Minute)
			})
		})
	}
}

// A refusal says how long it still lasts, and is over by then.
func TestARefusedQuoteIsLookedUpAgainInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, refused := cards(), true
		shop.setTurn(func(context.Context, *lookup.Request) error {
			if refused {
				return lookup.Paused(6 * time.Second)
			}
			return nil
		})
		l := newList(newProcess(shop), "rtx 4070 super")
		for _, rest := range []time.Duration{6 * time.Second, 4 * time.Second, 2 * time.Second} {
			if f := l.Ask(t.Context(), lookup.Caller{}, l.queries)[0].Fault; f == nil || f.RetryAfter != rest {
				t.Errorf("%+v, want %v to go", f, rest)
			}
			time.Sleep(2 * time.Second)
		}
		refused = false
		l.expect(t, "after the pause", "ready")
		time.Sleep(time.Minute)
	})
}

func TestWhatNobodyComesBackForIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, dropped := cards(), new(atomic.Int32)
		shop.setTurn(func(ctx context.Context, r *lookup.Request) error {
			return r.AwaitTurn(func() error {
				if c := r.Caller; c != (lookup.Caller{Client: "192.0.2.1", Class: lookup.Listed}) {
					t.Errorf("requested by %+v", c)
				}
				<-ctx.Done()
				dropped.Add(1)
				return lookup.Abandoned(ctx.Err())
			})
		})
		l := newList(newProcess(shop), "rtx 4070 super")
		ask := func() {
			ctx, leave := context.WithCancel(t.Context())
			defer leave() // the request ends, the look-up goes on
			l.Ask(ctx, lookup.Caller{Client: "192.0.2.1"}, l.queries)
		}
		for range 3 {
			ask()
			time.Sleep(59 * time.Second)
		}
		if dropped.Load() != 0 {
			t.Errorf("%d dropped while a client comes back", dropped.Load())
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if dropped.Load() != 1 {
			t.Errorf("%d dropped after a minute", dropped.Load())
		}
		ask() // it begins again
		time.Sleep(time.Minute)
		synctest.Wait()
		if dropped.Load() != 2 {
			t.Errorf("%d dropped", dropped.Load())
		}
	})
}

func TestLookupsUnderWayAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, asked := cards(), new(atomic.Int32)
		shop.setTurn(func(ctx context.Context, _ *lookup.Request) error {
			asked.Add(1)
			<-ctx.Done()
			return ctx.Err()
		})
		var queries []catalog.Query
		for n := range 600 {
			queries = append(queries, catalog.Query{Text: strings.Repeat("x", n+3)})
		}
		newList(newProcess(shop)).Ask(t.Context(), lookup.Caller{}, queries)
		if n := asked.Load(); n != 500 {
			t.Errorf("%d look-ups under way", n)
		}
		time.Sleep(2 * time.Hour)
	})
}
