package scan

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

func onEachDatabase(t *testing.T, test func(t *testing.T, s store)) {
	t.Helper()
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		test(t, store{db, &connection.Store{DB: db.DB}})
	})
}

// store is a database with connections.
type store struct {
	databasetest.Database
	connections *connection.Store
}

// connect connects a new company with a person of its own.
func (s store) connect(t *testing.T, slug string, p provider.Pair) connection.Connection {
	t.Helper()
	c := connection.Connection{CompanyID: s.AddCompany(t, slug), Pair: p, AccessToken: "t", UserAccessToken: "u",
		ProviderUserID: "person-" + slug}
	ok(t, s.connections.Save(t.Context(), &c, nil, trail.Entry{}))
	return c
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// change alters a connection.
func change(t *testing.T, s store, c connection.Connection, change func(*connection.Connection)) {
	t.Helper()
	_, err := s.connections.Change(t.Context(), c.CompanyID, c.Pair,
		func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
			change(c)
			return nil, nil
		})
	ok(t, err)
}

// mark records that a task was done.
func (s queries) mark(t *testing.T, task Task, c connection.Connection, at time.Time) {
	t.Helper()
	i := item{position: position{ID: c.ID}, CompanyID: c.CompanyID, Pair: c.Pair}
	ok(t, s.release(t.Context(), task, i, longAgo, &at))
}

// toScan lists the connections that a task finds at now, by their company.
func toScan(t *testing.T, s store, task Task, now time.Time, after position, n int) (companies []int64) {
	t.Helper()
	items, err := queries{s.DB}.next(t.Context(), task, databasetest.Time, now, after, n)
	ok(t, err)
	for _, item := range items {
		companies = append(companies, item.CompanyID)
	}
	return companies
}

func TestOrderOfScans(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, s store) {
		q := queries{s.DB}
		ctx := t.Context()
		now := databasetest.Time
		var connections []connection.Connection
		for _, slug := range []string{"a", "b", "c", "d"} {
			connections = append(connections, s.connect(t, slug, pages))
		}
		a := connections[0]
		b := connections[1]
		c := connections[2]
		d := connections[3]
		change(t, s, d, func(c *connection.Connection) { c.Active = false })
		q.mark(t, Sync, a, now.Add(-time.Hour))
		q.mark(t, Sync, b, now.Add(-2*time.Hour))
		q.mark(t, Renewal, c, now)

		first, err := q.next(ctx, Sync, now, now, position{}, 9)
		ok(t, err)
		if want := (item{position{database.Instant(now.Add(-2 * time.Hour)), b.ID}, b.CompanyID,
			pages}); first[1] != want {
			t.Errorf("second is %+v, want %+v", first[1], want)
		}
		for name, test := range map[string]struct {
			task  Task
			after position
			n     int
			want  []int64
		}{
			"never synced first":       {Sync, position{}, 9, []int64{c.CompanyID, b.CompanyID, a.CompanyID}},
			"the renewals' own order":  {Renewal, position{}, 9, []int64{a.CompanyID, b.CompanyID}},
			"a few":                    {Sync, position{}, 1, []int64{c.CompanyID}},
			"behind a position":        {Sync, first[1].position, 9, []int64{a.CompanyID}},
			"none":                     {Sync, position{}, -1, nil},
			"behind the last position": {Sync, first[2].position, 9, nil},
		} {
			if got := toScan(t, s, test.task, now, test.after, test.n); !slices.Equal(got, test.want) {
				t.Errorf("%s: %v, want %v", name, got, test.want)
			}
		}
		if n, err := q.count(ctx, Sync, now.Add(-90*time.Minute)); err != nil || n != 2 {
			t.Errorf("%d to scan, want 2", n)
		}
	})
}

// TestIncidentsAreListedAsWhatTheyPause checks that an incident of renewals, which belongs to
// no service, is not listed as a pause of the provider.
func TestIncidentsAreListedAsWhatTheyPause(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, s store) {
		now := databasetest.Time
		for _, i := range []incident.Incident{
			{Subject: incident.Subject{Provider: provider.Search, Kind: incident.Renewal}},
			{
				Subject: incident.Subject{Provider: provider.Search, Service: provider.SearchProfile,
					Kind: incident.Token},
			},
			{Subject: incident.Subject{Provider: provider.Social, Kind: incident.Renewal}, Whole: true},
		} {
			i.BeganAt, i.PausedUntil = now, now.Add(time.Hour)
			ok(t, s.DB.Write(t.Context()).Create(&i).Error)
		}
		list, err := New(Options{DB: s.DB, Now: func() time.Time { return now }}).Pauses(t.Context())
		ok(t, err)
		var got []string
		for _, p := range list {
			got = append(got, fmt.Sprint(p.Provider, "/", p.Service, "/", p.Task))
		}
		if want := []string{"provider_search//renewal", "provider_search/search_profile/",
			"provider_social//"}; !slices.Equal(got, want) {
			t.Errorf("pauses %q, want %q", got, want)
		}
	})
}

// TestPauses checks what each pause concerns, and until when.
func TestPauses(t *testing.T) {
	hour := databasetest.Time.Add(time.Hour)
	onEachDatabase(t, func(t *testing.T, s store) {
		q, ctx := queries{s.DB}, t.Context()
		same := s.connect(t, "a", pages) // the same person connects three companies, two to one page
		connected := []connection.Connection{same}
		for _, slug := range []string{"b", "c"} {
			c := s.connect(t, slug, pages)
			change(t, s, c, func(c *connection.Connection) { c.ProviderUserID = same.ProviderUserID })
			connected = append(connected, c)
		}
		connected = append(connected, s.connect(t, "d", pages), s.connect(t, "e", profile))
		// the same number at another provider
		change(t, s, connected[4], func(c *connection.Connection) { c.ProviderUserID = same.ProviderUserID })
		for i, account := range []string{"1", "1", "2", "1", "1"} {
			change(t, s, connected[i], func(c *connection.Connection) { c.AccountID = account })
		}
		for name, test := range map[string]struct {
			pause          pause
			syncs, renewal []int64 // that are left
		}{
			"provider": {pause{provider: pages.Provider, whole: true}, []int64{5}, []int64{5}},
			"person": {pause{provider: pages.Provider, task: Renewal, connectionID: 1, personID: "person-a"},
				[]int64{1, 2, 3, 4, 5}, []int64{4, 5}},
			"page": {
				pause{provider: pages.Provider, task: Sync, connectionID: 1, personID: "person-a", accountID: "1"},
				[]int64{3, 4, 5}, []int64{1, 2, 3, 4, 5},
			},
			"unknown person": {pause{provider: pages.Provider, task: Sync, connectionID: 2}, []int64{1, 3, 4, 5},
				[]int64{1, 2, 3, 4, 5}},
		} {
			test.pause.until = hour
			ok(t, q.pause(ctx, test.pause))
			for what, left := range map[Task][]int64{Sync: test.syncs, Renewal: test.renewal} {
				if got := toScan(t, s, what, hour.Add(-time.Second), position{}, 9); !slices.Equal(got, left) {
					t.Errorf("%s: task %d finds %v, want %v", name, what, got, left)
				}
				if got := toScan(t, s, what, hour, position{}, 9); len(got) != 5 {
					t.Errorf("%s: task %d finds %v when the time is over", name, what, got)
				}
			}
			test.pause.until = databasetest.Time.Add(-time.Hour)
			ok(t, q.pause(ctx, test.pause)) // shorter, so that the next one stands alone
		}
		if n, err := q.count(ctx, Sync, databasetest.Time); err != nil || n != 5 {
			t.Errorf("%d to scan, want 5", n)
		}
	})
}

// TestLastPause checks that the pause before is found again, of a provider, of one of its
// services, or of a task on a connection.
func TestLastPause(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, s store) {
		q, ctx := queries{s.DB}, t.Context()
		all := []pause{
			{provider: pages.Provider, whole: true}, {provider: pages.Provider, service: pages.Service, whole: true},
			{provider: profile.Provider, whole: true},
		}
		for _, c := range []connection.Connection{s.connect(t, "a", pages), s.connect(t, "b", pages)} {
			for _, task := range []Task{Renewal, Sync} {
				all = append(
					all, pause{provider: pages.Provider, task: task, connectionID: c.ID, personID: c.ProviderUserID},
				)
			}
		}
		for _, p := range all {
			if total, until, err := q.lastPause(ctx, p); err != nil || total != 0 || until.After(longAgo) {
				t.Errorf("%+v: paused for %s until %s, %v before any pause", p, total, until, err)
			}
		}
		for i := range all {
			all[i].total, all[i].until = time.Duration(i+1)*time.Minute,
				databasetest.Time.Add(time.Duration(i)*time.Hour)
			ok(t, q.pause(ctx, all[i]))
		}
		done := len(all) - 1 // a success ends the pause of the last one
		ok(t, q.release(ctx, Sync, item{position: position{ID: all[done].connectionID}}, longAgo,
			new(databasetest.Time)))
		all[done].total = 0
		for _, p := range all {
			if total, until, err := q.lastPause(ctx, p); err != nil || total != p.total ||
				!until.Equal(database.Instant(p.until)) {
				t.Errorf("%+v: paused for %s until %s, %v", p, total, until, err)
			}
		}
	})
}

// TestLift checks the list of all pauses, and that lifting those of one provider leaves
// those of the other and is recorded.
func TestLift(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, s store) {
		q := queries{s.DB}
		ctx := t.Context()
		now := databasetest.Time
		hour, past := database.Instant(now.Add(time.Hour)), database.Instant(now.Add(-time.Hour))
		a := s.connect(t, "a", pages)
		b := s.connect(t, "b", pages)
		c := s.connect(t, "c", profile)
		gone := s.connect(t, "gone", profile)
		change(t, s, gone, func(c *connection.Connection) { c.Active = false })
		of := func(c connection.Connection, task Task) pause {
			return pause{provider: c.Pair.Provider, task: task, connectionID: c.ID, until: hour}
		}
		over := of(a, Sync)
		over.until = past
		for _, p := range []pause{
			{provider: pages.Provider, whole: true, until: hour},
			{provider: pages.Provider, service: pages.Service, whole: true, until: hour},
			{provider: profile.Provider, whole: true, until: past},
			{provider: profile.Provider, service: profile.Service, whole: true, until: hour},
			over, of(a, Renewal), of(b, Sync), of(c, Sync), of(gone, Sync),
		} {
			ok(t, q.pause(ctx, p))
		}
		for _, i := range []incident.Incident{
			{Subject: incident.Subject{Provider: pages.Provider, Kind: incident.Renewal}, PausedUntil: hour},
			{Subject: incident.Subject{Provider: profile.Provider, Service: profile.Service, Kind: incident.Token},
				PausedUntil: hour},
			{Subject: incident.Subject{Provider: profile.Provider, Kind: incident.Renewal}, PausedUntil: past},
		} {
			i.BeganAt = past
			ok(t, s.DB.Write(ctx).Create(&i).Error)
		}
		var log bytes.Buffer
		service := New(
			Options{DB: s.DB, Now: func() time.Time { return now }, Log: slog.New(slog.NewTextHandler(&log, nil))},
		)
		wantPauses := func(want ...Pause) {
			t.Helper()
			got, err := service.Pauses(ctx)
			for i := range got {
				got[i].Until = got[i].Until.UTC()
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("pauses %+v, %v\nwant %+v", got, err, want)
			}
		}
		wantPauses(
			Pause{Provider: profile.Provider, Service: profile.Service, Until: hour},
			Pause{Provider: pages.Provider, Until: hour},
			Pause{Provider: pages.Provider, Service: pages.Service, Until: hour},
			Pause{Provider: profile.Provider, Service: profile.Service, Until: hour},
			Pause{Provider: pages.Provider, Task: "renewal", Until: hour},
			Pause{Provider: pages.Provider, Service: pages.Service, CompanyID: a.CompanyID, Task: "renewal",
				Until: hour},
			Pause{Provider: pages.Provider, Service: pages.Service, CompanyID: b.CompanyID, Task: "sync", Until: hour},
			Pause{Provider: profile.Provider, Service: profile.Service, CompanyID: c.CompanyID, Task: "sync",
				Until: hour},
		)
		for _, want := range []int64{5, 0} {
			if n, err := service.Lift(ctx, trail.Entry{Actor: "command line", Detail: "d", RequestID: "req-1"},
				pages.Provider); n != want || err != nil {
				t.Errorf("%d lifted, %v, want %d", n, err, want)
			}
		}
		wantPauses(
			Pause{Provider: profile.Provider, Service: profile.Service, Until: hour},
			Pause{Provider: profile.Provider, Service: profile.Service, Until: hour},
			Pause{Provider: profile.Provider, Service: profile.Service, CompanyID: c.CompanyID, Task: "sync",
				Until: hour},
		)
		if got := log.String(); strings.Count(got, "\n") != 1 ||
			!strings.Contains(got, `level=INFO msg="pauses lifted" provider=provider_social pauses=5`) {
			t.Errorf("log %s", got)
		}
		lines, err := trail.Find(ctx, s.DB, trail.Search{Limit: 9})
		lines = slices.DeleteFunc(lines, func(e trail.Entry) bool { return e.Action == "" }) // of the connections
		for i := range lines {
			lines[i].At = time.Time{}
		}
		want := []trail.Entry{
			{Action: "pause lift", Actor: "command line", Pair: provider.Pair{Provider: pages.Provider}, Detail: "d",
				RequestID: "req-1"},
		}
		if err != nil || !reflect.DeepEqual(lines, want) {
			t.Errorf("trail %+v, %v, want %+v", lines, err, want)
		}
	})
}

// TestChangesKeepTheOrder checks that a change of a connection does not move it.
func TestChangesKeepTheOrder(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, s store) {
		q, ctx := queries{s.DB}, t.Context()
		c := s.connect(t, "a", pages)
		q.mark(t, Sync, c, databasetest.Time)
		change(t, s, c, func(c *connection.Connection) { c.AccountName = "renamed" })
		ok(t, s.connections.Save(ctx, &c, nil, trail.Entry{}))
		if got := toScan(t, s, Sync, databasetest.Time, position{}, 9); len(got) > 0 {
			t.Errorf("to be scanned again: %v", got)
		}
	})
}

func TestOldest(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, connected store) {
		db := databasetest.Open(t, connected.URL, database.WithClock(func() time.Time { return databasetest.Time }))
		connected.connections = &connection.Store{DB: db}
		s := New(Options{DB: db})
		want := func(what string, want time.Time) {
			t.Helper()
			if at, err := s.Oldest(t.Context(), databasetest.Time.Add(24*time.Hour)); err != nil || !at.Equal(want) {
				t.Errorf("oldest %v, %v, want %v: %s", at, err, want, what)
			}
		}
		want("nothing is connected", time.Time{})
		for i := range 3 {
			c := connected.connect(t, fmt.Sprint("c", i), pages)
			queries{db}.mark(t, Sync, c, databasetest.Time.Add(time.Duration(1+i)*time.Hour))
		}
		want("the first", database.Instant(databasetest.Time.Add(time.Hour)))
		connected.connect(t, "never", profile)
		want("one was never scanned", database.Instant(databasetest.Time))
	})
}

// TestClaims checks that a connection is worked on by one run at a time, and is due again
// as soon as the claim of a killed run has expired.
func TestClaims(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, s store) {
		q := queries{s.DB}
		ctx := t.Context()
		now := databasetest.Time
		c := s.connect(t, "a", pages)
		listed, err := q.next(ctx, Sync, now, now, position{}, 9)
		ok(t, err)
		claim := func(at time.Time) bool {
			t.Helper()
			claimed, err := q.claim(ctx, Sync, listed[0], at, at.Add(claimLength))
			ok(t, err)
			return claimed
		}
		end := now.Add(claimLength)
		if !claim(now) || claim(now) || claim(end.Add(-time.Second)) {
			t.Error("not claimed by one run until the end of the claim")
		}
		for at, want := range map[time.Time]int{now: 0, end.Add(-time.Second): 0, end: 1} {
			if got := toScan(t, s, Sync, at, position{}, 9); len(got) != want {
				t.Errorf("after %v: %v to scan, want %d", at.Sub(now), got, want)
			}
		}
		if !claim(end) {
			t.Error("not claimed again after the first claim has expired")
		}
		ok(t, q.release(ctx, Sync, listed[0], end, &end)) // by the first run, which was frozen
		if claim(end) {
			t.Error("the first run has ended the claim of the second")
		}
		ok(t, q.release(ctx, Sync, listed[0], end.Add(claimLength), nil))
		if !claim(end) {
			t.Error("not free although it was released")
		}
		ok(t, q.release(ctx, Sync, listed[0], end.Add(claimLength), &end))
		if claim(end) {
			t.Error("claimed although it was done since it was listed")
		}
		ahead := now.Add(24 * time.Hour)
		q.mark(t, Sync, c, longAgo)
		if !claim(ahead) || !claim(now) {
			t.Error("the claim of a clock that was ahead is not over")
		}
	})
}

// TestScannedInTheFuture checks that what was scanned by a clock that was ahead is counted,
// and due.
func TestScannedInTheFuture(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, s store) {
		now := databasetest.Time
		ahead, near := s.connect(t, "ahead", pages), s.connect(t, "near", pages)
		inactive := s.connect(t, "inactive", pages)
		change(t, s, inactive, func(c *connection.Connection) { c.Active = false })
		for c, at := range map[int64]time.Time{ahead.ID: now.AddDate(9, 0, 0), near.ID: now.Add(clockTolerance),
			inactive.ID: now.AddDate(9, 0, 0)} {
			for _, task := range []Task{Renewal, Sync} {
				queries{s.DB}.mark(t, task, connection.Connection{ID: c}, at)
			}
		}
		var log bytes.Buffer
		f := newFleet(0).service(1)
		f.DB = s.DB
		f.queue = queries{s.DB}
		f.Now = func() time.Time { return now }
		f.Log = slog.New(slog.NewTextHandler(&log, nil))
		if n, err := f.Ahead(t.Context(), now); n != 1 || err != nil {
			t.Errorf("%d ahead, %v, want 1", n, err)
		}
		got, err := f.run(t.Context(), &run{before: func() time.Time { return now }})
		if err != nil || got.Connections != 1 {
			t.Fatalf("%+v, %v, log %s", got, err, &log)
		}
		if got.Synced != 2 || got.Renewed != 0 {
			t.Fatalf("%+v, %v, log %s", got, err, &log)
		}
		if strings.Count(log.String(), "scanned in the future") != 2 {
			t.Errorf("%+v, %v, log %s", got, err, &log)
		}
		if n, err := f.Ahead(t.Context(), now); n != 0 || err != nil {
			t.Errorf("%d ahead afterwards, %v", n, err)
		}
	})
}

// TestFailuresAreReported checks that nothing succeeds if one of its statements fails.
func TestFailuresAreReported(t *testing.T) {
	t.Parallel()
	url := databasetest.NewSQLite(t)
	db := databasetest.Database{Name: "sqlite", URL: url, DB: databasetest.Open(t, url)}
	s := store{db, &connection.Store{DB: db.DB}}
	c := s.connect(t, "a", pages)
	q := queries{s.DB}
	ctx := t.Context()
	now := databasetest.Time
	var log bytes.Buffer
	service := New(
		Options{DB: s.DB, Now: func() time.Time { return now }, Log: slog.New(slog.NewTextHandler(&log, nil))},
	)
	i := item{position: position{ID: c.ID}, CompanyID: c.CompanyID, Pair: c.Pair}
	whole := pause{provider: provider.Social, whole: true, until: now.Add(time.Hour)}
	one := pause{provider: provider.Social, task: Sync, connectionID: c.ID, personID: c.ProviderUserID,
		until: now.Add(time.Hour)}
	r := &run{Service: service, pauses: newPauses(), before: func() time.Time { return now }}
	idle := &run{Service: service, before: func() time.Time { return time.Time{} }, progress: func(Progress) {}}
	q.mark(t, Renewal, c, now)
	q.mark(t, Sync, c, now)
	before := func() {
		log.Reset()
		r.pauses = newPauses()
	}
	logged := func() error {
		if strings.Contains(log.String(), databasetest.ErrFails.Error()) {
			return databasetest.ErrFails
		}
		return nil
	}
	databasetest.FailEach(t, s.DB, []databasetest.Call{
		{Name: "throttled step", Before: before, Run: func() error {
			r.finish(ctx, c, Sync, "read", provider.Throttled(nil, time.Hour))
			return logged()
		}},
		{Name: "successful step", Before: before, Run: func() error {
			r.succeeded(ctx, c.Pair, Sync)
			return logged()
		}},
		{Name: "run without work", Run: func() error { return idle.all(ctx) }},
		{Name: "next", Run: func() error { return databasetest.ErrorOf(q.next(ctx, Sync, now, now, position{}, 9)) }},
		{Name: "count", Run: func() error { return databasetest.ErrorOf(q.count(ctx, Sync, now)) }},
		{Name: "made due", Run: func() error { return r.resetAhead(ctx) }},
		{
			Name: "claim",
			Run:  func() error { return databasetest.ErrorOf(q.claim(ctx, Sync, i, now, now.Add(claimLength))) },
		},
		{Name: "release", Run: func() error { return q.release(ctx, Sync, i, now, &now) }},
		{Name: "pause of a provider", Run: func() error { return r.begin(ctx, c.CompanyID, whole) }},
		{Name: "pause of a person", Run: func() error { return r.begin(ctx, c.CompanyID, one) }},
		{Name: "resume", Run: func() error { return databasetest.ErrorOf(q.resume(ctx, whole.key(), now)) }},
		{Name: "due", Run: func() error { return databasetest.ErrorOf(service.Due(ctx, now)) }},
		{Name: "ahead", Run: func() error { return databasetest.ErrorOf(service.Ahead(ctx, now)) }},
		{Name: "oldest", Run: func() error { return databasetest.ErrorOf(service.Oldest(ctx, now)) }},
		{Name: "pauses", Run: func() error { return databasetest.ErrorOf(service.Pauses(ctx)) }},
		{
			Name: "lift",
			Run:  func() error { return databasetest.ErrorOf(service.Lift(ctx, trail.Entry{}, provider.Social)) },
		},
	}...)
}
