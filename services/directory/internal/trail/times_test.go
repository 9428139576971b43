package trail_test

import (
	"testing"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// TestTimesOfEntries are stored in UTC and in microseconds, as the times of searches are
// compared. An entry without one is of now.
func TestTimesOfEntries(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		now := databasetest.Time.Add(2 * time.Hour)
		clocked := databasetest.Open(t, db.URL, database.WithClock(func() time.Time { return now }))
		record(t, clocked, trail.Entry{At: databasetest.Time, Action: "connect"}, trail.Entry{Action: "disconnect"})
		first := trail.Entry{At: database.Instant(databasetest.Time), Action: "connect"}
		second := trail.Entry{At: database.Instant(now), Action: "disconnect"}
		requireFound(t, clocked, "all", trail.Search{Limit: 9}, second, first)
		requireFound(t, clocked, "since the first", trail.Search{Since: databasetest.Time, Limit: 9}, second, first)
		requireFound(
			t,
			clocked,
			"since a moment later",
			trail.Search{Since: databasetest.Time.Add(time.Microsecond), Limit: 9},
			second,
		)
		found, err := trail.Find(t.Context(), clocked, trail.Search{Limit: 1})
		if err != nil || found[0].At.Location() != time.UTC {
			t.Errorf("%+v, %v: want UTC", found, err)
		}
		for _, search := range []trail.Search{{Limit: 0}, {Limit: -1}, {UserID: 7, Limit: 9}, {CompanyID: 7, Limit: 9}} {
			if found, err := trail.Find(t.Context(), clocked, search); err != nil || len(found) != 0 {
				t.Errorf("%+v: %+v, %v", search, found, err)
			}
		}
		if err := trail.Record(
			db.DB.Write(t.Context()),
			trail.Entry{Action: "user move", Detail: "a\x00"},
		); !fault.Is(
			err,
			database.CodeInvalidText,
		) {
			t.Errorf("a text that cannot be stored: %v", err)
		}
		if err := db.DB.Close(); err != nil {
			t.Fatal(err)
		}
		if found, err := trail.Find(t.Context(), db.DB, trail.Search{Limit: 9}); err == nil {
			t.Errorf("without the database: %+v", found)
		}
	})
}
