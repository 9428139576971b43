// Package storetest runs tests on real databases: an SQLite file, and a database
// on the PostgreSQL server of TEST_DATABASE_URL, or of the default port when that
// is not set. Each test has a database for itself. Without a server the tests for
// it are skipped; with REQUIRE_SERVICES=1 they fail. The user of the server must
// be allowed to create databases.
//
// A package that uses it hands its tests to Main:
//
//	func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }
//
// What the tests ask of the databases stays in the tests.
package storetest

import (
	"testing"

	"backend.example/services/directory/internal/store"
)

// Database is a database for one test.
type Database struct {
	Name  string // "sqlite" or "postgres"
	URL   string // for further stores on the same database
	Store *store.Store
}

// Each runs test as a subtest for each database, migrated and empty. With -short
// that is SQLite only. A test that changes the schema uses EachBare.
func Each(t *testing.T, test func(t *testing.T, db Database)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { open(t, "sqlite", newFile(t, true), test) })
	t.Run("postgres", func(t *testing.T) { open(t, "postgres", postgres(t).migrated(t), test) })
}

func open(t *testing.T, name, url string, test func(t *testing.T, db Database)) {
	t.Helper()
	test(t, Database{Name: name, URL: url, Store: Open(t, url)})
}

// EachBare is Each with databases that have no schema yet, and no Store.
func EachBare(t *testing.T, test func(t *testing.T, db Database)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, Database{Name: "sqlite", URL: newFile(t, false)}) })
	t.Run("postgres", func(t *testing.T) { test(t, Database{Name: "postgres", URL: postgres(t).bare(t)}) })
}

// Open returns a further store on a database, with the same keys, until the test
// ends.
func Open(t testing.TB, url string, options ...store.Option) *store.Store {
	t.Helper()
	keys, err := store.ParseKeys(Keys)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), url, keys, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Keys are the encryption keys of the stores.
const Keys = "test:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// NewSQLite returns the URL of a migrated and empty SQLite database.
func NewSQLite(t testing.TB) string {
	t.Helper()
	return newFile(t, true)
}
