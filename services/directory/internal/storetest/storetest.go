// Package storetest opens stores for tests, with rows of every feature.
package storetest

import (
	"context"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

// Store has the queries that tests of several features use.
type Store struct{ *connection.Store }

// New returns a Store of a database.
func New(db *database.DB) *Store { return &Store{&connection.Store{DB: db}} }

// Companies returns the companies in the database.
func (s *Store) Companies() *company.Companies { return company.New(s.DB) }

// Company returns a company by its id.
func (s *Store) Company(ctx context.Context, id int64) (company.Company, error) {
	return s.Companies().ByID(ctx, id)
}

// CompanyBySlug returns a company by its slug.
func (s *Store) CompanyBySlug(ctx context.Context, slug string) (company.Company, error) {
	return s.Companies().BySlug(ctx, slug)
}

// SetPlaceID sets the place of a company.
func (s *Store) SetPlaceID(ctx context.Context, id int64, placeID string) error {
	return s.Companies().SetPlaceID(ctx, id, placeID)
}

// Users returns the users in the database.
func (s *Store) Users() *account.Users { return account.NewUsers(s.DB) }

// UserByEmail returns a user by the address.
func (s *Store) UserByEmail(ctx context.Context, email string) (account.User, error) {
	return s.Users().ByEmail(ctx, email)
}

// Sessions returns the sessions in the database, without the keys of cookies.
func (s *Store) Sessions() *account.Sessions {
	return account.NewSessions(s.DB, account.Keys{}, false, time.Now)
}

// Record adds a line to the audit trail.
func (s *Store) Record(ctx context.Context, e trail.Entry) error {
	return trail.Record(s.Write(ctx), e)
}

// Trail lists the newest lines of the audit trail that match, newest first.
func (s *Store) Trail(ctx context.Context, search trail.Search) ([]trail.Entry, error) {
	return trail.Find(ctx, s.DB, search)
}

// Database is a database for one test with the queries of the features.
type Database struct {
	databasetest.Database
	Store *Store
}

// Each runs test as a subtest on each database, migrated and empty.
func Each(t *testing.T, test func(t *testing.T, db Database)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) { test(t, Database{db, New(db.DB)}) })
}

// EachBare is Each with databases that have no schema yet, and no Store.
func EachBare(t *testing.T, test func(t *testing.T, db Database)) {
	t.Helper()
	databasetest.EachBare(t, func(t *testing.T, db databasetest.Database) { test(t, Database{Database: db}) })
}

// Open opens a database until the test ends.
func Open(t testing.TB, url string, options ...database.Option) *Store {
	t.Helper()
	return New(databasetest.Open(t, url, options...))
}

// Kept is t as a database keeps it.
func Kept(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// AddCompany adds an active company.
func AddCompany(t *testing.T, s *Store, slug string) company.Company {
	t.Helper()
	c := company.Company{Name: "Firma " + slug, Slug: slug, Status: company.StatusActive}
	if err := s.Companies().Create(t.Context(), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// AddUser adds a member of a new company, <slug>@example.test.
func AddUser(t *testing.T, s *Store, slug string) account.User {
	t.Helper()
	c := AddCompany(t, s, slug)
	u := account.User{CompanyID: &c.ID, Email: slug + "@example.test", PasswordHash: "hash", Role: account.Member}
	if err := s.Users().Add(t.Context(), &u, trail.Entry{}); err != nil {
		t.Fatal(err)
	}
	return u
}

// AddConnection connects a new company with a new user.
func AddConnection(t *testing.T, s *Store, slug string, p provider.Pair) connection.Connection {
	t.Helper()
	u := AddUser(t, s, slug)
	c := connection.Connection{
		CompanyID: *u.CompanyID, UserID: u.ID, Pair: p, AccessToken: "access-" + slug, RefreshToken: "refresh-" + slug,
		Scopes: []string{"a", "b"}, ExpiresAt: &databasetest.Time, UserAccessToken: "user-" + slug, UserExpiresAt: &databasetest.Time, ProviderUserID: "person-" + slug,
	}
	if err := s.Save(t.Context(), &c, nil, Entry(c, "connect")); err != nil {
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
