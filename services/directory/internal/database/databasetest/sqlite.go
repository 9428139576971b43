package databasetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// migratedFile makes the SQLite file whose copies the tests get, once for a test
// process.
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

func newFile(t testing.TB, migrated bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "directory.db")
	if migrated {
		content, err := migratedFile()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return "sqlite:" + path
}

// migrate makes the schema in an empty database.
func migrate(url string) error {
	ctx := context.Background()
	db, err := Connect(ctx, url)
	if err != nil {
		return err
	}
	return errors.Join(db.Migrate(ctx), db.Close())
}
