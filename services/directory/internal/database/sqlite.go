package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
	"github.com/pressly/goose/v3"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	sqlitedriver "modernc.org/sqlite"
)

// sqliteReaders is the number of connections that read at once.
const sqliteReaders = 4

// sqliteEngine is an SQLite file in WAL mode (https://www.sqlite.org/wal.html).
type sqliteEngine struct {
	locks fileLocks
	use   *flock.Flock // shared by all that have the file open
}

// openSQLite opens the file alone over all processes: SQLite does not wait for others that switch a
// new file to WAL mode, and whoever makes the file must close it before anyone holds a lock on it.
func (db *DB) openSQLite(ctx context.Context, path string) error {
	path, err := sqlitePath(path)
	if err != nil {
		return err
	}
	locks := fileLocks{folder: path + ".locks"}
	engine := &sqliteEngine{locks: locks}
	db.engine = engine
	release, err := locks.acquire(ctx, "open")
	if err != nil {
		return fmt.Errorf("database file: %w", err)
	}
	defer release()
	if engine.use, err = locks.share("use"); err != nil {
		return fmt.Errorf("database file: %w", err)
	}
	if err := makeFile(path); err != nil {
		return fmt.Errorf("database file: %w", err)
	}
	// A writer waits for as long as a purge of a large file may take.
	shared := []string{"busy_timeout(30000)", "journal_mode(WAL)", "foreign_keys(1)", "secure_delete(1)"}
	if db.write, err = db.openFile(ctx, sqliteDSN(path, "immediate", shared...), 1); err != nil {
		return err
	}
	db.read, err = db.openFile(ctx, sqliteDSN(path, "deferred", append(shared, "query_only(1)")...), sqliteReaders)
	return err
}

func sqlitePath(path string) (string, error) {
	path = strings.TrimPrefix(path, "//")
	if path == "" || strings.HasPrefix(path, ":") {
		return "", errors.New("database URL: sqlite: needs the path of a file")
	}
	return filepath.Abs(path)
}

// makeFile makes the file, for this user alone. It does not open one that is there: to close it ends
// all locks that the process has on it (https://www.sqlite.org/howtocorrupt.html, section 2.2).
func makeFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600) // #nosec G304 -- the operator names the file
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// openFile makes the first connection at once, while no other caller opens the file.
func (db *DB) openFile(ctx context.Context, dsn string, conns int) (*gorm.DB, error) {
	connector, err := sqlitedriver.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(connector)
	db.pools = append(db.pools, pool)
	if err := pool.PingContext(ctx); err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	return db.openGorm(sqliteDialect{pool})
}

// sqliteDSN names a file; lock is that with which transactions begin.
func sqliteDSN(path, lock string, pragmas ...string) string {
	query := url.Values{"_pragma": pragmas, "_txlock": {lock}, "_time_format": {"sqlite"}}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query.Encode()
}

// alone makes the shared lock of this process exclusive.
func (e *sqliteEngine) alone(context.Context, *sql.DB) (bool, error) { return e.use.TryLock() }

// close lets go of the file, after its connections are closed.
func (e *sqliteEngine) close() error {
	if e.use == nil {
		return nil
	}
	return e.use.Close()
}

func (*sqliteEngine) migrations() migrationSet {
	return migrationSet{
		dialect: goose.DialectSQLite3, folder: "migrations/sqlite",
		begun: "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'goose_db_version')",
	}
}

func (e *sqliteEngine) acquire(ctx context.Context, name string) (func(), error) {
	return e.locks.acquire(ctx, name)
}

// guard needs no share of connections: the file is free until the lock's transaction.
func (e *sqliteEngine) guard(ctx context.Context, name, _ string) (func(), error) {
	return e.locks.acquire(ctx, name)
}

// clock is that of the machine, on which all processes are.
func (*sqliteEngine) clock() clause.Expr {
	return gorm.Expr("CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER)")
}

// queue has nothing to do: a transaction begins with the file's only write lock.
func (*sqliteEngine) queue(*gorm.DB, string) error { return nil }

var errLogInUse = errors.New("the deleted rows are still in the database's log, which another process reads: end it, " +
	"then repeat")

// purge rewrites the file, since secure_delete leaves copies that the balancing of a tree made, and
// cuts the log, once no reader uses it.
func (*sqliteEngine) purge(db *gorm.DB) error {
	if err := db.Exec("VACUUM").Error; err != nil {
		return err
	}
	var busy, pages, done int
	if err := db.Raw("PRAGMA wal_checkpoint(TRUNCATE)").Row().Scan(&busy, &pages, &done); err != nil {
		return err
	}
	if busy != 0 {
		return errLogInUse
	}
	return nil
}
