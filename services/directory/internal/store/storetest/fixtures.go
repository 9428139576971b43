package storetest

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
)

// Time is a time with a zone and with more digits than a database keeps.
var Time = time.Date(2026, 3, 29, 2, 30, 15, 123456789, time.FixedZone("CEST", 2*60*60))

// Kept is t as a database keeps it.
func Kept(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// AddCompany adds an active company.
func AddCompany(t *testing.T, s *store.Store, slug string) directory.Company {
	t.Helper()
	c := directory.Company{Name: "Firma " + slug, Slug: slug, Status: directory.CompanyStatusActive}
	if err := s.CreateCompany(t.Context(), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// AddUser adds a member of a new company, <slug>@example.test.
func AddUser(t *testing.T, s *store.Store, slug string) directory.User {
	t.Helper()
	c := AddCompany(t, s, slug)
	u := directory.User{CompanyID: &c.ID, Email: slug + "@example.test", PasswordHash: "hash", Role: directory.Member}
	if err := s.CreateUser(t.Context(), &u); err != nil {
		t.Fatal(err)
	}
	return u
}

// AddConnection connects a new company with a new user.
func AddConnection(t *testing.T, s *store.Store, slug string, p directory.Pair) directory.Connection {
	t.Helper()
	u := AddUser(t, s, slug)
	c := directory.Connection{
		CompanyID: *u.CompanyID, UserID: u.ID, Pair: p, AccessToken: "access-" + slug, RefreshToken: "refresh-" + slug,
		Scopes: []string{"a", "b"}, ExpiresAt: &Time, UserAccessToken: "user-" + slug, UserExpiresAt: &Time, ProviderUserID: "person-" + slug,
	}
	if err := s.SaveConnection(t.Context(), &c, nil, Entry(c, "connect")); err != nil {
		t.Fatal(err)
	}
	return c
}

// Entry is a line of the audit trail about a connection.
func Entry(c directory.Connection, action string) directory.Entry {
	return directory.Entry{At: Time, CompanyID: c.CompanyID, UserID: &c.UserID, Action: action, Pair: c.Pair, RequestID: "request"}
}

// Raw opens the database without the store.
func (d Database) Raw(t *testing.T) *sql.DB {
	t.Helper()
	driver, source := "pgx", d.URL
	if path, isFile := strings.CutPrefix(d.URL, "sqlite:"); isFile {
		driver, source = "sqlite", filepath.ToSlash(path)+"?_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)"
	}
	pool, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	return pool
}
