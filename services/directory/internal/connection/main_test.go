package connection_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

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
	_, err := connection.Use(ctx, s.Connections, c, func(context.Context, string, string) (string, error) { return "", nil })
	return s.StoredOf(c.CompanyID, c.Pair), err
}

// renewedEarly is fresh of the scan.
func renewedEarly(s *directorytest.Service, ctx context.Context, c connection.Connection) (connection.Connection, error) {
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
	err := s.Store.Write(context.Background()).Exec("ALTER TABLE oauth_tokens RENAME COLUMN " + column + " TO hidden").Error
	if err != nil {
		s.T.Fatal(err)
	}
}
