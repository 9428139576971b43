package connection_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
)

func TestMain(m *testing.M) {
	databasetest.Programs{"refresh": refreshAtOnce, "die": dieInRefresh}.Run()
	os.Exit(databasetest.Main(m))
}

// onEachStore runs a test in parallel with others on each database.
func onEachStore(t *testing.T, test func(t *testing.T, db databasetest.Database, s *directorytest.Store)) {
	t.Helper()
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) { test(t, db, directorytest.NewStore(db.DB)) })
}

// must fails the test for an error, and returns the value otherwise.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		ok(t, err)
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

// change changes a connection without a line in the audit trail.
func change(t *testing.T, s *directorytest.Store, c connection.Connection, edit func(*connection.Connection)) {
	t.Helper()
	held := must(s.Connections.Hold(t.Context(), c.CompanyID, c.Pair))(t)
	defer held.Release()
	edit(&held.Connection)
	ok(t, held.Save(nil))
}

var (
	profilePair   = directorytest.ProfilePair
	analyticsPair = directorytest.AnalyticsPair
	pagesPair     = directorytest.PagesPair
	photosPair    = directorytest.PhotosPair
)

// anna is a member of the company.
func anna(s *directorytest.Service) account.Actor { return directorytest.Actor(s.Anna) }

// fresh returns the connection as it is stored after a use.
func fresh(s *directorytest.Service, ctx context.Context, c connection.Connection) (connection.Connection, error) {
	_, err := connection.Use(ctx, s.Connections, c, func(context.Context, string, string) (string, error) {
		return "", nil
	})
	return s.StoredOf(c.CompanyID, c.Pair), err
}

// renewedEarly is fresh of the scan.
func renewedEarly(s *directorytest.Service, ctx context.Context, c connection.Connection) (connection.Connection,
	error) {
	_, err := s.Connections.RenewEarly(ctx, c)
	return s.StoredOf(c.CompanyID, c.Pair), err
}

var inactive = directorytest.Inactive

var wantFault = directorytest.WantFault

// ewa is another user of the company.
func ewa(s *directorytest.Service) account.Actor {
	return directorytest.Actor(s.AddUser("ewa", account.Member, &s.Company))
}

// noLocks removes the files of the locks that were taken in an SQLite database.
func noLocks(s *directorytest.Service) {
	s.T.Helper()
	if err := os.RemoveAll(lockFolder(s)); err != nil {
		s.T.Fatal(err)
	}
}

// locked reports whether a lock was taken since noLocks.
func locked(s *directorytest.Service) bool {
	_, err := os.Stat(lockFolder(s))
	return err == nil
}

func lockFolder(s *directorytest.Service) string {
	return strings.TrimPrefix(s.URL, "sqlite:") + ".locks"
}

// hideColumn makes statements that name a column of connections fail.
func hideColumn(s *directorytest.Service, column string) {
	s.T.Helper()
	err := s.Store.Write(context.Background()).
		Exec("ALTER TABLE oauth_tokens RENAME COLUMN " + column + " TO hidden").Error
	if err != nil {
		s.T.Fatal(err)
	}
}
