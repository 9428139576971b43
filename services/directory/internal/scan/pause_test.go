package scan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

var pages, profile = provider.PagesPair, provider.ProfilePair

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// connect connects a new company with a person of its own.
func connect(t *testing.T, s databasetest.Database, slug string, p provider.Pair) connection.Connection {
	t.Helper()
	c := connection.Connection{CompanyID: s.AddCompany(t, slug), Pair: p, AccessToken: "t",
		ProviderUserID: "person-" + slug}
	ok(t, (&connection.Store{DB: s.DB}).Save(t.Context(), &c, nil, trail.Entry{}))
	return c
}

func TestFailed(t *testing.T) {
	stoodStill := fmt.Errorf("%w: %w", provider.ErrStoodStill, provider.Temporary(errors.New("timed out")))
	timedOut := provider.Temporary(errors.New("timed out"))
	noTurn := fmt.Errorf("%w: %w", provider.ErrNoTurn, context.DeadlineExceeded)
	db := databasetest.Open(t, databasetest.NewSQLite(t))
	for name, test := range map[string]struct {
		err          error
		ended        time.Duration // how long ago the time for the work ended; negative: it is left
		done, paused bool
	}{
		"stood still":                {stoodStill, -time.Minute, false, false},
		"after the time of the work": {timedOut, time.Minute, false, false},
		"at the end of the time":     {timedOut, time.Second, true, true},
		"the database at the end":    {context.DeadlineExceeded, time.Second, false, false},
		"temporary":                  {timedOut, -time.Minute, true, true},
		"refused":                    {provider.Denied(errors.New("403")), -time.Minute, true, false},
		"no turn":                    {noTurn, time.Second, false, false},
	} {
		s := New(Options{DB: db, Log: slog.New(slog.DiscardHandler)})
		ctx, cancel := context.WithDeadlineCause(t.Context(), time.Now().Add(-test.ended), errTimeLimit)
		done, paused := false, false
		for range streakLimit {
			c := connection.Connection{ID: 1, Pair: pages}
			done, paused = (&run{Service: s}).failed(ctx, c, pageFigures, test.err)
		}
		if done != test.done || paused != test.paused {
			t.Errorf("%s: done = %t, paused = %t, want %t, %t", name, done, paused, test.done, test.paused)
		}
		cancel()
	}
}

func TestWhatARefusalPauses(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := New(Options{DB: db.DB})
		c := connect(t, db, "a", pages)
		for _, slug := range []string{"the-page", "another-page", "another-person"} {
			connect(t, db, slug, pages)
		}
		db.Exec(t, "UPDATE oauth_tokens SET provider_user_id = 'anna', account_id = '104118' WHERE id <= 3")
		db.Exec(t, "UPDATE oauth_tokens SET account_id = '7' WHERE id = 3")
		c.ProviderUserID, c.AccountID = "anna", "104118"
		c.Chosen = connection.ChosenPage
		throttled := provider.Throttled(errors.New("429"), 0)
		whole := []pause{{Provider: pages.Provider}}
		ofService := func(ids ...int64) (list []pause) {
			for _, id := range ids {
				list = append(list, pause{Provider: pages.Provider, Service: pages.Service, ConnectionID: id})
			}
			return list
		}
		for name, test := range map[string]struct {
			at   step
			err  error
			want []pause
		}{
			"a page's token":      {pageFigures, throttled, ofService(1, 2)},
			"a renewal":           {renewal, throttled, ofService(1, 2, 3)}, // of a user, although a page is chosen
			"a limit of the app":  {pageFigures, provider.ThrottledApp(errors.New("4"), 0), whole},
			"a temporary failure": {renewal, provider.Temporary(errors.New("503")), whole},
			"a limit of an API":   {pageFigures, provider.ThrottledAPI(errors.New("429"), 0), ofService(0)},
			"everybody refused":   {pageFigures, provider.AppWide(pages.Provider, errors.New("190")), ofService(0)},
		} {
			got, err := s.pausesFor(t.Context(), c, test.at, test.err)
			ok(t, err)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}

func TestPauseLengths(t *testing.T) {
	const day = 24 * time.Hour
	now := database.Instant(databasetest.Time)
	for _, test := range []struct {
		said   time.Duration // by the provider; 0: nothing
		before time.Duration // of all pauses together so far
		left   time.Duration // of a pause that is running
		want   time.Duration // from now
		total  time.Duration // of all pauses together
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
		p := pause{Seconds: int64(test.before / time.Second), Until: now.Add(test.left)}
		p.extend(now, provider.Throttled(errors.New("429"), test.said))
		if got := p.Until.Sub(now); got != test.want {
			t.Errorf("%+v: paused for %s, want %s", test, got, test.want)
		}
		if total := time.Duration(p.Seconds) * time.Second; total != test.total {
			t.Errorf("%+v: %s in total, want %s", test, total, test.total)
		}
	}
	ofAll := pause{Seconds: int64(2 * day / time.Second)}
	ofAll.extend(now, provider.AppWide(pages.Provider, errors.New("190")))
	if got := ofAll.Until.Sub(now); got != time.Hour {
		t.Errorf("refusal of everybody: paused for %s, want an hour", got)
	}
}

func TestLift(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, s databasetest.Database) {
		ctx, now := t.Context(), databasetest.Time
		var log bytes.Buffer
		s.DB.Now = func() time.Time { return now }
		service := New(Options{DB: s.DB, Log: slog.New(slog.NewTextHandler(&log, nil))})
		hour, past := database.Instant(now.Add(time.Hour)), database.Instant(now.Add(-time.Hour))
		a, b := connect(t, s, "a", pages), connect(t, s, "b", profile)
		gone := connect(t, s, "gone", profile)
		s.Exec(t, "UPDATE oauth_tokens SET is_active = false WHERE id = ?", gone.ID)
		ok(t, s.DB.Write(ctx).Create([]pause{
			{pages.Provider, "", 0, hour, 60},
			{pages.Provider, pages.Service, 0, hour, 60},
			{pages.Provider, pages.Service, a.ID, hour, 60},
			{profile.Provider, "", 0, past, 60},
			{profile.Provider, profile.Service, 0, hour, 60},
			{profile.Provider, profile.Service, b.ID, hour, 60},
			{profile.Provider, profile.Service, gone.ID, hour, 60},
		}).Error)
		wantPauses := func(want ...Pause) {
			t.Helper()
			got, err := service.Pauses(ctx)
			for i := range got {
				got[i].Until = got[i].Until.UTC()
			}
			ok(t, err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("pauses (-want +got):\n%s", diff)
			}
		}
		ofProfiles := []Pause{
			{Provider: profile.Provider, Service: profile.Service, Until: hour},
			{Provider: profile.Provider, Service: profile.Service, CompanyID: b.CompanyID, Until: hour},
		}
		wantPauses(
			ofProfiles[0],
			Pause{Provider: pages.Provider, Until: hour},
			Pause{Provider: pages.Provider, Service: pages.Service, Until: hour},
			Pause{Provider: pages.Provider, Service: pages.Service, CompanyID: a.CompanyID, Until: hour},
			ofProfiles[1],
		)
		ok(t, s.DB.Transaction(ctx, func(tx *gorm.DB) error {
			return service.queue.Insert(tx, jobs.Sync{ConnectionID: a.ID})
		}))
		s.Exec(t, "UPDATE river_job SET state = 'scheduled', scheduled_at = ?", database.Instant(now.AddDate(99, 0, 0)))
		by := trail.Entry{Actor: "command line", Detail: "d", RequestID: "req-1"}
		for _, want := range []int64{3, 0} {
			n, err := service.Lift(ctx, by, pages.Provider)
			ok(t, err)
			if n != want {
				t.Errorf("%d lifted, want %d", n, want)
			}
		}
		wantPauses(ofProfiles...)
		if state := s.Query(t, "SELECT state FROM river_job WHERE kind = 'sync'"); state[0] != "available" {
			t.Errorf("the job that waited for the end of a pause is %s", state)
		}
		const record = `level=INFO msg="pauses lifted" provider=provider_social pauses=3`
		if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, record) {
			t.Errorf("log = %s, want one line with %s", got, record)
		}
		lines, err := trail.Find(ctx, s.DB, trail.Search{Limit: 9})
		ok(t, err)
		lines = slices.DeleteFunc(lines, func(e trail.Entry) bool { return e.Action == "" }) // of the connections
		for i := range lines {
			lines[i].At = time.Time{}
		}
		want := []trail.Entry{
			{Action: "pause lift", Actor: "command line", Pair: provider.Pair{Provider: pages.Provider}, Detail: "d",
				RequestID: "req-1"},
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("trail (-want +got):\n%s", diff)
		}
	})
}

func TestScannedInTheFuture(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, s databasetest.Database) {
		ctx, now := t.Context(), databasetest.Time
		s.DB.Now = func() time.Time { return now }
		service := New(Options{DB: s.DB, Log: slog.New(slog.DiscardHandler)})
		for slug, ago := range map[string]time.Duration{
			"ahead": -9 * time.Hour, "near": -clockTolerance, "yesterday": 24 * time.Hour,
		} {
			s.Exec(t, "UPDATE oauth_tokens SET created_at = scanned_at, scanned_at = ? WHERE id = ?",
				database.Instant(now.Add(-ago)), connect(t, s, slug, pages).ID)
		}
		want := func(want int, wantOldest time.Time) {
			t.Helper()
			due, oldest, err := service.Backlog(ctx, now)
			ok(t, err)
			if due != want || !oldest.Equal(wantOldest) {
				t.Errorf("%d due, the oldest since %s, want %d since %s", due, oldest, want, wantOldest)
			}
		}
		want(1, database.Instant(now.Add(-24*time.Hour)))
		ok(t, service.Schedule(ctx, time.Hour))
		want(2, longAgo)
		if got := s.Query(t, "SELECT COUNT(*) FROM river_job WHERE kind = 'sync'"); got[0] != "2" {
			t.Errorf("%s jobs are inserted, want 2", got[0])
		}
	})
}
