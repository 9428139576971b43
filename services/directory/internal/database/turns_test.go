package database_test

import (
	"testing"
	"time"

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
			database := db.DB
			if replica > 0 {
				database = other
			}
			wait, err := database.TakeTurns(t.Context(), "turns", length, room)
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
