package database_test

import (
	"fmt"
	"testing"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
)

// TestTakeTurns takes turns as two replicas: they share the room, one with less room leaves
// the rest to the other, and time that passes or a clock that was ahead frees it.
func TestTakeTurns(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		other := databasetest.Open(t, db.URL)
		const length, most, less = 20 * time.Second, 60 * time.Second, 40 * time.Second
		take := func(replica int, room time.Duration, want bool) {
			t.Helper()
			at := db.DB
			if replica > 0 {
				at = other
			}
			wait, err := at.TakeTurns(t.Context(), "turns", length, room)
			if err != nil || (wait == 0) != want || wait > length || !want && wait < length/2 {
				t.Errorf("wait %s, %v, want taken %t", wait, err, want)
			}
		}
		for i, step := range []struct {
			room time.Duration
			want bool
		}{{less, true}, {less, true}, {less, false}, {most, true}, {most, false}} {
			take(i%2, step.room, step.want)
		}
		db.Exec(t, "UPDATE leases SET expires_ms = expires_ms - 20000")
		take(1, less, false)
		take(0, most, true)
		db.Exec(t, "UPDATE leases SET expires_ms = expires_ms + 315360000000")
		take(1, less, true)
		take(0, less, true)
		take(1, less, false)
	})
}

// TestWaitForATurn checks the exact times at which turns are free, and how long the others
// wait: a millisecond at least, though the turn may be free by the time the wait is known.
func TestWaitForATurn(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		now, step := databasetest.Time.Truncate(time.Millisecond), time.Duration(0)
		replica := databasetest.Open(t, db.URL, database.WithLeaseClock(func() time.Time {
			now = now.Add(step)
			return now
		}))
		const length, room = 20 * time.Second, 40 * time.Second
		requireWait := func(want time.Duration) {
			t.Helper()
			if wait, err := replica.TakeTurns(t.Context(), "turns", length, room); wait != want || err != nil {
				t.Errorf("wait %s, %v, want %s", wait, err, want)
			}
		}
		requireWait(0)
		requireWait(0)
		requireWait(length)
		now = now.Add(length - time.Millisecond)
		requireWait(time.Millisecond)
		now = now.Add(time.Millisecond)
		requireWait(0)
		requireWait(length)
		step = length / 2 // between the try and the look at the time
		requireWait(time.Millisecond)
		requireWait(0)
		step = 0
		last := now.Add(time.Hour).UnixMilli()
		db.Exec(t, "UPDATE leases SET expires_ms = ?", last) // the latest that is not of a clock that was ahead
		requireWait(time.Hour + length - room)
		db.Exec(t, "UPDATE leases SET expires_ms = ?", last+1)
		requireWait(0)
		requireEqual(t, "end of the turn", []string{fmt.Sprint(now.Add(length).UnixMilli())}, db.Query(t, "SELECT expires_ms FROM leases"))
	})
}
