package scan

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
)

// heapInUse returns what is left of the memory in use without the gaps of the fleet itself.
func (f *fleet) heapInUse() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	for task, order := range f.order {
		order = slices.DeleteFunc(order, func(i item) bool { return i.ID == 0 })
		for at, i := range order {
			f.place[task][i.CompanyID] = at
		}
		f.order[task], f.begin[task] = append(make([]item, 0, 2*len(order)), order...), 0
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc >> 20
}

// TestHundredThousandCompanies runs the schedule of two replicas for two days and a
// half. Every response takes a second: one for each renewal, and two for each company's
// syncs. Each company has its turn within a day, every day, and the memory is flat.
func TestHundredThousandCompanies(t *testing.T) {
	companies := 100_000
	if testing.Short() {
		companies = 1000
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(companies)
		ctx, cancel := context.WithCancel(t.Context())
		for range 2 {
			go f.service(4).Every(ctx, 24*time.Hour)
		}
		var heap []uint64
		for range 5 {
			time.Sleep(12 * time.Hour)
			heap = append(heap, f.heapInUse())
		}
		cancel()
		synctest.Wait()
		var oldest time.Duration
		for _, at := range f.synced[1:] {
			oldest = max(oldest, time.Since(at))
		}
		t.Logf("%d companies, %d calls in 2.5 days, longest between two syncs of a company %v, now %v, heap %d MiB",
			companies, f.calls, f.longest.Round(time.Minute), oldest.Round(time.Minute), heap)
		if day := 24*time.Hour + 30*time.Minute; f.longest > day || oldest > day || slices.Max(heap)-slices.Min(heap) > 8 {
			t.Error("not within a day, or not with flat memory")
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

// TestScheduleGoesOn checks that two replicas scan each company once in an interval, and
// that 0 is off.
func TestScheduleGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(10)
		ctx, cancel := context.WithCancel(t.Context())
		for range 2 {
			go f.service(2).Every(ctx, 24*time.Hour)
		}
		f.service(1).Every(ctx, 0) // returns
		time.Sleep(10*24*time.Hour + 12*time.Hour)
		cancel()
		synctest.Wait()
		if want := 10 * 3 * 11; f.calls > want || f.calls < want-10*3 {
			t.Errorf("%d calls, want about %d", f.calls, want)
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
			if item.ID != 0 && !item.At.IsZero() {
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
		if !f.paused.After(time.Now()) {
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
				return true, provider.ThrottledApp(err, time.Hour)
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

func (failing) mark(context.Context, Task, int64, time.Time) error {
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
		if got := r.pauses.isPaused(pages.Provider, time.Now()); got != test.want {
			t.Errorf("%s after four temporary ones: paused is %t", name, got)
		}
		r.finish(t.Context(), c, Sync, "read", provider.Temporary(errors.New("503")))
		if got := r.pauses.isPaused(pages.Provider, time.Now()); got != test.want {
			t.Errorf("%s, then another temporary one: paused is %t", name, got)
		}
	}
}

// TestPauseFor checks what a refusal concerns.
func TestPauseFor(t *testing.T) {
	now := time.Now()
	c := connection.Connection{ID: 7, Pair: pages, ProviderUserID: "anna", Chosen: connection.ChosenPage, AccountID: "104118"}
	person := pause{provider: pages.Provider, connectionID: 7, personID: "anna", until: now.Add(time.Hour)}
	page := person
	page.task, page.accountID = Sync, "104118"
	whole := pause{provider: pages.Provider, whole: true, until: now.Add(time.Hour)}
	throttled := provider.Throttled(errors.New("429"), 0)
	for name, test := range map[string]struct {
		task Task
		err  error
		want pause
	}{
		"a page's token":      {Sync, throttled, page},
		"a renewal":           {Renewal, throttled, person}, // of a user, although a page is chosen
		"a limit of the app":  {Sync, provider.ThrottledApp(errors.New("4"), 0), whole},
		"a temporary failure": {Renewal, provider.Temporary(errors.New("503")), whole},
	} {
		if got := pauseFor(c, test.task, test.err, now); got != test.want {
			t.Errorf("%s pauses %+v, want %+v", name, got, test.want)
		}
	}
}

// TestBusyScan checks that a scan that does not run, because another process has the lock,
// neither prunes nor is counted.
func TestBusyScan(t *testing.T) {
	f := newFleet(1)
	s, pruned, finished := f.service(1), 0, 0
	s.After = func(context.Context) { pruned++ }
	s.OnFinish = func(error) { finished++ }
	for _, busy := range []bool{true, false} {
		f.busy, f.respond = busy, func(context.Context) error { return nil }
		if got, err := s.Run(t.Context(), nil); err != nil || got.Ran == busy {
			t.Errorf("busy %t: %+v, %v", busy, got, err)
		}
		if want := map[bool]int{false: 1}[busy]; pruned != want || finished != want {
			t.Errorf("busy %t: pruned %d times, finished %d times", busy, pruned, finished)
		}
	}
}
