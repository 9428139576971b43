package database_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
)

// filledFile returns an SQLite database that is not open, with rows in every table and gaps
// in the numbers.
func filledFile(t *testing.T) databasetest.Database {
	t.Helper()
	file := databasetest.Database{Name: "sqlite", URL: databasetest.NewSQLite(t)}
	file.DB = must(databasetest.Connect(t.Context(), file.URL))(t)
	file.Fill(t)
	for i := range 7 {
		file.AddConnection(t, fmt.Sprintf("more-%d", i))
	}
	file.Exec(t, "DELETE FROM companies WHERE id = ?", file.AddCompany(t, "last"))
	ok(t, file.DB.Close())
	return file
}

// move opens from, moves it in batches and closes it.
func move(ctx context.Context, t *testing.T, from, to databasetest.Database, batch int,
	progress func(database.MoveProgress)) error {
	t.Helper()
	db := must(databasetest.Connect(t.Context(), from.URL))(t)
	defer func() { ok(t, db.Close()) }()
	return database.MoveInBatches(ctx, db, to.DB, batch, progress)
}

func nothing(database.MoveProgress) {}

// requireMoved checks that the target has the rows of the source.
func requireMoved(t *testing.T, from, to databasetest.Database) {
	t.Helper()
	dump := to.Dump(t)
	requireEqual(t, "rows", from.Dump(t), dump)
	if len(dump) != 25 || len(dump["oauth_tokens"]) != 8 || len(dump["data_deletions"]) != 1 {
		t.Errorf("rows are missing: %q", dump)
	}
	ok(t, to.DB.CheckSecrets(t.Context()))
	if id := to.AddCompany(t, "next"); id != 10 { // 9 was deleted
		t.Errorf("the next company has the number %d", id)
	}
}

func TestMove(t *testing.T) {
	onPostgres(t, func(t *testing.T, to databasetest.Database) {
		file := filledFile(t)
		from := must(databasetest.Connect(t.Context(), file.URL))(t)
		var seen []string // the progress of some tables
		ok(t, database.MoveInBatches(t.Context(), from, to.DB, 4, func(p database.MoveProgress) {
			if p.Table == "companies" || p.Table == "sessions" || p.Table == "oauth_tokens" {
				seen = append(seen, fmt.Sprint(p))
			}
		}))
		slices.Sort(seen)
		requireEqual(
			t, "progress", []string{"{companies 4 8}", "{companies 8 8}", "{oauth_tokens 4 8}", "{oauth_tokens 8 8}",
				"{sessions 1 1}"}, seen,
		)
		ok(t, database.Move(t.Context(), from, to.DB, nothing)) // again: there is nothing left to do
		ok(t, from.Close())
		requireMoved(t, file, to)
	})
}

// TestMoveInterruptedAnywhere interrupts a move after each batch.
func TestMoveInterruptedAnywhere(t *testing.T) {
	onPostgres(t, func(t *testing.T, to databasetest.Database) {
		file, seen := filledFile(t), map[database.MoveProgress]bool{}
		for err := context.Canceled; err != nil; {
			ctx, cancel := context.WithCancel(t.Context())
			err = move(ctx, t, file, to, 3, func(p database.MoveProgress) {
				if seen[p] {
					t.Errorf("%+v is copied again", p)
				}
				seen[p] = true
				cancel()
			})
			cancel()
			if err != nil && !errors.Is(err, context.Canceled) || len(seen) > 100 {
				t.Fatal(err)
			}
		}
		if len(seen) < 19 {
			t.Errorf("interrupted only %d times", len(seen))
		}
		requireMoved(t, file, to)
	})
}

func TestMoveRefused(t *testing.T) {
	onPostgres(t, func(t *testing.T, to databasetest.Database) {
		file := filledFile(t)
		from := must(databasetest.Connect(t.Context(), file.URL))(t)
		defer func() { ok(t, from.Close()) }()
		for _, kinds := range [][2]*database.DB{{from, from}, {to.DB, to.DB}, {to.DB, from}} {
			if err := database.Move(t.Context(), kinds[0], kinds[1], nothing); !errors.Is(err, database.ErrMoveKinds) {
				t.Errorf("between other kinds: %v", err)
			}
		}
		service := must(databasetest.Connect(t.Context(), file.URL))(t)
		if err := database.Move(t.Context(), from, to.DB, nothing); !errors.Is(err, database.ErrInUse) {
			t.Errorf("while the service runs: %v", err)
		}
		ok(t, service.Close())
		to.AddCompany(t, "there")
		if err := database.Move(t.Context(), from, to.DB, nothing); !errors.Is(err, database.ErrMoveDiffers) {
			t.Errorf("to a database with rows: %v", err)
		}
		if _, err := databasetest.Connect(t.Context(), file.URL); err == nil ||
			!strings.Contains(err.Error(), "being moved") {
			t.Errorf("the service starts meanwhile: %v", err)
		}
	})
}

// TestMoveDetectsChanges checks that a change between two tries is not lost in silence.
func TestMoveDetectsChanges(t *testing.T) {
	onPostgres(t, func(t *testing.T, to databasetest.Database) {
		file := filledFile(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		err := move(ctx, t, file, to, 100, func(p database.MoveProgress) {
			if p.Table == "oauth_tokens" {
				cancel()
			}
		})
		if err == nil {
			t.Fatal("not interrupted")
		}
		if err := move(t.Context(), t, filledFile(t), to, 500, nothing); !errors.Is(err, database.ErrMoveDiffers) {
			t.Errorf("a move of another database: %v", err)
		}
		file.DB = must(databasetest.Connect(t.Context(), file.URL))(t)
		file.Exec(t, "UPDATE oauth_tokens SET access_token = 'renewed meanwhile' WHERE id = 1")
		ok(t, file.DB.Close())
		if err := move(t.Context(), t, file, to, 500, nothing); !errors.Is(err, database.ErrMoveDiffers) {
			t.Errorf("after a change of the source: %v", err)
		}
	})
}
