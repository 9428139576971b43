package database

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

const (
	postgresConns = 20
	// postgresShare is how many connections may be waiting for one external service.
	postgresShare = postgresConns / 5
	// advisoryRetry is how long a process waits before it tries again to take a lock.
	advisoryRetry = 100 * time.Millisecond
)

// postgresEngine is PostgreSQL 13 or newer.
type postgresEngine struct {
	pool   *sql.DB
	mutex  keyedMutex // one Lock of a name in this process asks for the row lock
	slow   keyedMutex // one LockSlowly of a name waits for its share
	shares sync.Map   // chan struct{} by service, which hold an element for each call under way
}

func (db *DB) openPostgres(address string) error {
	config, err := parsePostgres(address)
	if err != nil {
		return err
	}
	pool := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(prepare))
	pool.SetMaxOpenConns(postgresConns)
	pool.SetMaxIdleConns(postgresConns) // to open one takes longer than most statements
	pool.SetConnMaxIdleTime(5 * time.Minute)
	pool.SetConnMaxLifetime(30 * time.Minute)
	db.engine, db.pools = &postgresEngine{pool: pool}, []*sql.DB{pool}
	db.write, err = db.openGorm(postgresDialect{&postgres.Dialector{Config: &postgres.Config{Conn: pool}}})
	db.read = db.write
	return err
}

// prepare makes times UTC, and lets the server end the transactions of a replica that is gone.
func prepare(ctx context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	_, err := conn.Exec(ctx, "SET idle_in_transaction_session_timeout = '2min'")
	return err
}

var errPostgresURL = errors.New("database URL: not a valid postgres:// URL; special characters in user and password " +
	"have to be percent-encoded")

// parsePostgres reads the URL. What an error says of it comes from a copy without passwords.
func parsePostgres(address string) (*pgx.ConnConfig, error) {
	u, err := url.Parse(address)
	if err != nil || u.Fragment != "" || strings.Contains(u.Path, "@") {
		return nil, errPostgresURL
	}
	config, err := pgx.ParseConfig(address)
	if err != nil {
		if _, err = pgx.ParseConfig(masked(*u)); err == nil {
			return nil, errPostgresURL
		}
		return nil, fmt.Errorf("database URL: %w", err)
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = applicationName + rand.Text()
	}
	return config, nil
}

func masked(u url.URL) string {
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), "xxxxx")
	}
	query := u.Query()
	for name := range query {
		if strings.Contains(strings.ToLower(name), "password") {
			query.Set(name, "xxxxx")
		}
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// hintPooler adds what to do if a pooler has given the session of a prepared statement to another client.
func hintPooler(err error) error {
	var e *pgconn.PgError
	if errors.As(err, &e) && (e.Code == "26000" || e.Code == "42P05") {
		return fmt.Errorf("%w; behind a pooler such as PgBouncer, add default_query_exec_mode=exec to the database URL",
			err)
	}
	return err
}

func (*postgresEngine) close() error { return nil }

func (*postgresEngine) migrations() migrationSet {
	return migrationSet{
		dialect: goose.DialectPostgres, folder: "migrations/postgres",
		begun: "SELECT to_regclass('goose_db_version') IS NOT NULL",
	}
}

// applicationName begins the name of each process at the server.
const applicationName = "directory "

// The server lists a process that has just closed its connections for some milliseconds more.
const (
	leavingTries = 20
	leavingPause = 50 * time.Millisecond
)

// alone gives a process that ends a second.
func (p *postgresEngine) alone(ctx context.Context, pool *sql.DB) (alone bool, err error) {
	for range leavingTries {
		err = pool.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND application_name LIKE $1
			AND application_name <> current_setting('application_name'))`, applicationName+"%").Scan(&alone)
		if err != nil || alone {
			return alone, err
		}
		if err := sleep(ctx, leavingPause); err != nil {
			return false, err
		}
	}
	return false, nil
}

func (*postgresEngine) queue(tx *gorm.DB, name string) error {
	return tx.Exec("SELECT pg_advisory_xact_lock(?)", advisoryKey(name)).Error
}

// purge frees the dead rows of the tables in the schema that is used.
func (*postgresEngine) purge(db *gorm.DB) error {
	var tables []string
	if err := db.Raw("SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = current_schema()").
		Scan(&tables).Error; err != nil {
		return err
	}
	return db.Exec("VACUUM " + strings.Join(tables, ", ")).Error
}

// guard saves the pool from being taken by those who wait for one row, or for one service. A call
// that waits for its share of a service does not delay others that lock the name.
func (p *postgresEngine) guard(ctx context.Context, name, service string) (func(), error) {
	if service == "" {
		return p.mutex.lock(ctx, name)
	}
	leave, err := p.slow.lock(ctx, name)
	if err != nil {
		return nil, err
	}
	value, _ := p.shares.LoadOrStore(service, make(chan struct{}, postgresShare))
	share := value.(chan struct{})
	select {
	case share <- struct{}{}:
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
	unlock, err := p.mutex.lock(ctx, name)
	if err != nil {
		<-share
		leave()
		return nil, err
	}
	return func() {
		unlock()
		<-share
		leave()
	}, nil
}

// acquire takes an advisory lock that ends with a transaction, on a connection of its own: a pooler
// such as PgBouncer gives a session, with its locks, to another client after each statement. It tries
// each time in a new transaction, for the end of which CREATE INDEX CONCURRENTLY waits.
func (p *postgresEngine) acquire(ctx context.Context, name string) (func(), error) {
	conn, err := p.pool.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	tx, err := waitForAdvisory(ctx, conn, advisoryKey(name))
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return func() {
		_ = tx.Rollback() // where that fails, the connection is gone, and the lock with it
		_ = conn.Close()  // goes back to the pool
	}, nil
}

func waitForAdvisory(ctx context.Context, conn *sql.Conn, key int64) (*sql.Tx, error) {
	for {
		tx, err := tryAdvisory(ctx, conn, key)
		if err != nil || tx != nil {
			return tx, err
		}
		if err := sleep(ctx, advisoryRetry); err != nil {
			return nil, err
		}
	}
}

// tryAdvisory leaves the transaction open, also when ctx ends, or returns nil if another session has
// the lock. SET comes last: a SELECT keeps its snapshot until the next statement.
func tryAdvisory(ctx context.Context, conn *sql.Conn, key int64) (*sql.Tx, error) {
	tx, err := conn.BeginTx(context.WithoutCancel(ctx), &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return nil, err
	}
	locked := false
	err = tx.QueryRowContext(ctx, "SELECT pg_try_advisory_xact_lock($1)", key).Scan(&locked)
	if err != nil || !locked {
		return nil, errors.Join(err, tx.Rollback())
	}
	if _, err := tx.ExecContext(ctx, "SET LOCAL idle_in_transaction_session_timeout = 0"); err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return tx, nil
}

// clock is that of the server, which all replicas share.
func (*postgresEngine) clock() clause.Expr {
	return gorm.Expr("CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)")
}

// advisoryKey maps a name to the number that PostgreSQL locks by.
func advisoryKey(name string) int64 {
	sum := sha256.Sum256([]byte("directory: " + name))
	return int64(binary.BigEndian.Uint64(sum[:])) // #nosec G115 -- any 64 bits do
}
