package directorytest

import (
	"context"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/directory/internal/trail"
)

// Store has the queries of the features on one database. Fail holds, by the name of a
// query that a feature gets as a function, the error that the query returns.
type Store struct {
	*database.DB
	Connections *connection.Store
	Fail        map[string]error
}

// NewStore returns a Store of a database.
func NewStore(db *database.DB) *Store {
	return &Store{DB: db, Connections: &connection.Store{DB: db}, Fail: map[string]error{}}
}

// Companies returns the companies in the database.
func (s *Store) Companies() *company.Companies { return company.New(s.DB) }

// Company fails or finds a company.
func (s *Store) Company(ctx context.Context, id int64) (company.Company, error) {
	if err := s.Fail["Company"]; err != nil {
		return company.Company{}, err
	}
	return s.Companies().ByID(ctx, id)
}

// Users returns the users in the database.
func (s *Store) Users() *account.Users { return account.NewUsers(s.DB) }

// UserByEmail fails or finds a user.
func (s *Store) UserByEmail(ctx context.Context, email string) (account.User, error) {
	if err := s.Fail["UserByEmail"]; err != nil {
		return account.User{}, err
	}
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

// AddUser adds a member of a new company, <slug>@example.test.
func AddUser(t *testing.T, s *Store, slug string) account.User {
	t.Helper()
	c := company.Company{Name: "Firma " + slug, Slug: slug, Status: company.StatusActive}
	if err := s.Companies().Create(t.Context(), &c); err != nil {
		t.Fatal(err)
	}
	u := account.User{CompanyID: &c.ID, Email: slug + "@example.test", PasswordHash: "hash", Role: account.Member}
	if err := s.Users().Create(t.Context(), &u); err != nil {
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
		Scopes: []string{"a", "b"}, ExpiresAt: &databasetest.Time, UserAccessToken: "user-" + slug,
		UserExpiresAt: &databasetest.Time, ProviderUserID: "person-" + slug,
	}
	if err := s.Connections.Save(t.Context(), &c, nil, Entry(c, "connect")); err != nil {
		t.Fatal(err)
	}
	return c
}

// Entry is a line of the audit trail about a connection.
func Entry(c connection.Connection, action string) trail.Entry {
	return trail.Entry{At: databasetest.Time, CompanyID: c.CompanyID, UserID: &c.UserID, Action: action, Pair: c.Pair,
		RequestID: "request"}
}

// Reading is a reading of a company's page.
func Reading(companyID int64, at time.Time) statistics.Reading[struct{}] {
	return statistics.Reading[struct{}]{CompanyID: companyID, Service: provider.SocialPages, Data: &struct{}{},
		SyncedAt: at}
}
