package scan

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
)

var pages, profile = provider.PagesPair, provider.ProfilePair

// TestFailed checks which failures end the task, which pause the provider after five in a row,
// and that what a frozen process began, or a request that had no turn, says nothing of it.
func TestFailed(t *testing.T) {
	late := fmt.Errorf("%w: %w", provider.ErrStoodStill, provider.Temporary(errors.New("timed out")))
	over := provider.Temporary(errors.New("timed out"))
	noTurn := fmt.Errorf("%w: %w", provider.ErrNoTurn, context.DeadlineExceeded)
	db := databasetest.Open(t, databasetest.NewSQLite(t))
	for name, test := range map[string]struct {
		err          error
		ended        time.Duration // of the work's time, ago
		done, paused bool
	}{
		"stood still":                {late, -time.Minute, false, false},
		"after the time of the work": {over, time.Minute, false, false},
		"at the end of the time":     {over, time.Second, true, true},
		"the end itself":             {context.DeadlineExceeded, time.Second, true, true},
		"temporary":                  {over, -time.Minute, true, true},
		"refused":                    {provider.Denied(errors.New("403")), -time.Minute, true, false},
		"no turn":                    {noTurn, time.Second, false, false},
	} {
		s := New(Options{DB: db, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		ctx, cancel := context.WithDeadlineCause(t.Context(), time.Now().Add(-test.ended), errTimeLimit)
		done, paused := false, false
		for range streakLimit {
			done, paused = (&run{Service: s}).failed(ctx, connection.Connection{ID: 1, Pair: pages}, Sync, "read",
				test.err)
		}
		if done != test.done || paused != test.paused {
			t.Errorf("%s: done %t, paused %t", name, done, paused)
		}
		cancel()
	}
}

// TestStreak checks that a response of the provider ends a streak of temporary failures.
func TestStreak(t *testing.T) {
	s := &streak{failed: map[provider.Name]int{}}
	for i := range 2 * streakLimit {
		if s.add(pages.Provider) != (i == streakLimit-1) {
			t.Errorf("failure %d ends the streak, or does not", i)
		}
		if i == 2*streakLimit-2 {
			s.end(pages.Provider)
		}
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
