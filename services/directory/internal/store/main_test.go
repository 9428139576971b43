package store_test

import (
	"crypto/sha256"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
	"backend.example/services/directory/internal/store/storetest"
	"backend.example/services/internal/kit/fault"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(programName); name != "" {
		os.Exit(runProgram(name))
	}
	os.Exit(storetest.Main(m))
}

var (
	pages   = directory.Pair{Provider: directory.ProviderSocial, Service: directory.SocialPages}
	profile = directory.Pair{Provider: directory.ProviderSearch, Service: directory.SearchProfile}
)

// base is a time with a zone and more digits than a database keeps.
var base = time.Date(2026, 3, 29, 2, 30, 15, 123456789, time.FixedZone("CEST", 2*60*60))

func kept(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// hash is what a session is known by in place of its id.
func hash(id string) []byte {
	sum := sha256.Sum256([]byte(id))
	return sum[:]
}

func ptr[T any](v T) *T { return &v }

// got fails the test for an error, and passes the value on.
func got[T any](v T, err error) func(t *testing.T) T {
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

func addCompany(t *testing.T, s *store.Store, slug string) directory.Company {
	t.Helper()
	c := directory.Company{Name: "Firma " + slug, Slug: slug, Status: directory.CompanyStatusActive}
	ok(t, s.CreateCompany(t.Context(), &c))
	return c
}

func addUser(t *testing.T, s *store.Store, company directory.Company) directory.User {
	t.Helper()
	u := directory.User{CompanyID: &company.ID, Email: company.Slug + "@example.test", PasswordHash: "hash", Role: directory.Member}
	ok(t, s.CreateUser(t.Context(), &u))
	return u
}

// addConnection connects a new company.
func addConnection(t *testing.T, s *store.Store, slug string, p directory.Pair) directory.Connection {
	t.Helper()
	u := addUser(t, s, addCompany(t, s, slug))
	c := directory.Connection{
		CompanyID: *u.CompanyID, UserID: u.ID, Pair: p, AccessToken: "access-" + slug, RefreshToken: "refresh-" + slug,
		Scopes: []string{"a", "b"}, ExpiresAt: &base, UserAccessToken: "user-" + slug, UserExpiresAt: &base, ProviderUserID: "person-" + slug,
	}
	ok(t, s.SaveConnection(t.Context(), &c, entry(c, "connect")))
	return c
}

func entry(c directory.Connection, action string) directory.Entry {
	return directory.Entry{At: base, CompanyID: c.CompanyID, UserID: &c.UserID, Action: action, Pair: c.Pair, RequestID: "request"}
}

// raw opens the database past the store.
func raw(t *testing.T, db storetest.Database) *sql.DB {
	t.Helper()
	driver, source := "pgx", db.URL
	if path, isFile := strings.CutPrefix(db.URL, "sqlite:"); isFile {
		driver, source = "sqlite", filepath.ToSlash(path)+"?_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)"
	}
	pool, err := sql.Open(driver, source)
	ok(t, err)
	t.Cleanup(func() { _ = pool.Close() })
	return pool
}

func execute(t *testing.T, pool *sql.DB, statement string) {
	t.Helper()
	if _, err := pool.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}
