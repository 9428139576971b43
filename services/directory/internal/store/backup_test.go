package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/store/storetest"
)

// TestBackupUnderWrites: a backup has all that was written before a moment and nothing of
// what came later; it opens, and its secrets can be read.
func TestBackupUnderWrites(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, databasetest.NewSQLite(t))
	c := fill(t, s)
	path := filepath.Join(t.TempDir(), "backup.db")
	written := make(chan int)
	go func() {
		defer close(written)
		for i := range 200 {
			c := company.Company{Name: "pair", Slug: "a" + strconv.Itoa(i), Status: company.StatusActive}
			if err := s.Companies().Create(t.Context(), &c); err != nil {
				t.Error(err)
			}
			written <- i
		}
	}()
	for range 20 {
		<-written
	}
	done := make(chan error)
	go func() { done <- s.Backup(t.Context(), path) }()
	for range written {
	}
	ok(t, <-done)
	if info := must(os.Stat(path))(t); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	copied := storetest.Open(t, "sqlite:"+path)
	companies := must(copied.Companies().List(t.Context()))(t)
	if n := len(companies); n < 21 || n > 201 || companies[n-1].ID != int64(n) {
		t.Errorf("%d companies, the last %+v", n, companies[n-1])
	}
	if got := must(copied.Connection(t.Context(), c.CompanyID, pages))(t).AccessToken; got != secrets[0] {
		t.Errorf("access token %q", got)
	}
	db := databasetest.Database{Name: "sqlite", URL: "sqlite:" + path}
	if check := query(t, db.Raw(t), "PRAGMA integrity_check"); len(check) != 1 || check[0] != "ok" {
		t.Errorf("integrity: %q", check)
	}
}

func TestBackupRefused(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		path := filepath.Join(t.TempDir(), "there")
		ok(t, os.WriteFile(path, []byte("mine"), 0o600))
		err := db.Store.Backup(t.Context(), path)
		if db.Name == "postgres" && !errors.Is(err, database.ErrNoBackup) || err == nil {
			t.Errorf("error %v", err)
		}
		if content := must(os.ReadFile(path))(t); string(content) != "mine" {
			t.Errorf("the file holds %q", content)
		}
		if err := db.Store.Backup(t.Context(), filepath.Join(path, "under-a-file")); err == nil {
			t.Error("no error")
		}
		if left := must(filepath.Glob(path + "*"))(t); len(left) != 1 {
			t.Errorf("left over: %q", left)
		}
	})
}
