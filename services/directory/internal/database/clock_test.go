package database_test

import (
	"testing"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/internal/kit/pace/pacetest"
)

// agingClock lets tests move the stored times.
type agingClock struct {
	*database.Clock
	db *database.DB
	t  *testing.T
}

func (c agingClock) Age(key string, d time.Duration) {
	err := c.db.Write(c.t.Context()).
		Exec("UPDATE slots SET last_ms = last_ms - ?, given_ms = given_ms - ? WHERE name = ?",
			d.Milliseconds(), d.Milliseconds(), key).Error
	if err != nil {
		c.t.Fatal(err)
	}
}

func TestClock(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		pacetest.Run(t, func(t *testing.T) pacetest.Clock {
			if err := db.DB.Write(t.Context()).Exec("DELETE FROM slots").Error; err != nil {
				t.Fatal(err)
			}
			return agingClock{db.DB.Clock(), db.DB, t}
		})
	})
}
