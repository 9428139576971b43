package connection_test

import (
	"context"
	"os"
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
	_, err := connection.Use(ctx, s.OAuth, c, func(context.Context, string, string) (string, error) { return "", nil })
	return s.StoredOf(c.CompanyID, c.Pair), err
}

// renewedEarly is fresh of the scan.
func renewedEarly(s *directorytest.Service, ctx context.Context, c connection.Connection) (connection.Connection, error) {
	_, err := s.OAuth.RenewEarly(ctx, c)
	return s.StoredOf(c.CompanyID, c.Pair), err
}

var inactive = directorytest.Inactive

var wantFault = directorytest.WantFault

// ewa is another user of the company.
func ewa(s *directorytest.Service) account.Actor {
	return directorytest.Actor(s.AddUser("ewa", account.Member, &s.Company))
}
