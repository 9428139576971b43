package store_test

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
	"backend.example/services/directory/internal/store/storetest"
)

func TestTakeLimits(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		limit := directory.Limit{Kind: "audit", Subject: "7", Max: 3, Window: time.Hour}
		steps := []struct {
			at   time.Duration
			peek bool
			want directory.LimitState
		}{
			{0, true, directory.LimitState{OK: true, Left: 3}},
			{0, false, directory.LimitState{OK: true, Left: 2}},
			{10 * time.Minute, false, directory.LimitState{OK: true, Left: 1}},
			{10 * time.Minute, true, directory.LimitState{OK: true, Left: 1}},
			{10*time.Minute + 500*time.Millisecond, false, directory.LimitState{OK: true}},
			{20 * time.Minute, false, directory.LimitState{RetryAfter: 40 * time.Minute}},
			{20 * time.Minute, true, directory.LimitState{RetryAfter: 40 * time.Minute}},
			{time.Hour - time.Microsecond, false, directory.LimitState{RetryAfter: time.Microsecond}},
			{time.Hour, true, directory.LimitState{OK: true, Left: 1}},
			{time.Hour, false, directory.LimitState{OK: true}},
			{time.Hour, false, directory.LimitState{RetryAfter: 10 * time.Minute}},
			{70 * time.Minute, false, directory.LimitState{OK: true}},
			{70 * time.Minute, false, directory.LimitState{RetryAfter: 500 * time.Millisecond}},
			{10 * time.Hour, true, directory.LimitState{OK: true, Left: 3}},
		}
		for i, step := range steps {
			call := func(ctx ctxType, l directory.Limit, now time.Time) (directory.LimitState, error) {
				return s.TakeLimits(ctx, []directory.Limit{l}, now)
			}
			if step.peek {
				call = s.PeekLimit
			}
			if state := must(call(ctx, limit, storetest.Time.Add(step.at)))(t); state != step.want {
				t.Errorf("step %d: %+v, want %+v", i, state, step.want)
			}
		}
	})
}

func TestLimitsDoNotMix(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		limit := directory.Limit{Kind: "login", Subject: "a\x00@example.test", Max: 1, Window: time.Hour}
		must(s.TakeLimits(ctx, []directory.Limit{limit}, storetest.Time))(t)
		for _, other := range []directory.Limit{
			{Kind: "audit", Subject: limit.Subject, Max: 1, Window: time.Hour},
			{Kind: "login", Subject: "a", Max: 1, Window: time.Hour},
		} {
			if state := must(s.TakeLimits(ctx, []directory.Limit{other}, storetest.Time))(t); !state.OK {
				t.Errorf("%+v is used up by another", other)
			}
		}
		if state := must(s.TakeLimits(ctx, []directory.Limit{limit}, storetest.Time))(t); state.OK {
			t.Error("taken twice")
		}
		limit.Max = 0
		if state := must(s.TakeLimits(ctx, []directory.Limit{limit}, storetest.Time))(t); state != (directory.LimitState{RetryAfter: time.Hour}) {
			t.Errorf("a limit of none: %+v", state)
		}
	})
}

func TestLoweredLimit(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		limit := directory.Limit{Kind: "k", Subject: "s", Max: 5, Window: time.Hour}
		for i := range 5 {
			must(db.Store.TakeLimits(t.Context(), []directory.Limit{limit}, storetest.Time.Add(time.Duration(i)*time.Minute)))(t)
		}
		limit.Max = 2
		state := must(db.Store.TakeLimits(t.Context(), []directory.Limit{limit}, storetest.Time.Add(10*time.Minute)))(t)
		if want := (directory.LimitState{RetryAfter: 53 * time.Minute}); state != want {
			t.Errorf("%+v, want %+v: until only one of the uses at 0 to 4 minutes is left", state, want)
		}
	})
}

func TestTakeLimitAtOnce(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		stores := []*store.Store{db.Store, storetest.Open(t, db.URL)}
		limit := directory.Limit{Kind: "audit", Subject: "7", Max: 20, Window: time.Hour}
		var taken atomic.Int32
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() {
				state, err := stores[i%2].TakeLimits(t.Context(), []directory.Limit{limit}, storetest.Time.Add(time.Duration(i)*time.Microsecond))
				if err != nil {
					t.Error(err)
				}
				if state.OK {
					taken.Add(1)
				}
			})
		}
		wg.Wait()
		if taken.Load() != 20 {
			t.Errorf("%d taken, want 20", taken.Load())
		}
	})
}

func TestUsesAreForgotten(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		for i := range 4 {
			limit := directory.Limit{Kind: "login", Subject: strconv.Itoa(i), Max: 1, Window: time.Hour}
			must(s.TakeLimits(ctx, []directory.Limit{limit}, storetest.Time.Add(time.Duration(i)*time.Minute)))(t)
		}
		again := directory.Limit{Kind: "login", Subject: "0", Max: 1, Window: time.Hour}
		must(s.TakeLimits(ctx, []directory.Limit{again}, storetest.Time.Add(2*time.Hour)))(t)
		if n := uses(t, db); n != 5 {
			t.Errorf("%d uses after the first subject came back, want 5", n)
		}
		if n := must(s.DeleteLimitEntriesBefore(ctx, storetest.Time.Add(3*time.Minute)))(t); n != 3 {
			t.Errorf("%d deleted, want 3", n)
		}
		if n := uses(t, db); n != 2 {
			t.Errorf("%d uses left, want 2", n)
		}
	})
}

func uses(t *testing.T, db storetest.Database) (n int) {
	t.Helper()
	ok(t, db.Raw(t).QueryRowContext(t.Context(), "SELECT count(*) FROM limit_entries").Scan(&n))
	return n
}
