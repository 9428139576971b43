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

// server is the PostgreSQL server of a test process.
type server struct {
	address  *url.URL
	admin    *sql.DB
	template string // a migrated database, made once, that the others are copies of
	mu       sync.Mutex
	free     []string // copies that a test has done with, emptied
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
	s := &server{address: address, admin: admin, template: newName()}
	if err := errors.Join(s.sweep(), s.copy(s.template, "template0")); err != nil {
		return nil, err
	}
	return s, errors.Join(migrate(s.urlOf(s.template)), s.exec(s.template, untouched))
}

// migrated lends t a copy of the template, which is emptied afterwards.
func (s *server) migrated(t *testing.T) string {
	t.Helper()
	name := s.reusable()
	if name == "" {
		name = s.create(t, s.template)
	}
	t.Cleanup(func() {
		if err := s.recycle(name); err != nil {
			t.Error(err)
		}
	})
	return s.urlOf(name)
}

// bare lends t a database without a schema, which is dropped afterwards.
func (s *server) bare(t *testing.T) string {
	t.Helper()
	name := s.create(t, "template0")
	t.Cleanup(func() {
		if err := s.drop(name); err != nil {
			t.Error(err)
		}
	})
	return s.urlOf(name)
}

func (s *server) create(t *testing.T, template string) string {
	t.Helper()
	name := newName()
	if err := s.copy(name, template); err != nil {
		t.Fatal(err)
	}
	return name
}

func (s *server) reusable() (name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.free) - 1; last >= 0 {
		s.free, name = s.free[:last], s.free[last]
	}
	return name
}

// untouched lets a template's tables have no statistics unless a test asks for them. Plans
// would depend on when autovacuum found the time.
const untouched = `DO $$
DECLARE change text;
BEGIN
    FOR change IN SELECT format('ALTER TABLE %I SET (autovacuum_enabled = false)', tablename)
        FROM pg_tables WHERE schemaname = 'public' LOOP
        EXECUTE change;
    END LOOP;
END
$$`

// empty puts a database back to where its template is. One statement deletes everything, at
// the end of which no foreign key is broken. That takes a few milliseconds; to truncate the
// tables takes twenty times as long, and to drop the database and copy the template again
// even more.
const empty = `SET lock_timeout = '5s'; SET synchronous_commit = off;
DO $$
DECLARE deletions text; restart text;
BEGIN
    SELECT string_agg(format('%1$I AS (DELETE FROM %1$I)', tablename), ', ') INTO deletions
        FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'goose_db_version';
    ALTER TABLE audit_trail DISABLE TRIGGER USER;
    EXECUTE 'WITH ' || deletions || ' SELECT';
    ALTER TABLE audit_trail ENABLE TRIGGER USER;
    FOR restart IN SELECT format('ALTER SEQUENCE %I RESTART', sequencename)
        FROM pg_sequences WHERE schemaname = 'public'
            AND last_value IS NOT NULL AND sequencename <> 'goose_db_version_id_seq'
    LOOP
        EXECUTE restart;
    END LOOP;
END
$$`

// worn: a test gave the planner statistics, or left many deleted rows.
const worn = `SELECT EXISTS (
    SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
        AND relname <> 'goose_db_version' AND (relpages > 0 OR pg_relation_size(oid) > 1 << 20))`

func (s *server) recycle(name string) error {
	db, err := sql.Open("pgx", s.urlOf(name))
	if err != nil {
		return err
	}
	if _, err := db.Exec(empty); err != nil {
		return errors.Join(fmt.Errorf("the test left its database in use or without its schema: %w", err), db.Close(),
			s.drop(name))
	}
	var drop bool
	if err := db.QueryRow(worn).Scan(&drop); err != nil || drop {
		return errors.Join(err, db.Close(), s.drop(name))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, name)
	return db.Close()
}

// newName contains the time, so that leftovers can be recognized.
func newName() string {
	return fmt.Sprintf("%s%d_%s", prefix, time.Now().Unix(), strings.ToLower(rand.Text()[:10]))
}

// sweep drops the databases of processes that ended without doing so.
func (s *server) sweep() error {
	var names string
	err := s.admin.QueryRow("SELECT coalesce(string_agg(datname, ' '), '') FROM pg_database WHERE "+
		"starts_with(datname, $1)", prefix).Scan(&names)
	if err != nil {
		return err
	}
	var old []string
	for name := range strings.FieldsSeq(names) {
		made, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), "_")
		if at, err := strconv.ParseInt(made, 10, 64); err == nil && time.Since(time.Unix(at, 0)) > leftover {
			old = append(old, name)
		}
	}
	return s.dropAll(old)
}

func (s *server) copy(name, template string) error {
	_, err := s.admin.Exec("CREATE DATABASE " + name + " TEMPLATE " + template)
	return err
}

func (s *server) exec(name, statements string) error {
	db, err := sql.Open("pgx", s.urlOf(name))
	if err != nil {
		return err
	}
	_, err = db.Exec(statements)
	return errors.Join(err, db.Close())
}

func (s *server) drop(name string) error {
	_, err := s.admin.Exec("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)")
	return err
}

func (s *server) dropAll(names []string) (err error) {
	for _, name := range names {
		err = errors.Join(err, s.drop(name))
	}
	return err
}

func (s *server) urlOf(name string) string {
	address := *s.address
	address.Path = "/" + name
	return address.String()
}

func (s *server) close() error {
	return errors.Join(s.dropAll(append(s.free, s.template)), s.admin.Close())
}
