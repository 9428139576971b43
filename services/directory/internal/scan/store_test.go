package scan

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/storetest"
	"backend.example/services/directory/internal/trail"
)

func onEachDatabase(t *testing.T, test func(t *testing.T, db *storetest.Store)) {
	t.Helper()
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db storetest.Database) { test(t, db.Store) })
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// change alters a connection.
func change(t *testing.T, s *storetest.Store, c connection.Connection, change func(*connection.Connection)) {
	t.Helper()
	_, err := s.Change(t.Context(), c.CompanyID, c.Pair, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
		change(c)
		return nil, nil
	})
	ok(t, err)
}

// toScan lists the connections that a task finds at now, by their company.
func toScan(t *testing.T, s *storetest.Store, task Task, now time.Time, after position, n int) (companies []int64) {
	t.Helper()
	items, err := queries{s.DB}.next(t.Context(), task, databasetest.Time, now, after, n)
	ok(t, err)
	for _, item := range items {
		companies = append(companies, item.CompanyID)
	}
	return companies
}

func TestOrderOfScans(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, s *storetest.Store) {
		q, ctx, now := queries{s.DB}, t.Context(), databasetest.Time
		var connections []connection.Connection
		for _, slug := range []string{"a", "b", "c", "d"} {
			connections = append(connections, storetest.AddConnection(t, s, slug, pages))
		}
		a, b, c, d := connections[0], connections[1], connections[2], connections[3]
		change(t, s, d, func(c *connection.Connection) { c.Active = false })
		ok(t, q.mark(ctx, Sync, a.ID, now.Add(-time.Hour)))
		ok(t, q.mark(ctx, Sync, b.ID, now.Add(-2*time.Hour)))
		ok(t, q.mark(ctx, Renewal, c.ID, now))

		first, err := q.next(ctx, Sync, now, now, position{}, 9)
		ok(t, err)
		if want := (item{position{storetest.Kept(now.Add(-2 * time.Hour)), b.ID}, b.CompanyID, pages}); first[1] != want {
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

// TestPauses checks what each pause concerns, and until when.
func TestPauses(t *testing.T) {
	hour := databasetest.Time.Add(time.Hour)
	onEachDatabase(t, func(t *testing.T, s *storetest.Store) {
		q, ctx := queries{s.DB}, t.Context()
		same := storetest.AddConnection(t, s, "a", pages) // the same person connects three companies, two to one page
		connected := []connection.Connection{same}
		for _, slug := range []string{"b", "c"} {
			c := storetest.AddConnection(t, s, slug, pages)
			change(t, s, c, func(c *connection.Connection) { c.ProviderUserID = same.ProviderUserID })
			connected = append(connected, c)
		}
		connected = append(connected, storetest.AddConnection(t, s, "d", pages), storetest.AddConnection(t, s, "e", profile))
		change(t, s, connected[4], func(c *connection.Connection) { c.ProviderUserID = same.ProviderUserID }) // the same number at another provider
		for i, account := range []string{"1", "1", "2", "1", "1"} {
			change(t, s, connected[i], func(c *connection.Connection) { c.AccountID = account })
		}
		for name, test := range map[string]struct {
			pause          pause
			syncs, renewal []int64 // that are left
		}{
			"provider":       {pause{provider: pages.Provider, whole: true}, []int64{5}, []int64{5}},
			"person":         {pause{provider: pages.Provider, task: Renewal, connectionID: 1, personID: "person-a"}, []int64{1, 2, 3, 4, 5}, []int64{4, 5}},
			"page":           {pause{provider: pages.Provider, task: Sync, connectionID: 1, personID: "person-a", accountID: "1"}, []int64{3, 4, 5}, []int64{1, 2, 3, 4, 5}},
			"unknown person": {pause{provider: pages.Provider, task: Sync, connectionID: 2}, []int64{1, 3, 4, 5}, []int64{1, 2, 3, 4, 5}},
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

// TestChangesKeepTheOrder checks that a change of a connection does not move it.
func TestChangesKeepTheOrder(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, s *storetest.Store) {
		q, ctx := queries{s.DB}, t.Context()
		c := storetest.AddConnection(t, s, "a", pages)
		ok(t, q.mark(ctx, Sync, c.ID, databasetest.Time))
		change(t, s, c, func(c *connection.Connection) { c.AccountName = "renamed" })
		ok(t, s.Save(ctx, &c, nil, storetest.Entry(c, "connect")))
		if got := toScan(t, s, Sync, databasetest.Time, position{}, 9); len(got) > 0 {
			t.Errorf("to be scanned again: %v", got)
		}
	})
}

func TestOldest(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db storetest.Database) {
		opened := storetest.Open(t, db.URL, database.WithClock(func() time.Time { return databasetest.Time }))
		s := New(Options{DB: opened.DB})
		want := func(what string, want time.Time) {
			t.Helper()
			if at, err := s.Oldest(t.Context(), databasetest.Time.Add(24*time.Hour)); err != nil || !at.Equal(want) {
				t.Errorf("oldest %v, %v, want %v: %s", at, err, want, what)
			}
		}
		want("nothing is connected", time.Time{})
		for i := range 3 {
			c := storetest.AddConnection(t, opened, fmt.Sprint("c", i), pages)
			ok(t, s.queue.mark(t.Context(), Sync, c.ID, databasetest.Time.Add(time.Duration(1+i)*time.Hour)))
		}
		want("the first", storetest.Kept(databasetest.Time.Add(time.Hour)))
		storetest.AddConnection(t, opened, "never", profile)
		want("one was never scanned", storetest.Kept(databasetest.Time))
	})
}
