package store_test

import (
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
	"backend.example/services/directory/internal/store/storetest"
)

func TestTakeLimits(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		limit := directory.Limit{Kind: "audit", Subject: "7", Max: 3, Window: time.Hour}
		// A use at 0, at 10 min and half a second later fills the window of an hour.
		const half = 10*time.Minute + 500*time.Millisecond
		steps := []struct {
			at   time.Duration
			peek bool
			want directory.LimitState
		}{
			{at: 0, peek: true, want: directory.LimitState{OK: true, Left: 3}},
			{at: 0, want: directory.LimitState{OK: true, Left: 2}},
			{at: 10 * time.Minute, want: directory.LimitState{OK: true, Left: 1}},
			{at: 10 * time.Minute, peek: true, want: directory.LimitState{OK: true, Left: 1}},
			{at: half, want: directory.LimitState{OK: true}},
			{at: 20 * time.Minute, want: directory.LimitState{RetryAfter: 40 * time.Minute}},
			{at: 20 * time.Minute, peek: true, want: directory.LimitState{RetryAfter: 40 * time.Minute}},
			{at: time.Hour - time.Microsecond, want: directory.LimitState{RetryAfter: time.Microsecond}},
			{at: time.Hour, peek: true, want: directory.LimitState{OK: true, Left: 1}},
			{at: time.Hour, want: directory.LimitState{OK: true}},
			{at: time.Hour, want: directory.LimitState{RetryAfter: 10 * time.Minute}},
			{at: 70 * time.Minute, want: directory.LimitState{OK: true}},
			{at: 70 * time.Minute, want: directory.LimitState{RetryAfter: 500 * time.Millisecond}},
			{at: 10 * time.Hour, peek: true, want: directory.LimitState{OK: true, Left: 3}},
		}
		for i, step := range steps {
			state := directory.LimitState{}
			if step.peek {
				state = must(db.Store.PeekLimit(t.Context(), limit, databasetest.Time.Add(step.at)))(t)
			} else {
				state = take(t, db.Store, limit, step.at)
			}
			if state != step.want {
				t.Errorf("step %d: %+v, want %+v", i, state, step.want)
			}
		}
	})
}

func TestLimitsDoNotMix(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		limit := directory.Limit{Kind: "login", Subject: "a\x00@example.test", Max: 1, Window: time.Hour}
		take(t, db.Store, limit, 0)
		for _, other := range []directory.Limit{
			{Kind: "audit", Subject: limit.Subject, Max: 1, Window: time.Hour},
			{Kind: "login", Subject: "a", Max: 1, Window: time.Hour},
		} {
			if state := take(t, db.Store, other, 0); !state.OK {
				t.Errorf("%+v is used up by another", other)
			}
		}
		if state := take(t, db.Store, limit, 0); state.OK {
			t.Error("taken twice")
		}
		limit.Max = 0
		if state := take(t, db.Store, limit, 0); state != (directory.LimitState{RetryAfter: time.Hour}) {
			t.Errorf("a limit of none: %+v", state)
		}
	})
}

func TestLoweredLimit(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		limit := directory.Limit{Kind: "k", Subject: "s", Max: 5, Window: time.Hour}
		for i := range 5 {
			take(t, db.Store, limit, time.Duration(i)*time.Minute)
		}
		limit.Max = 2
		state := take(t, db.Store, limit, 10*time.Minute)
		if want := (directory.LimitState{RetryAfter: 53 * time.Minute}); state != want {
			t.Errorf("%+v, want %+v: until only one of the uses at 0 to 4 minutes is left", state, want)
		}
	})
}

func TestReturnUse(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		limit := directory.Limit{Kind: "login", Subject: "a@example.test", Max: 2, Window: time.Hour}
		other := directory.Limit{Kind: "login", Subject: "b@example.test", Max: 2, Window: time.Hour}
		take(t, db.Store, limit, 0)
		take(t, db.Store, limit, time.Minute)
		take(t, db.Store, other, 2*time.Minute)
		if err := db.Store.ReturnUse(t.Context(), limit); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			limit directory.Limit
			want  directory.LimitState
		}{
			{limit, directory.LimitState{OK: true}},
			{limit, directory.LimitState{RetryAfter: 57 * time.Minute}}, // that at 0 is left
			{other, directory.LimitState{OK: true}},
		} {
			if state := take(t, db.Store, step.limit, 3*time.Minute); state != step.want {
				t.Errorf("%s: %+v, want %+v", step.limit.Subject, state, step.want)
			}
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
				state, err := stores[i%2].TakeLimits(t.Context(), []directory.Limit{limit}, databasetest.Time.Add(time.Duration(i)*time.Microsecond))
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
		limit := func(subject int) directory.Limit {
			return directory.Limit{Kind: "login", Subject: strconv.Itoa(subject), Max: 1, Window: time.Hour}
		}
		for i := range 4 {
			take(t, db.Store, limit(i), time.Duration(i)*time.Minute)
		}
		take(t, db.Store, limit(0), 2*time.Hour)
		const count = "SELECT CAST(count(*) AS TEXT) FROM limit_entries"
		if n := query(t, db.Raw(t), count)[0]; n != "5" {
			t.Errorf("%s uses after the first subject came back, want 5", n)
		}
		if n := must(db.Store.DeleteLimitEntriesBefore(t.Context(), databasetest.Time.Add(3*time.Minute)))(t); n != 3 {
			t.Errorf("%d deleted, want 3", n)
		}
		if n := query(t, db.Raw(t), count)[0]; n != "2" {
			t.Errorf("%s uses left, want 2", n)
		}
	})
}

// TestLimitsAfterTheClockWentBack: whoever had used up a limit is not locked out
// until the old time comes again. A replica whose clock is a little ahead is counted.
func TestLimitsAfterTheClockWentBack(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		limit := directory.Limit{Kind: "login", Subject: "a@example.test", Max: 1, Window: 15 * time.Minute}
		for _, step := range []struct {
			at time.Duration
			ok bool
		}{{0, true}, {-time.Minute, false}, {-13 * time.Hour, true}, {-13*time.Hour + time.Minute, false}} {
			if state := take(t, db.Store, limit, step.at); state.OK != step.ok {
				t.Errorf("at %s: %+v", step.at, state)
			}
		}
	})
}

// TestSubjectsAreHashed: what people typed as their address is not kept.
func TestSubjectsAreHashed(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		take(t, db.Store, directory.Limit{Kind: "login", Subject: "a@example.test", Max: 1, Window: time.Hour}, 0)
		sum := sha256.Sum256([]byte("a@example.test"))
		want := base64.RawURLEncoding.EncodeToString(sum[:])
		if subjects := query(t, db.Raw(t), "SELECT subject FROM limit_entries"); len(subjects) != 1 || subjects[0] != want {
			t.Errorf("subjects %q, want %q", subjects, want)
		}
	})
}

// take takes one use of a limit, at a time after databasetest.Time.
func take(t *testing.T, s *store.Store, l directory.Limit, at time.Duration) directory.LimitState {
	t.Helper()
	return must(s.TakeLimits(t.Context(), []directory.Limit{l}, databasetest.Time.Add(at)))(t)
}
