package database_test

import (
	"os"
	"testing"

	"backend.example/services/directory/internal/database/databasetest"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

// onEachDatabase runs a test in parallel with others on each database.
func onEachDatabase(t *testing.T, test func(*testing.T, databasetest.Database)) {
	t.Helper()
	t.Parallel()
	databasetest.Each(t, test)
}

// must fails the test for an error, and passes the value on.
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
