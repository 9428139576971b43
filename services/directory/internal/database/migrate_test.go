package database_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
)

func applied(t *testing.T, db *database.DB) (n, all int) {
	t.Helper()
	migrations := must(db.MigrationStatus(t.Context()))(t)
	for i, m := range migrations {
		if m.Version != int64(i+1) || m.Name == "" {
			t.Errorf("migration %d: %+v", i, m)
		}
		if !m.AppliedAt.IsZero() {
			n++
		}
	}
	return n, len(migrations)
}

func TestMigrateDownAndUpWithData(t *testing.T) {
	t.Parallel()
	databasetest.EachBare(t, func(t *testing.T, db databasetest.Database) {
		db.DB = databasetest.Open(t, db.URL)
		if n, all := applied(t, db.DB); n != 0 || all == 0 {
			t.Fatalf("%d of %d applied to an empty database", n, all)
		}
		ok(t, db.DB.Migrate(t.Context()))
		db.Fill(t)
		n, all := applied(t, db.DB)
		if n != all {
			t.Fatalf("%d of %d applied", n, all)
		}
		ok(t, db.DB.Migrate(t.Context()))
		for left := all - 1; left >= -1; left-- { // once more than there are
			ok(t, db.DB.MigrateDown(t.Context()))
			if n, _ := applied(t, db.DB); n != max(left, 0) {
				t.Fatalf("%d applied, want %d", n, left)
			}
		}
		if tables := db.Dump(t); len(tables) != 0 {
			t.Errorf("left over: %v", tables)
		}
		ok(t, db.DB.Migrate(t.Context()))
		db.Fill(t)
	})
}

// migrateOften is a program that waits for its input to end, then opens, migrates and
// closes repeatedly.
func migrateOften(ctx context.Context, url, _ string) error {
	fmt.Println("ready")
	databasetest.AwaitInput()
	for range 5 {
		db, err := openDatabase(ctx, url)
		if err != nil {
			return err
		}
		if err := errors.Join(db.Migrate(ctx), db.Close()); err != nil {
			return err
		}
	}
	return nil
}

func TestProcessesMigrateAtOnce(t *testing.T) {
	t.Parallel()
	databasetest.EachBare(t, func(t *testing.T, db databasetest.Database) {
		var processes []*databasetest.Process
		for range 4 {
			processes = append(processes, databasetest.Start(t, "migrate", db.URL, ""))
		}
		for _, p := range processes {
			p.Expect(t, "ready")
		}
		for _, p := range processes {
			ok(t, p.Input.Close())
		}
		for _, p := range processes {
			must(p.Rest())(t)
		}
		if n, all := applied(t, databasetest.Open(t, db.URL)); n != all {
			t.Errorf("%d of %d applied", n, all)
		}
	})
}
