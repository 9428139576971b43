package database_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

// onEachDatabase runs a test in parallel with others on each database.
func onEachDatabase(t *testing.T, test func(*testing.T, databasetest.Database)) {
	t.Helper()
	t.Parallel()
	databasetest.Each(t, test)
}

func onPostgres(t *testing.T, test func(t *testing.T, db databasetest.Database)) {
	t.Helper()
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		if db.Name != "postgres" {
			t.Skip("for PostgreSQL only")
		}
		test(t, db)
	})
}

// openWith opens a database with other keys until the test ends.
func openWith(t *testing.T, url, keys string) *database.DB {
	t.Helper()
	db := must(database.Open(t.Context(), url, must(database.ParseKeys(keys))(t)))(t)
	t.Cleanup(func() { ok(t, db.Close()) })
	return db
}

// must fails the test for an error, and returns the value otherwise.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func requireEqual(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got): %s", what, diff)
	}
}
