package storetest_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/storetest"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

func TestMain(m *testing.M) {
	os.Exit(databasetest.Main(m))
}

// onEachDatabase runs a test beside others on each database.
func onEachDatabase(t *testing.T, test func(*testing.T, storetest.Database)) {
	t.Helper()
	t.Parallel()
	storetest.Each(t, test)
}

var (
	pages   = provider.Pair{Provider: provider.Social, Service: provider.SocialPages}
	profile = provider.Pair{Provider: provider.Search, Service: provider.SearchProfile}
)

// audits returns the audits of a store.
func audits(s *storetest.Store) *audit.Service { return audit.New(audit.Options{DB: s.DB}) }

// hash is what a session is known by in place of its id.
func hash(id string) []byte {
	sum := sha256.Sum256([]byte(id))
	return sum[:]
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

func wantFault(t *testing.T, err error, kind fault.Kind, code string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %s", code)
	}
	if f := fault.From(err); f.Kind != kind || f.Code != code || f.Message == "" {
		t.Fatalf("error %v: kind %d, code %q, message %q; want kind %d, code %q and a message", err, f.Kind, f.Code, f.Message, kind, code)
	}
}

// requireEqual compares what was stored with what was read.
func requireEqual(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got): %s", what, diff)
	}
}

func errorOf[T any](_ T, err error) error { return err }

// change changes a connection without a line in the audit trail.
func change(t *testing.T, s *storetest.Store, c connection.Connection, edit func(*connection.Connection)) {
	t.Helper()
	_, err := s.Change(t.Context(), c.CompanyID, c.Pair, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
		edit(c)
		return nil, nil
	})
	ok(t, err)
}

func execute(t *testing.T, pool *sql.DB, statement string) {
	t.Helper()
	if _, err := pool.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}
