package database_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
)

// TestBackupUnderWrites checks that a backup has all that was written before a moment and
// nothing of what came later, that it opens, and that its secrets can be read.
func TestBackupUnderWrites(t *testing.T) {
	t.Parallel()
	db := databasetest.Database{Name: "sqlite", URL: databasetest.NewSQLite(t)}
	db.DB = databasetest.Open(t, db.URL)
	db.Fill(t)
	path := filepath.Join(t.TempDir(), "backup.db")
	written := make(chan int)
	go func() {
		defer close(written)
		for i := range 200 {
			row := map[string]any{"kind": "k", "subject": strconv.Itoa(i), "used_at": databasetest.Time}
			if err := db.DB.Write(t.Context()).Table("limit_entries").Create(row).Error; err != nil {
				t.Error(err)
			}
			written <- i
		}
	}()
	for range 20 {
		<-written
	}
	done := make(chan error)
	go func() { done <- db.DB.Backup(t.Context(), path) }()
	for range written {
	}
	ok(t, <-done)
	if info := must(os.Stat(path))(t); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	backup := databasetest.Database{Name: "sqlite", URL: "sqlite:" + path}
	ids := backup.Query(t, "SELECT id FROM limit_entries ORDER BY id")
	if n := len(ids); n < 21 || n > 201 || ids[n-1] != strconv.Itoa(n) {
		t.Errorf("%d rows, the last %s", n, ids[n-1])
	}
	ok(t, databasetest.Open(t, backup.URL).CheckSecrets(t.Context()))
	requireEqual(t, "integrity", []string{"ok"}, backup.Query(t, "PRAGMA integrity_check"))
}

func TestBackupRefused(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		path := filepath.Join(t.TempDir(), "there")
		ok(t, os.WriteFile(path, []byte("mine"), 0o600))
		err := db.DB.Backup(t.Context(), path)
		if db.Name == "postgres" && !errors.Is(err, database.ErrNoBackup) || err == nil {
			t.Errorf("error %v", err)
		}
		if content := must(os.ReadFile(path))(t); string(content) != "mine" {
			t.Errorf("the file holds %q", content)
		}
		if err := db.DB.Backup(t.Context(), filepath.Join(path, "under-a-file")); err == nil {
			t.Error("no error")
		}
		if left := must(filepath.Glob(path + "*"))(t); len(left) != 1 {
			t.Errorf("left over: %q", left)
		}
	})
}
