package database_test

import (
	"errors"
	"testing"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
)

// TestOperationsReportTheirFailures checks that no operation of a database succeeds if one of its statements fails.
func TestOperationsReportTheirFailures(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, d databasetest.Database) {
		d.Fill(t)
		ctx := t.Context()
		older := databasetest.Open(t, d.URL)
		newer := must(
			database.Open(ctx, d.URL, must(database.ParseKeys(database.GenerateKey()+","+databasetest.Keys))(t)),
		)(t)
		defer func() { ok(t, newer.Close()) }()
		ping := func(tx *gorm.DB) error { return tx.Exec("SELECT 1").Error }
		turns := func() error { return databasetest.ErrorOf(older.Clock().Next(ctx, "turns", time.Minute, 1)) }
		databasetest.FailEach(t, older, []databasetest.Call{
			{Name: "lock", Run: func() error { return use(older.Lock(ctx, "a")) }},
			{Name: "lock for long", Run: func() error { return use(older.LockSlowly(ctx, "a", "service")) }},
			{Name: "queue", Run: func() error {
				return older.Transaction(
					ctx, func(tx *gorm.DB) error { return errors.Join(older.Queue(tx, "a"), ping(tx)) },
				)
			}},
			{Name: "turns", Before: func() { _ = turns() }, Run: turns},
			{Name: "check of the secrets", Run: func() error { return older.CheckSecrets(ctx) }},
			{
				Name: "deletion in batches",
				Run: func() error {
					return databasetest.ErrorOf(older.DeleteInBatches(ctx, "purges", "id", "id > ?", 0))
				},
			},
			{Name: "purge", Run: func() error { return older.Purge(ctx) }},
			{Name: "check of the schema", Run: func() error { return older.CheckSchema(ctx) }},
		}...)
		databasetest.FailEach(
			t, newer,
			databasetest.Call{
				Name: "new key", Run: func() error { return databasetest.ErrorOf(newer.RotateSecrets(ctx)) },
			},
		)
	})
}
