package prices_test

import (
	"context"
	"fmt"
	"log/slog"
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
	l.Quotes = prices.NewQuotes(p.Prices, l, nil, quiet)
	return l
}

// Places implements prices.Queue.
func (l *list) Places(_ context.Context, keys ...string) []lookup.Place {
	l.keys = keys
	places := make([]lookup.Place, len(keys))
	for i := range places {
		places[i].Number = i + 1
	}
	return places
}

// Raise implements prices.Queue.
func (*list) Raise(context.Context, lookup.Caller, ...string) int { return 0 }

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

// TestASearchWithoutANameHasFoundNothingYet: the site may lead straight to a product, whose name only its page has.
func TestASearchWithoutANameHasFoundNothingYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		shop.rows = nil
		shop.setTurn(takes(time.Second))
		l := newList(newProcess(shop), "rtx 4070 super")
		l.expect(t, "during the search", "1")
		time.Sleep(time.Second)
		l.expect(t, "after it", "1")
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

		p = newProcess(&shop{finding: twoOffers, takes: 2 * time.Second})
		l := newList(p, "rtx 4070")
		for range 2 {
			l.expect(t, "under way", "1")
			time.Sleep(time.Second)
		}
		synctest.Wait()
		p.answered.expect(t, "of one look-up that was asked for twice", "source")
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
				var log strings.Builder
				p := newProcess(shop)
				l := newList(p, tt.query)
				l.Quotes = prices.NewQuotes(p.Prices, l, nil, slog.New(slog.NewTextHandler(&log, nil)))
				l.expect(t, "at first", "1")
				time.Sleep(30 * time.Second) // the minute begins with the outcome
				for range 59 {
					l.expect(t, "within a minute", tt.state)
					if f := l.Ask(t.Context(), lookup.Caller{}, l.queries)[0].Fault; f != nil && f.RetryAfter != 0 {
						t.Errorf("to be asked again in %v", f.RetryAfter)
					}
					time.Sleep(time.Second)
				}
				if asked.Load() != 1 {
					t.Errorf("the source was asked %d times within a minute", asked.Load())
				}
				if failed := strings.Contains(log.String(), "quote look-up failed"); failed != (tt.err != nil) || !failed && log.Len() > 0 {
					t.Errorf("logged %s", &log)
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

// The minute for which an outcome is returned is its own, not that of the look-up before.
func TestAnOutcomeIsNotForgottenWithTheOneBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, asked := cards(), new(atomic.Int32)
		shop.setTurn(func(context.Context, *lookup.Request) error {
			if asked.Add(1) == 1 {
				return lookup.Paused(6 * time.Second)
			}
			return lookup.Slow(errAway)
		})
		l := newList(newProcess(shop), "rtx 4070 super")
		l.expect(t, "at first", "source_paused")
		time.Sleep(time.Second) // a pause may end early, and costs no request
		for range 2 {
			l.expect(t, "within a minute of the second one", "source_timeout")
			time.Sleep(50 * time.Second)
		}
		if asked.Load() != 2 {
			t.Errorf("the source was asked %d times", asked.Load())
		}
	})
}

// A refusal says how long it still lasts, and is over by then.
func TestARefusedQuoteIsLookedUpAgainInTime(t *testing.T) {
	for _, pause := range []time.Duration{6 * time.Second, 10 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			shop, refused := cards(), true
			shop.setTurn(func(context.Context, *lookup.Request) error {
				if refused {
					return lookup.Blocked(nil, pause)
				}
				return nil
			})
			l := newList(newProcess(shop), "rtx 4070 super")
			for gone := time.Duration(0); gone < 6*time.Second; gone += 2 * time.Second {
				if f := l.Ask(t.Context(), lookup.Caller{}, l.queries)[0].Fault; f == nil || f.RetryAfter != pause-gone {
					t.Errorf("%+v, want %v to go", f, pause-gone)
				}
				time.Sleep(2 * time.Second)
			}
			refused = false
			time.Sleep(pause - 6*time.Second)
			l.expect(t, "after the pause", "ready")
			time.Sleep(time.Minute)
		})
	}
}

// endingBoard fails if a look-up is ended with a context that is over: a board elsewhere
// would not learn of it.
type endingBoard struct {
	*prices.LocalBoard
	t *testing.T
}

// End implements prices.Board.
func (b endingBoard) End(ctx context.Context, owner, key string, o prices.Outcome, keep time.Duration) error {
	if ctx.Err() != nil {
		b.t.Errorf("ended with %v", ctx.Err())
	}
	return b.LocalBoard.End(ctx, owner, key, o, keep)
}

func TestWhatNobodyComesBackForIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, dropped := cards(), new(atomic.Int32)
		shop.setTurn(func(ctx context.Context, r *lookup.Request) error {
			return r.AwaitTurn(func() error {
				if c := r.Caller; c.Client != "192.0.2.1" || c.Class != lookup.Listed {
					t.Errorf("requested by %+v", c)
				}
				<-ctx.Done()
				dropped.Add(1)
				return lookup.Abandoned(ctx.Err())
			})
		})
		p := newProcess(shop)
		l := newList(p, "rtx 4070 super")
		l.Quotes = prices.NewQuotes(p.Prices, l, endingBoard{prices.NewLocalBoard(), t}, quiet)
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
		l := newList(newProcess(shop))
		for n, want := range map[int]int32{1: prices.MaxQuotes, 30: 500} {
			before := asked.Load()
			for c := range n {
				for _, list := range [][]catalog.Query{parts(1000*n+40*c, 15), parts(1000*n+40*c+15, 25)} {
					l.Ask(t.Context(), lookup.Caller{Client: fmt.Sprint(n, c)}, list)
				}
			}
			if got := asked.Load() - before; got != want {
				t.Errorf("%d look-ups of %d clients under way, want %d", got, n, want)
			}
			time.Sleep(2 * time.Hour)
		}
	})
}
