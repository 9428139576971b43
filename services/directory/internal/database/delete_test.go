//go:build !race

// One request after another has nothing for the race detector, which makes it five times as slow.

package database_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/webhook"
)

// TestOldRowsAreDeletedInBatches checks that what has piled up is deleted by statements of
// a bounded number of rows.
func TestOldRowsAreDeletedInBatches(t *testing.T) {
	const rows = 2*database.DeleteBatch + 1
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		db.Fill(t) // adds one row to each table
		ok(t, db.DB.Transaction(t.Context(), func(tx *gorm.DB) error {
			for i := range rows - 1 {
				hash, at := []byte(fmt.Sprintf("%032d", i)), database.Instant(databasetest.Time)
				for into, values := range map[string][]any{
					"sessions (id_hash, data, version, created_at, last_seen_at)":                                                     {hash, "", 0, at, at},
					"password_links (token_hash, user_id, expires_at)":                                                                {hash, 1, at},
					"login_networks (user_id, network, seen_at)":                                                                      {1, string(hash), at},
					"limit_entries (kind, subject, used_at)":                                                                          {"audit", string(hash), at},
					"webhook_deliveries (webhook_id, event_id, type, at, data, state, attempts, result, status, next_at, created_at)": {1, string(hash), "", at, "{}", "parked", 0, "", 0, at, at},
				} {
					if err := tx.Exec("INSERT INTO "+into+" VALUES ?", values).Error; err != nil {
						return err
					}
				}
			}
			return nil
		}))
		later := databasetest.Time.AddDate(10, 0, 0)
		observed := databasetest.Open(t, db.URL, database.WithClock(func() time.Time { return later }))
		deletions := 0
		ok(t, databasetest.Observe(observed, func(statement string) {
			if strings.HasPrefix(statement, "DELETE") {
				deletions++
			}
		}))
		s := directorytest.NewStore(observed)
		for name, run := range map[string]func() (int64, error){
			"sessions":       func() (int64, error) { return s.Sessions().DeleteBefore(t.Context(), later, later) },
			"uses of limits": func() (int64, error) { return limit.New(observed).DeleteBefore(t.Context(), later) },
			"deliveries": func() (int64, error) {
				return webhook.New(webhook.Options{DB: observed}).DeleteBefore(t.Context(), later)
			},
			"links, networks": func() (int64, error) { return 2 * rows, s.Users().Sweep(t.Context()) },
		} {
			deletions = 0
			n, err := run()
			ok(t, err)
			if n%rows != 0 || int64(deletions) < n/rows*3 {
				t.Errorf("%s: %d rows in %d statements, want 3 for %d rows", name, n, deletions, rows)
			}
		}
	})
}
