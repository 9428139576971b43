package databasetest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver pgx
)

const (
	defaultURL = "postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable"
	prefix     = "directory_test_"
	// leftover is the age at which a database of a test process that was killed is
	// dropped by the next one.
	leftover     = time.Hour
	connectLimit = 5 * time.Second
)

// process is what the tests of a process share, and what Main takes away.
var process struct {
	managed bool // Main is running
	once    sync.Once
	server  *server
	err     error
}

// Main runs the tests of a package, then drops what they left on the PostgreSQL
// server, and returns the exit code.
func Main(m *testing.M) int {
	process.managed = true
	code := m.Run()
	if process.server == nil {
		return code
	}
	if err := errors.Join(process.server.drop(process.server.template), process.server.admin.Close()); err != nil {
		fmt.Fprintln(os.Stderr, "databasetest:", err)
		return max(code, 1)
	}
	return code
}

// postgres connects to the server with the first test that needs it.
func postgres(t *testing.T) *server {
	t.Helper()
	if testing.Short() {
		t.Skip("PostgreSQL is left out with -short")
	}
	if !process.managed {
		t.Fatal("databasetest: TestMain has to call databasetest.Main")
	}
	process.once.Do(func() { process.server, process.err = connect() })
	if process.err == nil {
		return process.server
	}
	if os.Getenv("REQUIRE_SERVICES") == "1" {
		t.Fatalf("no PostgreSQL server for tests: %v", process.err)
	}
	t.Skipf("no PostgreSQL server for tests (set TEST_DATABASE_URL): %v", process.err)
	return nil
}

// server is the PostgreSQL server of a test process.
type server struct {
	address  *url.URL
	admin    *sql.DB
	template string // a migrated database, made once, that the others are copies of
}

func connect() (*server, error) {
	given := os.Getenv("TEST_DATABASE_URL")
	if given == "" {
		given = defaultURL
	}
	address, err := url.Parse(given)
	if err != nil {
		return nil, errors.New("TEST_DATABASE_URL is not a URL") // its text may hold a password
	}
	admin, err := sql.Open("pgx", given)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), connectLimit)
	defer cancel()
	if err := admin.PingContext(ctx); err != nil {
		return nil, errors.Join(err, admin.Close())
	}
	s := &server{address: address, admin: admin}
	if err := s.sweep(); err != nil {
		return nil, err
	}
	if s.template, err = s.create("template0"); err != nil {
		return nil, err
	}
	return s, migrate(s.urlOf(s.template))
}

// lend returns the URL of a copy of a template, which is dropped after the test.
func (s *server) lend(t *testing.T, template string) string {
	t.Helper()
	name, err := s.create(template)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.drop(name); err != nil {
			t.Error(err)
		}
	})
	return s.urlOf(name)
}

// create makes a copy of a template. Its name contains the time, so that leftovers can be recognized.
func (s *server) create(template string) (name string, err error) {
	name = fmt.Sprintf("%s%d_%s", prefix, time.Now().Unix(), strings.ToLower(rand.Text()[:10]))
	_, err = s.admin.Exec("CREATE DATABASE " + name + " TEMPLATE " + template)
	return name, err
}

// sweep drops the databases of processes that ended without doing so.
func (s *server) sweep() error {
	var names string
	err := s.admin.QueryRow("SELECT coalesce(string_agg(datname, ' '), '') FROM pg_database WHERE "+
		"starts_with(datname, $1)", prefix).Scan(&names)
	for name := range strings.FieldsSeq(names) {
		made, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), "_")
		at, invalid := strconv.ParseInt(made, 10, 64)
		if invalid == nil && time.Since(time.Unix(at, 0)) > leftover {
			err = errors.Join(err, s.drop(name))
		}
	}
	return err
}

func (s *server) drop(name string) error {
	_, err := s.admin.Exec("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)")
	return err
}

func (s *server) urlOf(name string) string {
	address := *s.address
	address.Path = "/" + name
	return address.String()
}
