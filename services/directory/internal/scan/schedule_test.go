package scan

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
)

// TestEachDayHasASyncOfEachCompany runs the schedule of two replicas for two days and a
// half, at a provider that keeps them as busy as 100,000 companies whose calls take a
// second. Each company has its turn each day, late by at most a turn whose syncs were done
// before its renewals, and the pause before the next. An interval of 0 is off.
func TestEachDayHasASyncOfEachCompany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const day, companies = 24 * time.Hour, 2_000
		f := newFleet(companies)
		f.respond = respondAfter(50 * time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		for range 2 {
			go f.service(4).Every(ctx, day)
		}
		f.service(1).Every(ctx, 0) // returns
		time.Sleep(60 * time.Hour)
		cancel()
		synctest.Wait()
		oldest := f.waited(f.order[Sync][0])
		if late := day + day/turnPart + day/turns + 5*time.Minute; f.longest > late || oldest > late || f.calls < 2*3*companies || f.calls > 3*3*companies {
			t.Errorf("longest between two syncs of a company %v, now %v, after %d calls", f.longest, oldest, f.calls)
		}
	})
}

// TestEachCompanyHasItsTurn checks a round that takes longer than the interval: each company has
// its turn before any has its second.
func TestEachCompanyHasItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(300)
		ctx, cancel := context.WithCancel(t.Context())
		go f.service(1).Every(ctx, time.Minute) // a round takes ten
		time.Sleep(time.Hour)
		cancel()
		synctest.Wait()
		if f.longest > 15*time.Minute || f.longest < 10*time.Minute {
			t.Errorf("a company waited %v", f.longest)
		}
	})
}

// TestRenewalsDoNotWait checks that slow syncs hold up no renewal.
func TestRenewalsDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(100)
		f.respond = respondAfter(20 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 9*time.Minute)
		defer cancel()
		_, err := f.service(4).Run(ctx, nil)
		f.mu.Lock()
		defer f.mu.Unlock()
		renewals := 0
		for _, item := range f.order[Renewal] {
			if !item.At.IsZero() {
				renewals++
			}
		}
		if !errors.Is(err, context.DeadlineExceeded) || renewals != 100 {
			t.Errorf("%d of 100 renewed, %v", renewals, err)
		}
	})
}

// TestHangingCallsEndTheRun checks that a run ends in minutes although no call returns, and
// that the pause is stored although the time of the connection is over.
func TestHangingCallsEndTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(2000)
		f.respond = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		begin := time.Now()
		if got, err := f.service(4).Run(t.Context(), nil); err != nil || got.Left < 1900 || time.Since(begin) > 10*time.Minute {
			t.Errorf("after %v: %+v, %v", time.Since(begin), got, err)
		}
		if !f.paused.After(begin) {
			t.Error("no pause is stored")
		}
	})
}

// TestPauseEndsInTime checks, through the schedule, that a connection is called again as
// soon as its pause is over.
func TestPauseEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(1)
		s, begin := f.service(1), time.Now()
		var calls []time.Duration
		f.respond = func(context.Context) error {
			calls = append(calls, time.Since(begin))
			if len(calls) == 1 {
				return errors.New("refused")
			}
			return nil
		}
		s.Renew = func(_ context.Context, c connection.Connection) (connection.Connection, error) { return c, nil }
		s.Steps = map[provider.Pair][]Step{pages: {{Name: "read", Run: func(ctx context.Context, _ int64) (bool, error) {
			if err := f.respond(ctx); err != nil {
				return false, provider.ThrottledApp(err, time.Hour)
			}
			return true, nil
		}}}}
		ctx, cancel := context.WithCancel(t.Context())
		go s.Every(ctx, 24*time.Hour)
		time.Sleep(23 * time.Hour)
		cancel()
		synctest.Wait()
		if len(calls) != 2 || calls[1]-calls[0] < time.Hour || calls[1]-calls[0] > time.Hour+24*time.Hour/turns {
			t.Errorf("called after %v, want again an hour after the refusal", calls)
		}
	})
}

// TestTurnAfterAFailure checks that a turn that failed reports no more work, even if there
// was not enough time for all.
func TestTurnAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(10)
		s := f.service(1)
		f.respond = respondAfter(30 * time.Second)
		if !s.turn(t.Context(), 24*time.Minute) {
			t.Error("no more work, though the time was not enough for all")
		}
		s.queue = failing{f}
		if s.turn(t.Context(), 24*time.Minute) {
			t.Error("a turn that failed reports more work")
		}
	})
}

// failing is a queue that cannot mark anything.
type failing struct{ *fleet }

func (failing) release(context.Context, Task, item, time.Time, *time.Time) error {
	time.Sleep(5 * time.Minute)
	return errors.New("database is away")
}

// TestStreak checks that a final failure ends a streak of temporary ones, because the
// provider responded.
func TestStreak(t *testing.T) {
	for name, test := range map[string]struct {
		fifth error
		want  bool // the sixth failure is the fifth in a row
	}{
		"a final failure":     {provider.Denied(errors.New("403")), false},
		"a success":           {nil, false},
		"a temporary failure": {provider.Temporary(errors.New("503")), true},
	} {
		f := newFleet(1)
		r := run{Service: f.service(1), pauses: newPauses()}
		c := connection.Connection{ID: 1, CompanyID: 1, Pair: pages}
		for range streakLimit - 1 {
			r.finish(t.Context(), c, Sync, "read", provider.Temporary(errors.New("503")))
		}
		if test.fifth == nil {
			r.pauses.succeeded(pages.Provider)
		} else {
			r.finish(t.Context(), c, Sync, "read", test.fifth)
		}
		if got := r.pauses.isPaused(pages, Sync, time.Now()); got != test.want {
			t.Errorf("%s after four temporary ones: paused is %t", name, got)
		}
		r.finish(t.Context(), c, Sync, "read", provider.Temporary(errors.New("503")))
		if got := r.pauses.isPaused(pages, Sync, time.Now()); got != test.want {
			t.Errorf("%s, then another temporary one: paused is %t", name, got)
		}
	}
}

// TestWaitForTheBudgetIsNoFailure checks that a connection whose requests did not get a
// turn in time is due again, and that this pauses nothing.
func TestWaitForTheBudgetIsNoFailure(t *testing.T) {
	f := newFleet(1)
	r := run{Service: f.service(1), pauses: newPauses()}
	ctx, cancel := context.WithTimeoutCause(t.Context(), 0, errTimeLimit)
	defer cancel()
	for range streakLimit {
		if r.finish(ctx, connection.Connection{ID: 1, CompanyID: 1, Pair: pages}, Sync, "read", fmt.Errorf("%w: %w", provider.ErrNoTurn, ctx.Err())) {
			t.Error("done although nothing was sent")
		}
	}
	if r.pauses.isPaused(pages, Sync, time.Now()) || r.result.Failed > 0 {
		t.Errorf("paused, or failed: %+v", r.result)
	}
}

// TestPauseFor checks what a refusal concerns.
func TestPauseFor(t *testing.T) {
	c := connection.Connection{ID: 7, Pair: pages, ProviderUserID: "anna", Chosen: connection.ChosenPage, AccountID: "104118"}
	person := pause{provider: pages.Provider, connectionID: 7, personID: "anna"}
	page := person
	page.task, page.accountID = Sync, "104118"
	whole := pause{provider: pages.Provider, whole: true}
	throttled := provider.Throttled(errors.New("429"), 0)
	for name, test := range map[string]struct {
		task Task
		err  error
		want pause
	}{
		"a page's token":      {Sync, throttled, page},
		"a renewal":           {Renewal, throttled, person}, // of a user, although a page is chosen
		"a limit of the app":  {Sync, provider.ThrottledApp(errors.New("4"), 0), whole},
		"a limit of an API":   {Sync, provider.ThrottledAPI(errors.New("429"), 0), pause{provider: pages.Provider, service: pages.Service, whole: true}},
		"a temporary failure": {Renewal, provider.Temporary(errors.New("503")), whole},
	} {
		if got := pauseFor(c, test.task, test.err); got != test.want {
			t.Errorf("%s pauses %+v, want %+v", name, got, test.want)
		}
	}
}

// TestPauseLengths checks that pauses begin with a minute, double and end within a day,
// whatever the provider says.
func TestPauseLengths(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Now()
	for _, test := range []struct {
		said, last time.Duration
		running    bool
		want       time.Duration
	}{
		{0, 0, false, time.Minute},
		{0, time.Minute, false, 2 * time.Minute},
		{0, 2 * time.Minute, true, 2 * time.Minute},
		{0, 20 * time.Hour, false, day},
		{time.Second, 0, false, time.Minute},
		{20 * time.Minute, time.Hour, false, 20 * time.Minute},
		{315360000 * time.Second, 0, false, day},
	} {
		got := pause{length: test.said}.after(test.last, test.running, now)
		if got.length != test.want || !got.until.Equal(now.Add(test.want)) {
			t.Errorf("%+v: paused for %s until %s", test, got.length, got.until)
		}
	}
}
