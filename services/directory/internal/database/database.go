// Package database opens the directory's database, PostgreSQL or an SQLite file. It owns the schema
// with its migrations, the encryption of secrets, the locks over several replicas, backup and move.
//
// Times are UTC with the precision of microseconds. Text that PostgreSQL cannot store
// is refused with CodeInvalidText. Every other error names the operation and the table.
//
// Both databases behave alike, with these differences inside:
//
//	                     PostgreSQL                        SQLite
//	writers              a pool                            one connection in each process
//	Lock                 row lock (SELECT … FOR UPDATE)    lock file, then a short transaction
//	Queue                advisory lock of the transaction  one writer
//	Migrate              advisory lock of a transaction    lock file
//	Open                 any number at once                lock file
//
// Several processes of one machine may use an SQLite file; its lock files are in the folder next to it
// whose name ends in ".locks". They share one of these locks, which Move takes for itself.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/internal/kit/fault"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	Now func() time.Time // of the times that the DB sets

	read   *gorm.DB
	write  *gorm.DB  // on PostgreSQL the same as read
	pools  []*sql.DB // of write, and of read if that is another
	engine engine
	keys   *Keyring
	schema fs.FS // the migrations
}

// engine is what each database does in its own way.
type engine interface {
	// acquire waits for a lock over all processes.
	acquire(ctx context.Context, name string) (release func(), err error)
	// clock is an expression of the time in milliseconds by a clock that all processes share.
	clock() clause.Expr
	// guard keeps other locks of that name out, as far as row locks do not; see LockSlowly for service.
	guard(ctx context.Context, name, service string) (release func(), err error)
	// queue makes the transactions of that name follow one another.
	queue(tx *gorm.DB, name string) error
	// purge overwrites deleted rows, or at least frees their space.
	purge(db *gorm.DB) error
	// alone reports whether no other process uses the database.
	alone(ctx context.Context, pool *sql.DB) (bool, error)
	// close releases what outlasts the connections.
	close() error
	migrations() migrationSet
}

// Open opens "sqlite:" and the path of a file, which is created if it does not exist, or "postgres://"
// (the form of libpq). It does not migrate. Its errors do not contain the url's password.
func Open(ctx context.Context, url string, keys *Keyring) (*DB, error) {
	if keys == nil {
		return nil, errors.New("database: no encryption keys")
	}
	db := &DB{Now: time.Now, keys: keys, schema: migrationFiles}
	scheme, rest, _ := strings.Cut(url, ":")
	var err error
	switch scheme {
	case "sqlite":
		err = db.openSQLite(ctx, rest)
	case "postgres", "postgresql":
		err = db.openPostgres(url)
	default:
		err = errors.New("URL: want sqlite:<path> or postgres://<user>@<host>/<database>")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("database: %w", err), db.Close())
	}
	if err := db.Ping(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// OpenOther opens another database with the keys of db.
func (db *DB) OpenOther(ctx context.Context, url string) (*DB, error) { return Open(ctx, url, db.keys) }

// Read returns a handle for queries.
func (db *DB) Read(ctx context.Context) *gorm.DB { return db.read.WithContext(ctx) }

// Write returns a handle for a single writing statement.
func (db *DB) Write(ctx context.Context) *gorm.DB { return db.write.WithContext(ctx) }

// WritePool returns the connections for writing: on SQLite a single one.
func (db *DB) WritePool() *sql.DB { return db.pools[0] }

// Transaction runs fn in a transaction for writing.
func (db *DB) Transaction(ctx context.Context, fn func(tx *gorm.DB) error) error {
	return db.write.WithContext(ctx).Transaction(fn)
}

// Snapshot runs fn with a handle whose queries all read the same moment.
func (db *DB) Snapshot(ctx context.Context, fn func(tx *gorm.DB) error) error {
	return db.read.WithContext(ctx).Transaction(fn, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
}

// IsPostgres reports whether the database is PostgreSQL, for the rare statement that
// differs.
func (db *DB) IsPostgres() bool { return db.read == db.write }

// DeleteBatch is the most rows that a statement of DeleteInBatches deletes, and locks.
const DeleteBatch = 1000

// DeleteInBatches deletes the rows that a condition selects, in the order of a column, and returns
// their number, also with an error. With the order of an index no batch reads the table from its
// beginning.
func (db *DB) DeleteInBatches(ctx context.Context, table, order, condition string, values ...any) (n int64, err error) {
	statement := "DELETE FROM %[1]s WHERE rowid IN (SELECT rowid FROM %[1]s WHERE %[2]s ORDER BY %[4]s LIMIT %[3]d) " +
		"AND %[2]s"
	if db.IsPostgres() {
		statement = "DELETE FROM %[1]s WHERE ctid = ANY (ARRAY(SELECT ctid FROM %[1]s WHERE %[2]s ORDER BY %[4]s " +
			"LIMIT %[3]d)) AND %[2]s"
	}
	values = append(values, values...) // a row that was changed meanwhile is checked again
	for {
		result := db.Write(ctx).Exec(fmt.Sprintf(statement, table, condition, DeleteBatch, order), values...)
		n += result.RowsAffected
		if result.Error != nil || result.RowsAffected < DeleteBatch {
			return n, result.Error
		}
	}
}

// ForUpdate returns a query that locks the rows it finds until tx ends.
func ForUpdate(tx *gorm.DB) *gorm.DB {
	return tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate})
}

// Ping checks the connection to the database.
func (db *DB) Ping(ctx context.Context) error {
	return db.read.WithContext(ctx).Exec("SELECT 1").Error
}

// Purge removes deleted rows: an SQLite file is rewritten and its log truncated. PostgreSQL frees the
// space of dead rows, which no dump contains, and overwrites it as it is used again.
func (db *DB) Purge(ctx context.Context) error {
	if err := db.engine.purge(db.write.WithContext(ctx)); err != nil {
		return fmt.Errorf("database: purge: %w", err)
	}
	return nil
}

// Close closes the connections to the database.
func (db *DB) Close() (err error) {
	for _, pool := range slices.Backward(db.pools) { // the one that writes last
		err = errors.Join(err, pool.Close())
	}
	if db.engine != nil {
		err = errors.Join(err, db.engine.close())
	}
	if err != nil {
		return fmt.Errorf("database: close: %w", err)
	}
	return nil
}

// Instant is t as the databases store it, and as it is compared with a column: UTC, microseconds.
func Instant(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// OptionalInstant is Instant for a time that may be absent.
func OptionalInstant(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	return new(Instant(*t))
}

// At is Instant for a time to store; a zero t is now.
func (db *DB) At(t time.Time) time.Time {
	if t.IsZero() {
		t = db.Now()
	}
	return Instant(t)
}

// NotFound returns absent in place of an error that says that there is no row.
func NotFound(err error, absent fault.Code) error {
	if errors.Is(err, gorm.ErrRecordNotFound) || errors.Is(err, sql.ErrNoRows) {
		return absent.Fault()
	}
	return err
}

// Duplicate returns taken in place of an error that says that the unique key exists.
func Duplicate(err error, taken fault.Code) error {
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return taken.Wrap(err)
	}
	return err
}

// Changed returns the error of a statement that is meant for one row, or absent without such a row.
func Changed(result *gorm.DB, absent fault.Code) error {
	if result.Error == nil && result.RowsAffected == 0 {
		return absent.Fault()
	}
	return result.Error
}

// EachRow calls each with the values of every row, and closes rows.
func EachRow(rows *sql.Rows, each func(values []any) error) error {
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	for rows.Next() {
		values, targets := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if err := each(values); err != nil {
			return err
		}
	}
	return rows.Err()
}
