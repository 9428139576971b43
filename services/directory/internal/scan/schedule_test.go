package scan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
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
		late := day + day/turnPart + day/turns + 5*time.Minute
		if f.longest > late || oldest > late {
			t.Fatalf("longest between two syncs of a company %v, now %v, after %d calls", f.longest, oldest, f.calls)
		}
		if f.calls < 2*3*companies || f.calls > 3*3*companies {
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
		if got, err := f.service(4).Run(t.Context(), nil); err != nil || got.Left < 1900 ||
			time.Since(begin) > 10*time.Minute {
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
		s.Steps = map[provider.Pair][]Step{
			pages: {{Name: "read", Run: func(ctx context.Context, _ int64) (bool, error) {
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

// TestPauseEndsDuringTheRun checks that a long run calls the provider again when the pause is
// over.
func TestPauseEndsDuringTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, begin := newFleet(1), time.Now()
		r := run{Service: f.service(1), before: func() time.Time { return begin }, pauses: newPauses()}
		r.pauses.add(pause{provider: pages.Provider, whole: true, until: begin.Add(time.Minute)}, begin)
		for _, want := range []int{0, 2} {
			if err := r.process(t.Context(), Sync, f.order[Sync][0], r.sync); err != nil || f.calls != want {
				t.Errorf("after %s: %d calls, %v, want %d", time.Since(begin), f.calls, err, want)
			}
			time.Sleep(time.Minute)
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
		if f.calls > 8 { // two renewals and one sync of two calls in a minute, and those that were under way
			t.Errorf("%d calls in a turn of a minute", f.calls)
		}
		s.queue = failing{f}
		if s.turn(t.Context(), 24*time.Minute) {
			t.Error("a turn that failed reports more work")
		}
	})
}

// TestTurnsAreLogged checks what the log says of a turn that worked, one that failed and
// one without anything to do.
func TestTurnsAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		f := newFleet(2)
		s := f.service(1)
		s.Log = slog.New(
			slog.NewJSONHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}}))
		want := func(want string) {
			t.Helper()
			s.turn(t.Context(), 24*time.Hour)
			if got := log.String(); got != want {
				t.Errorf("log %s\nwant %s", got, want)
			}
			log.Reset()
		}
		want(
			`{"level":"INFO","msg":"scan ` +
				`done","connections":2,"renewed":0,"synced":4,"skipped":0,"failed":0,"left":0}` + "\n",
		)
		want("")
		time.Sleep(25 * time.Hour)
		s.queue = failing{f}
		want(`{"level":"ERROR","msg":"scan failed","error":"database is away"}` + "\n")
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

// TestEndOfAPause checks that a success during a pause does not keep a later one from ending
// it, once.
func TestEndOfAPause(t *testing.T) {
	now, p := time.Now(), pause{provider: pages.Provider, whole: true}
	p.until = now.Add(time.Minute)
	s := newPauses()
	s.add(p, now)
	for i, want := range []bool{false, false, true, false} {
		at := now.Add(time.Duration(i) * time.Minute / 2)
		if got := s.mayEnd(p.key(), at); got != want {
			t.Errorf("after %s: may end is %t", at.Sub(now), got)
		}
	}
	if s.add(p, p.until); !s.mayEnd(p.key(), p.until) {
		t.Error("a second pause of the run may not end")
	}
}

// TestSuccessesEndThePauseOfEachService checks that the second success at a provider ends the
// pause of its service, though that of the provider has ended.
func TestSuccessesEndThePauseOfEachService(t *testing.T) {
	f := newFleet(1)
	r := run{Service: f.service(1), pauses: newPauses()}
	for _, p := range []provider.Pair{provider.AnalyticsPair, profile, profile} {
		r.succeeded(t.Context(), p, Sync)
	}
	want := []string{string(profile.Provider), provider.AnalyticsPair.String(), profile.String()}
	if !slices.Equal(f.resumed, want) {
		t.Errorf("ended %q, want %q", f.resumed, want)
	}
}

// TestRenewalsIgnoreAPausedService checks that a pause of one API does not stop renewals,
// which do not use it.
func TestRenewalsIgnoreAPausedService(t *testing.T) {
	now, s := time.Now(), newPauses()
	s.add(pause{provider: pages.Provider, service: pages.Service, whole: true, until: now.Add(time.Minute)}, now)
	if sync, renewal := s.isPaused(pages, Sync, now), s.isPaused(pages, Renewal, now); !sync || renewal {
		t.Errorf("syncs are paused: %t, renewals: %t", sync, renewal)
	}
	s.add(pause{provider: pages.Provider, whole: true, until: now.Add(time.Minute)}, now)
	for _, task := range []Task{Sync, Renewal} {
		if !s.isPaused(pages, task, now) || s.isPaused(profile, task, now) {
			t.Errorf("a pause of a provider does not stop each %s at it, and only there", task)
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
		if r.finish(ctx, connection.Connection{ID: 1, CompanyID: 1, Pair: pages}, Sync, "read",
			fmt.Errorf("%w: %w", provider.ErrNoTurn, ctx.Err())) {
			t.Error("done although nothing was sent")
		}
	}
	if r.pauses.isPaused(pages, Sync, time.Now()) || r.result.Failed > 0 {
		t.Errorf("paused, or failed: %+v", r.result)
	}
}

// TestFreezeIsNoFailure checks that what a frozen process began says nothing of the provider:
// its calls failed long after their time, or the time of the work is long over. Any other
// failure when that time ends is a temporary one.
func TestFreezeIsNoFailure(t *testing.T) {
	late := fmt.Errorf("%w: %w", provider.ErrStoodStill, provider.Temporary(errors.New("timed out")))
	over := provider.Temporary(errors.New("timed out"))
	for _, test := range []struct {
		err    error
		ended  time.Duration // ago
		paused bool
	}{{late, -time.Minute, false}, {over, time.Minute, false}, {over, time.Second, true},
		{context.DeadlineExceeded, time.Second, true}, {over, -time.Minute, true}} {
		r := run{Service: newFleet(1).service(1), pauses: newPauses()}
		ctx, cancel := context.WithDeadlineCause(t.Context(), time.Now().Add(-test.ended), errTimeLimit)
		for range streakLimit {
			if done := r.finish(ctx, connection.Connection{ID: 1, CompanyID: 1, Pair: pages}, Sync, "read",
				test.err); done != test.paused {
				t.Errorf("%+v: done is %t", test, done)
			}
		}
		if r.pauses.isPaused(pages, Sync, time.Now()) != test.paused {
			t.Errorf("%+v: paused is %t", test, !test.paused)
		}
		cancel()
	}
}

// TestPauseFor checks what a refusal concerns.
func TestPauseFor(t *testing.T) {
	c := connection.Connection{ID: 7, Pair: pages, ProviderUserID: "anna", Chosen: connection.ChosenPage,
		AccountID: "104118"}
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
		"a page's token":     {Sync, throttled, page},
		"a renewal":          {Renewal, throttled, person}, // of a user, although a page is chosen
		"a limit of the app": {Sync, provider.ThrottledApp(errors.New("4"), 0), whole},
		"a limit of an API": {Sync, provider.ThrottledAPI(errors.New("429"), 0),
			pause{provider: pages.Provider, service: pages.Service, whole: true}},
		"a temporary failure": {Renewal, provider.Temporary(errors.New("503")), whole},
	} {
		if got := pauseFor(c, test.task, test.err); got != test.want {
			t.Errorf("%s pauses %+v, want %+v", name, got, test.want)
		}
	}
}

// TestPauseLengths checks that pauses begin with a minute, are then as long as those before
// them, and end within a day, whatever the provider says.
func TestPauseLengths(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Now()
	for _, test := range []struct {
		said, before, left time.Duration // left of a pause that is running
		want, total        time.Duration
	}{
		{0, 0, 0, time.Minute, time.Minute},
		{0, time.Minute, 0, time.Minute, 2 * time.Minute},
		{0, 2 * time.Minute, 0, 2 * time.Minute, 4 * time.Minute},
		{0, 2 * time.Minute, 30 * time.Second, 30 * time.Second, 2 * time.Minute},
		{0, 40 * time.Hour, 0, day, 64 * time.Hour},
		{time.Second, 0, 0, time.Minute, time.Minute},
		{20 * time.Minute, time.Hour, 0, 20 * time.Minute, 80 * time.Minute},
		{20 * time.Minute, time.Hour, time.Second, 20 * time.Minute, time.Hour},
		{315360000 * time.Second, 0, 0, day, day},
	} {
		got := pause{length: test.said}.after(test.before, now.Add(test.left), now)
		if got.total != test.total || !got.until.Equal(now.Add(test.want)) {
			t.Errorf("%+v: paused until %s, in total %s", test, got.until.Sub(now), got.total)
		}
	}
}
