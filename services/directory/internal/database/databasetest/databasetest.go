// Package databasetest runs tests on real databases: an SQLite file, and a database
// on the PostgreSQL server of TEST_DATABASE_URL, or of the default port when that
// is not set. Each test has a database for itself. Without a server the tests for
// it are skipped; with REQUIRE_SERVICES=1 they fail. The user of the server must
// be allowed to create databases.
//
// A package that uses it hands its tests to Main:
//
//	func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }
//
// What the tests ask of the databases stays in the tests.
package databasetest

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
)

// Database is a database for one test.
type Database struct {
	Name string // "sqlite" or "postgres"
	URL  string // to open it again
	DB   *database.DB
}

// Each runs test as a subtest on each database, migrated and empty. With -short
// that is SQLite only.
func Each(t *testing.T, test func(t *testing.T, db Database)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		url := NewSQLite(t)
		test(t, Database{Name: "sqlite", URL: url, DB: Open(t, url)})
	})
	t.Run("postgres", func(t *testing.T) {
		server := postgres(t)
		url := server.lend(t, server.template)
		test(t, Database{Name: "postgres", URL: url, DB: Open(t, url)})
	})
}

// EachBare is Each with databases that have no schema yet, and no DB.
func EachBare(t *testing.T, test func(t *testing.T, db Database)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, Database{Name: "sqlite", URL: "sqlite:" + newPath(t)}) })
	t.Run("postgres", func(t *testing.T) {
		test(t, Database{Name: "postgres", URL: postgres(t).lend(t, "template0")})
	})
}

// Open opens a database with Keys until the test ends.
func Open(t testing.TB, url string) *database.DB {
	t.Helper()
	db, err := Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// Connect opens a database with Keys; its caller closes it.
func Connect(ctx context.Context, url string) (*database.DB, error) {
	keys, err := database.ParseKeys(Keys)
	if err != nil {
		return nil, err
	}
	return database.Open(ctx, url, keys)
}

// Keys are the encryption keys of the databases.
const Keys = "test:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// NewSQLite returns the URL of a migrated and empty SQLite database.
func NewSQLite(t testing.TB) string {
	t.Helper()
	path := newPath(t)
	content, err := migratedFile()
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return "sqlite:" + path
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "directory.db") }

// migratedFile makes the file that NewSQLite copies, once for a test process.
var migratedFile = sync.OnceValues(func() (content []byte, err error) {
	folder, err := os.MkdirTemp("", "databasetest")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "template.db")
	if err := migrate("sqlite:" + path); err != nil {
		return nil, err
	}
	return os.ReadFile(path) // #nosec G304 -- made above
})

// migrate makes the schema in an empty database.
func migrate(url string) error {
	db, err := Connect(context.Background(), url)
	if err != nil {
		return err
	}
	return errors.Join(db.Migrate(context.Background()), db.Close())
}

// Time is a time with a zone and with more digits than a database stores.
var Time = time.Date(2026, 3, 29, 2, 30, 15, 123456789, time.FixedZone("CEST", 2*60*60))

// Raw opens the database without package database.
func (d Database) Raw(t testing.TB) *sql.DB {
	t.Helper()
	driver, source := "pgx", d.URL
	if path, isFile := strings.CutPrefix(d.URL, "sqlite:"); isFile {
		driver, source = "sqlite", filepath.ToSlash(path)+"?_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)"
	}
	pool, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	pool.SetMaxIdleConns(0) // a test may open more pools than the server has connections
	t.Cleanup(func() { _ = pool.Close() })
	return pool
}

// Observe calls seen with each statement that db has executed, with its values.
func Observe(db *database.DB, seen func(statement string)) (err error) {
	observe := func(tx *gorm.DB) {
		if text := tx.Statement.SQL.String(); text != "" {
			seen(tx.Explain(text, tx.Statement.Vars...))
		}
	}
	handles := []*gorm.DB{db.Read(context.Background())}
	if !db.IsPostgres() { // where both are one
		handles = append(handles, db.Write(context.Background()))
	}
	for _, handle := range handles {
		on := handle.Callback()
		for _, operation := range []interface {
			Register(name string, fn func(*gorm.DB)) error
		}{
			on.Create().After("*"), on.Query().After("*"), on.Update().After("*"), on.Delete().After("*"),
			on.Row().After("*"), on.Raw().After("*"),
		} {
			err = errors.Join(err, operation.Register("observe", observe))
		}
	}
	return err
}
