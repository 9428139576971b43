// Package storetest opens stores for tests, with rows of every feature.
package storetest

import (
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/store"
	"backend.example/services/directory/internal/trail"
)

// Database is a database for one test with the queries of the features.
type Database struct {
	databasetest.Database
	Store *store.Store
}

// Each runs test as a subtest on each database, migrated and empty.
func Each(t *testing.T, test func(t *testing.T, db Database)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) { test(t, Database{db, &store.Store{DB: db.DB}}) })
}

// EachBare is Each with databases that have no schema yet, and no Store.
func EachBare(t *testing.T, test func(t *testing.T, db Database)) {
	t.Helper()
	databasetest.EachBare(t, func(t *testing.T, db databasetest.Database) { test(t, Database{Database: db}) })
}

// Open opens a database until the test ends.
func Open(t testing.TB, url string, options ...database.Option) *store.Store {
	t.Helper()
	return &store.Store{DB: databasetest.Open(t, url, options...)}
}

// Kept is t as a database keeps it.
func Kept(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// AddCompany adds an active company.
func AddCompany(t *testing.T, s *store.Store, slug string) company.Company {
	t.Helper()
	c := company.Company{Name: "Firma " + slug, Slug: slug, Status: company.StatusActive}
	if err := s.Companies().Create(t.Context(), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// AddUser adds a member of a new company, <slug>@example.test.
func AddUser(t *testing.T, s *store.Store, slug string) account.User {
	t.Helper()
	c := AddCompany(t, s, slug)
	u := account.User{CompanyID: &c.ID, Email: slug + "@example.test", PasswordHash: "hash", Role: account.Member}
	if err := s.Users().Create(t.Context(), &u); err != nil {
		t.Fatal(err)
	}
	return u
}

// AddConnection connects a new company with a new user.
func AddConnection(t *testing.T, s *store.Store, slug string, p provider.Pair) connection.Connection {
	t.Helper()
	u := AddUser(t, s, slug)
	c := connection.Connection{
		CompanyID: *u.CompanyID, UserID: u.ID, Pair: p, AccessToken: "access-" + slug, RefreshToken: "refresh-" + slug,
		Scopes: []string{"a", "b"}, ExpiresAt: &databasetest.Time, UserAccessToken: "user-" + slug, UserExpiresAt: &databasetest.Time, ProviderUserID: "person-" + slug,
	}
	if err := s.SaveConnection(t.Context(), &c, nil, Entry(c, "connect")); err != nil {
		t.Fatal(err)
	}
	return c
}

// Entry is a line of the audit trail about a connection.
func Entry(c connection.Connection, action string) trail.Entry {
	return trail.Entry{At: databasetest.Time, CompanyID: c.CompanyID, UserID: &c.UserID, Action: action, Pair: c.Pair, RequestID: "request"}
}

// Reading is a reading of a company's page.
func Reading(companyID int64, at time.Time) history.Reading[struct{}] {
	return history.Reading[struct{}]{CompanyID: companyID, Service: provider.SocialPages, Data: &struct{}{}, SyncedAt: at}
}
