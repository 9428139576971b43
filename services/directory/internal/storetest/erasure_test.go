package storetest_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/storetest"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

func TestDeleteUserWhoIsConnected(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		c := storetest.AddConnection(t, s, "a", profile)
		wantFault(t, erasure.DeleteUser(ctx, s.DB, c.UserID, trail.Entry{Action: "user delete"}), fault.Unavailable, "user_connected")
		wantFault(t, erasure.DeleteUser(ctx, s.DB, 99, trail.Entry{Action: "user delete"}), fault.NotFound, "no_user")
		wantFault(t, erasure.DeleteCompany(ctx, s.DB, 99, trail.Entry{Action: "company delete"}), fault.NotFound, "company_not_found")
		if lines := must(s.Trail(ctx, trail.Search{Limit: 9}))(t); len(lines) != 1 {
			t.Errorf("trail: %+v", lines)
		}
		must(s.UserByEmail(ctx, "a@example.test"))(t)
	})
}

// TestPurgeBesideAReader: while somebody reads the log of an SQLite file, it cannot be
// cut, and that is said.
func TestPurgeBesideAReader(t *testing.T) {
	t.Parallel()
	db := storetest.Database{Database: databasetest.Database{Name: "sqlite", URL: databasetest.NewSQLite(t)}}
	db.Store = storetest.Open(t, db.URL)
	ok(t, db.Store.Write(t.Context()).Exec("PRAGMA busy_timeout = 10").Error)
	c := storetest.AddCompany(t, db.Store, "gone-company")
	reading := must(db.Raw(t).BeginTx(t.Context(), nil))(t)
	var n int
	ok(t, reading.QueryRowContext(t.Context(), "SELECT count(*) FROM companies").Scan(&n))
	ok(t, erasure.DeleteCompany(t.Context(), db.Store.DB, c.ID, trail.Entry{Action: "company delete"}))
	if err := db.Store.Purge(t.Context()); err == nil || !strings.Contains(err.Error(), "another process reads") {
		t.Errorf("error %v", err)
	}
	ok(t, reading.Rollback())
	ok(t, db.Store.Purge(t.Context()))
	path := strings.TrimPrefix(db.URL, "sqlite:")
	for _, file := range []string{path, path + "-wal"} {
		if bytes.Contains(must(os.ReadFile(file))(t), []byte("gone-company")) {
			t.Errorf("%s still holds it", file)
		}
	}
}
