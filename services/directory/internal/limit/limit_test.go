package limit_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/internal/kit/fault"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

var codeTooMany = fault.NewCode(fault.Limited, "too_many", "Za dużo.")

func at(d time.Duration) time.Time { return databasetest.Time.Add(d) }

func TestTakeInAWindow(t *testing.T) {
	audit := limit.Limit{Kind: "audit", Subject: "7", Max: 3, Window: time.Hour}
	// A use at 0, at 10 min and half a second later fills the window of an hour.
	const half = 10*time.Minute + 500*time.Millisecond
	full := func(retryAfter time.Duration) limit.State { return limit.State{RetryAfter: retryAfter} }
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		limits := limit.New(db.DB)
		for i, step := range []struct {
			at   time.Duration // after the first use
			peek bool          // asks for the state, instead of a use
			want limit.State   // after a use, only OK and RetryAfter are compared
		}{
			{0, true, limit.State{OK: true, Left: 3}},
			{0, false, limit.State{OK: true}},
			{10 * time.Minute, false, limit.State{OK: true}},
			{10 * time.Minute, true, limit.State{OK: true, Left: 1}},
			{half, false, limit.State{OK: true}},
			{20 * time.Minute, false, full(40 * time.Minute)},
			{20 * time.Minute, true, full(40 * time.Minute)},
			{time.Hour - time.Microsecond, false, full(time.Microsecond)},
			{time.Hour, true, limit.State{OK: true, Left: 1}},
			{time.Hour, false, limit.State{OK: true}},
			{time.Hour, false, full(10 * time.Minute)},
			{70 * time.Minute, false, limit.State{OK: true}},
			{70 * time.Minute, false, full(500 * time.Millisecond)},
			{10 * time.Hour, true, limit.State{OK: true, Left: 3}},
		} {
			if step.peek {
				state, err := limits.Peek(t.Context(), at(step.at), audit)
				if err != nil || state != step.want {
					t.Errorf("step %d, after %s: state = %+v, err = %v, want %+v", i, step.at, state, err, step.want)
				}
				continue
			}
			err := limits.Take(t.Context(), at(step.at), codeTooMany, audit)
			if step.want.OK {
				if err != nil {
					t.Fatalf("step %d, after %s: a use fails: %v", i, step.at, err)
				}
				continue
			}
			if !fault.Is(err, codeTooMany) {
				t.Fatalf("step %d, after %s: err = %v, want %s", i, step.at, err, codeTooMany)
			}
			if wait := fault.From(err).RetryAfter; wait != step.want.RetryAfter {
				t.Errorf("step %d, after %s: wait %s, want %s", i, step.at, wait, step.want.RetryAfter)
			}
		}
	})
}

// TestTakeOfSeveralLimits checks that the limits before the first one that is used up keep the use.
func TestTakeOfSeveralLimits(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		limits, ctx := limit.New(db.DB), t.Context()
		wide := limit.Limit{Kind: "address", Subject: "a", Max: 3, Window: time.Hour}
		narrow := limit.Limit{Kind: "account", Subject: "a", Max: 1, Window: 2 * time.Hour}
		for i, want := range []bool{true, false, false, false} {
			err := limits.Take(ctx, at(time.Duration(i)*time.Minute), codeTooMany, wide, narrow)
			if taken := err == nil; taken != want {
				t.Errorf("use %d: taken = %t, want %t: %v", i+1, taken, want, err)
			}
		}
		err := limits.Take(ctx, at(4*time.Minute), codeTooMany, wide, narrow)
		if !fault.Is(err, codeTooMany) {
			t.Fatalf("use 5: err = %v, want %s", err, codeTooMany)
		}
		if wait := fault.From(err).RetryAfter; wait != 56*time.Minute {
			t.Errorf("use 5: wait %s, want the 56 minutes of the wide limit, which three uses have used up", wait)
		}
	})
}

func TestReturnAndClear(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		limits, ctx := limit.New(db.DB), t.Context()
		a := limit.Limit{Kind: "login", Subject: "a@example.test", Max: 2, Window: time.Hour}
		b := limit.Limit{Kind: "login", Subject: "b@example.test", Max: 2, Window: time.Hour}
		err := errors.Join(
			limits.Take(ctx, at(0), codeTooMany, a),
			limits.Take(ctx, at(time.Minute), codeTooMany, a),
			limits.Take(ctx, at(2*time.Minute), codeTooMany, b),
			limits.Return(ctx, a),
			limits.Take(ctx, at(3*time.Minute), codeTooMany, a),
		)
		if err != nil {
			t.Fatal(err)
		}
		wantState := func(name string, of limit.Limit, want limit.State) {
			t.Helper()
			state, err := limits.Peek(ctx, at(3*time.Minute), of)
			if err != nil || state != want {
				t.Errorf("%s: state = %+v, err = %v, want %+v", name, state, err, want)
			}
		}
		// the use at one minute was returned, so that the one at 0 ends the wait
		wantState("after a return", a, limit.State{RetryAfter: 57 * time.Minute})
		wantState("another subject", b, limit.State{OK: true, Left: 1})
		if err := limits.Clear(ctx, a); err != nil {
			t.Fatal(err)
		}
		wantState("cleared", a, limit.State{OK: true, Left: 2})
	})
}

func TestTakeAtOnce(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		replicas := []*limit.Limits{limit.New(db.DB), limit.New(databasetest.Open(t, db.URL))}
		audit := limit.Limit{Kind: "audit", Subject: "7", Max: 20, Window: time.Hour}
		var taken atomic.Int32
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() {
				err := replicas[i%2].Take(t.Context(), at(time.Duration(i)*time.Microsecond), codeTooMany, audit)
				if err == nil {
					taken.Add(1)
				} else if !fault.Is(err, codeTooMany) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if taken.Load() != 20 {
			t.Errorf("%d uses were taken by two replicas at once, want 20", taken.Load())
		}
	})
}

// TestStoredUses checks that subjects are stored as digests, and that old uses can be deleted.
func TestStoredUses(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		limits, pool := limit.New(db.DB), db.Raw(t)
		for i := range 4 {
			login := limit.Limit{Kind: "login", Subject: strconv.Itoa(i), Max: 1, Window: time.Hour}
			if err := limits.Take(t.Context(), at(time.Duration(i)*time.Minute), codeTooMany, login); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := limits.DeleteBefore(t.Context(), at(3*time.Minute)); n != 3 || err != nil {
			t.Errorf("%d deleted, %v, want 3", n, err)
		}
		sum := sha256.Sum256([]byte("3"))
		var subject string
		if err := pool.QueryRow("SELECT max(subject) FROM limit_entries").Scan(&subject); err != nil {
			t.Fatal(err)
		}
		if want := base64.RawURLEncoding.EncodeToString(sum[:]); subject != want {
			t.Errorf("stored subject = %q, want %q", subject, want)
		}
	})
}
