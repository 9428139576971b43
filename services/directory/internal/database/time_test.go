package database_test

import (
	"testing"
	"time"

	"backend.example/services/directory/internal/database/databasetest"
)

// TestTimesAreUTC: whatever the zone of the machine is.
func TestTimesAreUTC(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		db.AddCompany(t, "piekarnia")
		var at time.Time
		ok(t, db.DB.Raw(t.Context(), "companies", "SELECT created_at FROM companies").Row().Scan(&at))
		if _, offset := at.Zone(); offset != 0 || at.Location().String() == "Local" {
			t.Errorf("%s in %s", at, at.Location())
		}
	})
}
