package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
	"backend.example/services/directory/internal/store/storetest"
)

// toScan lists the connections that a task finds at now, by the number of their company.
func toScan(t *testing.T, s *store.Store, task directory.ScanTask, now time.Time, after directory.ScanPosition, n int) (companies []int64) {
	t.Helper()
	for _, item := range must(s.NextToScan(t.Context(), task, databasetest.Time, now, after, n))(t) {
		companies = append(companies, item.CompanyID)
	}
	return companies
}

func TestOrderOfScans(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx, now := db.Store, t.Context(), databasetest.Time
		var connections []directory.Connection
		for _, slug := range []string{"a", "b", "c", "d"} {
			connections = append(connections, storetest.AddConnection(t, s, slug, pages))
		}
		a, b, c, d := connections[0], connections[1], connections[2], connections[3]
		change(t, s, d, func(c *directory.Connection) { c.Active = false })
		ok(t, s.MarkScanned(ctx, directory.ScanSync, a.ID, now.Add(-time.Hour)))
		ok(t, s.MarkScanned(ctx, directory.ScanSync, b.ID, now.Add(-2*time.Hour)))
		ok(t, s.MarkScanned(ctx, directory.ScanRenewal, c.ID, now))

		first := must(s.NextToScan(ctx, directory.ScanSync, now, now, directory.ScanPosition{}, 9))(t)
		requireEqual(t, "second", directory.ScanItem{
			ScanPosition: directory.ScanPosition{At: storetest.Kept(now.Add(-2 * time.Hour)), ID: b.ID}, CompanyID: b.CompanyID, Pair: pages,
		}, first[1])
		for name, test := range map[string]struct {
			task  directory.ScanTask
			after directory.ScanPosition
			n     int
			want  []int64
		}{
			"never synced first":       {directory.ScanSync, directory.ScanPosition{}, 9, []int64{c.CompanyID, b.CompanyID, a.CompanyID}},
			"the renewals' own order":  {directory.ScanRenewal, directory.ScanPosition{}, 9, []int64{a.CompanyID, b.CompanyID}},
			"a few":                    {directory.ScanSync, directory.ScanPosition{}, 1, []int64{c.CompanyID}},
			"behind a position":        {directory.ScanSync, first[1].ScanPosition, 9, []int64{a.CompanyID}},
			"none":                     {directory.ScanSync, directory.ScanPosition{}, -1, nil},
			"behind the last position": {directory.ScanSync, first[2].ScanPosition, 9, nil},
		} {
			if got := toScan(t, s, test.task, now, test.after, test.n); !slices.Equal(got, test.want) {
				t.Errorf("%s: %v, want %v", name, got, test.want)
			}
		}
		if n := must(s.CountToScan(ctx, directory.ScanSync, now.Add(-90*time.Minute)))(t); n != 2 {
			t.Errorf("%d to scan, want 2", n)
		}
	})
}

// TestStoppedScans: a stop holds for what it is about, and for as long as it says.
func TestStoppedScans(t *testing.T) {
	hour := databasetest.Time.Add(time.Hour)
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		same := storetest.AddConnection(t, s, "a", pages) // the same person connects three companies, two to one page
		connected := []directory.Connection{same}
		for _, slug := range []string{"b", "c"} {
			c := storetest.AddConnection(t, s, slug, pages)
			change(t, s, c, func(c *directory.Connection) { c.ProviderUserID = same.ProviderUserID })
			connected = append(connected, c)
		}
		connected = append(connected, storetest.AddConnection(t, s, "d", pages), storetest.AddConnection(t, s, "e", profile))
		for i, account := range []string{"1", "1", "2", "1", "1"} {
			change(t, s, connected[i], func(c *directory.Connection) { c.AccountID = account })
		}
		for name, test := range map[string]struct {
			stop           directory.ScanStop
			syncs, renewal []int64 // that are left
		}{
			"provider":       {directory.ScanStop{Provider: pages.Provider, Whole: true}, []int64{5}, []int64{5}},
			"person":         {directory.ScanStop{Provider: pages.Provider, Task: directory.ScanRenewal, ConnectionID: 1, UserID: "person-a"}, []int64{1, 2, 3, 4, 5}, []int64{4, 5}},
			"page":           {directory.ScanStop{Provider: pages.Provider, Task: directory.ScanSync, ConnectionID: 1, UserID: "person-a", AccountID: "1"}, []int64{3, 4, 5}, []int64{1, 2, 3, 4, 5}},
			"unknown person": {directory.ScanStop{Provider: pages.Provider, Task: directory.ScanSync, ConnectionID: 2}, []int64{1, 3, 4, 5}, []int64{1, 2, 3, 4, 5}},
		} {
			test.stop.Until = hour
			ok(t, s.StopScan(ctx, test.stop))
			for what, left := range map[directory.ScanTask][]int64{directory.ScanSync: test.syncs, directory.ScanRenewal: test.renewal} {
				if got := toScan(t, s, what, hour.Add(-time.Second), directory.ScanPosition{}, 9); !slices.Equal(got, left) {
					t.Errorf("%s: task %d finds %v, want %v", name, what, got, left)
				}
				if got := toScan(t, s, what, hour, directory.ScanPosition{}, 9); len(got) != 5 {
					t.Errorf("%s: task %d finds %v when the time is over", name, what, got)
				}
			}
			test.stop.Until = databasetest.Time.Add(-time.Hour)
			ok(t, s.StopScan(ctx, test.stop)) // shorter, so that the next one stands alone
		}
		if n := must(s.CountToScan(ctx, directory.ScanSync, databasetest.Time))(t); n != 5 {
			t.Errorf("%d to scan, want 5", n)
		}
	})
}

// TestChangesKeepTheOrder: what is changed of a connection moves it nowhere.
func TestChangesKeepTheOrder(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		c := storetest.AddConnection(t, s, "a", pages)
		ok(t, s.MarkScanned(ctx, directory.ScanSync, c.ID, databasetest.Time))
		change(t, s, c, func(c *directory.Connection) { c.AccountName = "renamed" })
		ok(t, s.SaveConnection(ctx, &c, nil, storetest.Entry(c, "connect")))
		if got := toScan(t, s, directory.ScanSync, databasetest.Time, directory.ScanPosition{}, 9); len(got) > 0 {
			t.Errorf("to be scanned again: %v", got)
		}
	})
}

func TestFiguresOfScans(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := storetest.Open(t, db.URL, database.WithClock(func() time.Time { return databasetest.Time })), t.Context()
		if at := must(s.OldestScan(ctx, databasetest.Time.Add(24*time.Hour)))(t); !at.IsZero() {
			t.Errorf("oldest %v with no connection", at)
		}
		for i := range 3 {
			c := storetest.AddConnection(t, s, fmt.Sprint("c", i), pages)
			ok(t, s.MarkScanned(ctx, directory.ScanSync, c.ID, databasetest.Time.Add(time.Duration(1+i)*time.Hour)))
			change(t, s, c, func(c *directory.Connection) {
				c.ReconnectReason = []string{"", "Dostęp wygasł.", "Dostęp wygasł."}[i]
			})
		}
		requireEqual(t, "oldest", storetest.Kept(databasetest.Time.Add(time.Hour)), must(s.OldestScan(ctx, databasetest.Time.Add(24*time.Hour)))(t))
		storetest.AddConnection(t, s, "never", profile)
		requireEqual(t, "oldest with one never scanned", storetest.Kept(databasetest.Time), must(s.OldestScan(ctx, databasetest.Time.Add(24*time.Hour)))(t))
		want := map[directory.Pair]int{pages: 2}
		for _, p := range directory.Pairs() {
			c := storetest.AddConnection(t, s, "broken-"+string(p.Service), p)
			change(t, s, c, func(c *directory.Connection) { c.ReconnectReason = "Dostęp wygasł." })
			want[p]++
		}
		requireEqual(t, "broken", want, must(s.CountBroken(ctx))(t))
	})
}
