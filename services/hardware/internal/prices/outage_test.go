package prices_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
)

// awayBoard is a board that is unavailable while it is away.
type awayBoard struct {
	*prices.LocalBoard
	away atomic.Bool
}

func (b *awayBoard) Ask(ctx context.Context, owner string, wants []prices.Want) ([]prices.Note, error) {
	if b.away.Load() {
		return nil, errAway
	}
	return b.LocalBoard.Ask(ctx, owner, wants)
}

func (b *awayBoard) Hold(ctx context.Context, owner, key string, left time.Duration) (time.Duration, error) {
	if b.away.Load() {
		return 0, errAway
	}
	return b.LocalBoard.Hold(ctx, owner, key, left)
}

func (b *awayBoard) End(ctx context.Context, owner, key string, o prices.Outcome, keep time.Duration) error {
	if b.away.Load() {
		return errAway
	}
	return b.LocalBoard.End(ctx, owner, key, o, keep)
}

// A list is looked up as by a single process: for as long as its client comes back, and failures
// are returned for a minute.
func TestListsGoOnWithoutTheSharedBoard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, asked := cards(), 0
		shop.setTurn(func(ctx context.Context, r *lookup.Request) error {
			asked++
			if asked > 1 {
				return lookup.Slow(errAway)
			}
			return r.AwaitTurn(func() error { return takes(4*time.Minute)(ctx, r) })
		})
		p := newProcess(shop)
		l := newList(p, "rtx 4070 super")
		board := &awayBoard{}
		board.away.Store(true)
		l.Quotes = prices.NewQuotes(p.Prices, l, board, quiet)
		for range 4 {
			l.expect(t, "while the client comes back", "1")
			time.Sleep(59 * time.Second)
		}
		time.Sleep(5 * time.Second) // the search has ended, and the page fails
		for range 2 {
			l.expect(t, "within a minute of the failure", lookup.CodeSlow)
			time.Sleep(20 * time.Second)
		}
		if asked != 2 {
			t.Errorf("the source was asked %d times", asked)
		}
		time.Sleep(time.Minute)
	})
}

// A client who comes back while the board is away is not forgotten: its look-up goes on.
func TestAListGoesOnWhenTheSharedBoardIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, asked, board := cards(), new(atomic.Int32), &awayBoard{LocalBoard: prices.NewLocalBoard()}
		shop.setTurn(func(ctx context.Context, r *lookup.Request) error {
			asked.Add(1)
			return r.AwaitTurn(func() error { return takes(2*time.Minute)(ctx, r) })
		})
		p := newProcess(shop)
		l := newList(p, "rtx 4070 super")
		l.Quotes = prices.NewQuotes(p.Prices, l, board, quiet)
		l.expect(t, "at first", "1")
		time.Sleep(55 * time.Second)
		board.away.Store(true)
		l.expect(t, "when the board is away", "1")
		time.Sleep(50 * time.Second)
		l.expect(t, "later", "1")
		if n := asked.Load(); n != 1 {
			t.Errorf("the source was asked %d times", n)
		}
		time.Sleep(10 * time.Minute)
	})
}

// Of two replicas that keep prices warm one asks the source, and the other one takes its place.
func TestOneReplicaKeepsPricesWarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(2, newPacer())
		queries := parts(0, 10)
		var stops []func()
		var last []*atomic.Value
		for _, p := range f.replicas {
			progress, stop := warm(t, p, queries)
			last, stops = append(last, progress), append(stops, stop)
			time.Sleep(time.Second)
		}
		expect := func(when string, requests int64, replica int) {
			t.Helper()
			synctest.Wait()
			if got := f.shop.requests.Load(); got != requests {
				t.Errorf("%s: %d requests, want %d", when, got, requests)
			}
			for _, q := range queries {
				if _, ok := f.replicas[replica].Peek(q); !ok {
					t.Errorf("%s: replica %d does not know %s", when, replica, q.Text)
				}
			}
		}
		time.Sleep(time.Hour)
		expect("after an hour", 20, 0)
		expect("after an hour", 20, 1)
		time.Sleep(day)
		expect("a day later", 30, 0)
		expect("a day later", 30, 1)
		stops[0]()
		time.Sleep(2 * day)
		expect("two days after the first one has ended", 50, 1)
		stops[1]()
		for n, p := range last {
			if p.Load() != (progress{10, 10}) {
				t.Errorf("replica %d has reported %+v", n, p.Load())
			}
		}
	})
}

// What a ranking does not have any more is not counted.
func TestWarmingFollowsTheRanking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(cards())
		ctx, cancel := context.WithCancel(t.Context())
		ranked := []catalog.Query{{Text: "rtx 4070 super"}, {Text: "msi 4070 super"}, {Text: "nothing of this name"}}
		var last atomic.Value
		round := 0 // each has a product less
		rankedNow := func(context.Context) []catalog.Query { round++; return ranked[min(round-1, len(ranked)):] }
		go p.KeepWarm(ctx, rankedNow, func(known, all int) { last.Store(progress{known, all}) })
		for _, want := range []progress{{2, 3}, {1, 2}, {0, 1}} {
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			if got := last.Load(); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		}
		cancel()
		synctest.Wait()
	})
}

func TestForgottenIsWhatWasKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, matches, offers := cards(), newSharedStore[prices.Match](), newSharedStore[prices.Price]()
		p := newReplica(shop, matches.replica(nil), offers.replica(nil))
		q := catalog.Query{Text: "rtx 4070 super"}
		forget := func(when string, want bool) {
			t.Helper()
			if forgotten, err := p.Forget(t.Context(), q); err != nil || forgotten != want || len(matches.kept)+len(offers.kept) != 0 {
				t.Errorf("%s: forgotten %v, %v, want %v", when, forgotten, err, want)
			}
		}
		forget("before it was asked for", false)
		named(t, p, q.Text)
		forget("when it is kept", true)
		forget("again", false)
	})
}
