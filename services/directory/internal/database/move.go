package database

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
)

// moveBatch is how many rows a transaction of a move takes along.
const moveBatch = 500

// Faults of a move.
var (
	ErrMoveKinds    = errors.New("a move goes from an SQLite file to PostgreSQL")
	ErrMoveInUse    = errors.New("the database is in use: stop the service, and every command, first")
	ErrMoveNotEmpty = errors.New("the target is not empty, and no move of this database began it")
)

// MoveProgress is the progress of one table.
type MoveProgress struct {
	Table       string
	Done, Total int64 // rows
}

// Move copies every row of the SQLite database from into to, a PostgreSQL database that
// has nothing but the schema, or that an interrupted move of the same database began,
// and compares both sides. No other process may have from open. progress is called after each
// batch, and at the end of each table.
func Move(ctx context.Context, from, to *DB, progress func(MoveProgress)) error {
	return moveInBatches(ctx, from, to, moveBatch, progress)
}

// moveInBatches is Move with batches of so many rows.
func moveInBatches(ctx context.Context, from, to *DB, batch int, progress func(MoveProgress)) error {
	source, fromFile := from.engine.(*sqliteEngine)
	target, toServer := to.engine.(*postgresEngine)
	if !fromFile || !toServer {
		return ErrMoveKinds
	}
	// The shared lock that from holds becomes exclusive.
	if alone, err := source.use.TryLock(); err != nil || !alone {
		return errors.Join(ErrMoveInUse, err)
	}
	pool, err := from.write.DB()
	if err != nil {
		return fmt.Errorf("database: move: %w", err)
	}
	m := move{from: pool, to: target.pool, batch: batch, progress: progress}
	if err := m.run(ctx); err != nil {
		return fmt.Errorf("database: move: %w", err)
	}
	return nil
}

// move is one under way.
type move struct {
	from, to *sql.DB
	batch    int
	progress func(MoveProgress)
}

func (m *move) run(ctx context.Context) error {
	tables, err := movedTables(ctx, m.from, m.to)
	if err != nil {
		return err
	}
	if err := m.begin(ctx, tables); err != nil {
		return err
	}
	for _, table := range tables {
		if err := m.table(ctx, table); err != nil {
			return fmt.Errorf("%s: %w", table.name, err)
		}
	}
	for _, table := range tables {
		if err := m.compare(ctx, table); err != nil {
			return fmt.Errorf("%s: %w", table.name, err)
		}
	}
	return m.unmark(ctx, true, true)
}

// markTable is in both databases while a move is under way, with the same mark.
const markTable = "move_under_way"

// begin marks both databases, unless an earlier try has done so.
func (m *move) begin(ctx context.Context, tables []movedTable) error {
	here, err := readMark(ctx, m.from)
	if err != nil {
		return err
	}
	there, err := readMark(ctx, m.to)
	if err != nil {
		return err
	}
	if there != "" && there == here {
		return nil
	}
	err = m.refuseRows(ctx, tables)
	if there != "" {
		err = ErrMoveNotEmpty
	}
	if err != nil {
		return errors.Join(err, m.unmark(ctx, here == "", there == ""))
	}
	mark := rand.Text()
	for _, db := range []*sql.DB{m.from, m.to} {
		statement := "DELETE FROM " + markTable + "; INSERT INTO " + markTable + " VALUES ('" + mark + "')" // #nosec G202 -- letters and digits
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// readMark makes the table of the mark; without a mark it returns "".
func readMark(ctx context.Context, db *sql.DB) (mark string, err error) {
	if _, err := db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS "+markTable+" (mark TEXT NOT NULL)"); err != nil {
		return "", err
	}
	return mark, db.QueryRowContext(ctx, "SELECT coalesce(max(mark), '') FROM "+markTable).Scan(&mark)
}

// refuseRows looks for rows in the target.
func (m *move) refuseRows(ctx context.Context, tables []movedTable) error {
	for _, table := range tables {
		if n, err := countRows(ctx, m.to, table.name); err != nil || n > 0 {
			return errors.Join(err, ErrMoveNotEmpty)
		}
	}
	return nil
}

// unmark takes the tables of the mark away again.
func (m *move) unmark(ctx context.Context, here, there bool) (err error) {
	const drop = "DROP TABLE " + markTable
	if there {
		_, err = m.to.ExecContext(ctx, drop)
	}
	if here {
		_, hereErr := m.from.ExecContext(ctx, drop)
		err = errors.Join(err, hereErr)
	}
	return err
}

func countRows(ctx context.Context, db *sql.DB, table string) (n int64, err error) {
	return n, db.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&n) // #nosec G202 -- the schema names the table
}
