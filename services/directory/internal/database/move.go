package database

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

const moveBatch = 500

// ErrInUse is the fault of what needs the database for itself.
var ErrInUse = errors.New("the database is in use: stop the service, and every command, first")

// Faults of a move.
var (
	ErrMoveKinds   = errors.New("a move goes from an SQLite file to PostgreSQL")
	ErrMoveDiffers = errors.New("the target has rows that the source does not have: empty it and begin again")
)

// MoveProgress is the progress of one table.
type MoveProgress struct {
	Table       string
	Done, Total int64 // rows
}

// Move copies every row of the SQLite database from into to, a PostgreSQL database that has
// nothing but the schema, or the first rows of each table, which an interrupted move left, and
// compares both sides. No other process may have from open. progress is called after each
// batch, and at the end of each table.
func Move(ctx context.Context, from, to *DB, progress func(MoveProgress)) error {
	return moveInBatches(ctx, from, to, moveBatch, progress)
}

// moveInBatches is Move with batches of so many rows.
func moveInBatches(ctx context.Context, from, to *DB, batch int, progress func(MoveProgress)) error {
	if from.IsPostgres() || !to.IsPostgres() {
		return ErrMoveKinds
	}
	if alone, err := from.engine.alone(ctx, from.pools[0]); err != nil || !alone {
		return errors.Join(ErrInUse, err)
	}
	m := move{from: from, to: to, batch: batch}
	if err := m.run(ctx, progress); err != nil {
		return fmt.Errorf("database: move: %w", err)
	}
	return nil
}

type move struct {
	from, to *DB
	batch    int
}

func (m *move) run(ctx context.Context, progress func(MoveProgress)) error {
	tables, err := movedTables(ctx, m.from, m.to)
	if err != nil {
		return err
	}
	if err := m.compare(ctx, tables, false); err != nil {
		return err
	}
	for _, table := range tables {
		if err := m.table(ctx, table, progress); err != nil {
			return fmt.Errorf("%s: %w", table.name, err)
		}
	}
	return m.compare(ctx, tables, true)
}

// compare returns ErrMoveDiffers unless the rows of the target are the first ones of the source,
// or all of them.
func (m *move) compare(ctx context.Context, tables []movedTable, all bool) error {
	for _, table := range tables {
		n, total, err := m.count(ctx, table)
		if err != nil {
			return err
		}
		from, err := table.digest(ctx, m.from, n)
		if err != nil {
			return err
		}
		to, err := table.digest(ctx, m.to, n)
		if err != nil {
			return err
		}
		if from != to || all && n != total {
			return fmt.Errorf("%s: %w", table.name, ErrMoveDiffers)
		}
	}
	return nil
}

// count returns how many rows the target has, and how many the source.
func (m *move) count(ctx context.Context, t movedTable) (done, total int64, err error) {
	query := "SELECT count(*) FROM " + t.name // #nosec G202 -- the schema names the table
	if err := m.to.Read(ctx).Raw(query).Scan(&done).Error; err != nil {
		return 0, 0, err
	}
	err = m.from.Read(ctx).Raw(query).Scan(&total).Error
	return done, total, err
}

type movedTable struct {
	name     string
	columns  []string
	booleans map[int]bool // positions of the columns that SQLite keeps as numbers
	key      string       // the primary key's columns
	parents  []string     // the tables that it refers to
}

// movedTables lists the tables of the schema, each after those that it refers to.
func movedTables(ctx context.Context, from, to *DB) (tables []movedTable, err error) {
	var names []string
	if err := from.Read(ctx).Raw("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' " +
		"AND name NOT LIKE 'goose_%' AND name NOT LIKE 'river_%' ORDER BY name").Scan(&names).Error; err != nil {
		return nil, err
	}
	var left []movedTable
	for _, name := range names {
		table, err := readTable(ctx, from, to, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		left = append(left, table)
	}
	for len(left) > 0 {
		i := slices.IndexFunc(left, func(t movedTable) bool { return !slices.ContainsFunc(left, t.refersTo) })
		if i < 0 {
			return nil, errors.New("tables refer to each other in a circle")
		}
		tables, left = append(tables, left[i]), slices.Delete(left, i, i+1)
	}
	return tables, nil
}

func (t movedTable) refersTo(other movedTable) bool {
	return t.name != other.name && slices.Contains(t.parents, other.name)
}

func readTable(ctx context.Context, from, to *DB, name string) (t movedTable, err error) {
	var key, booleans []string
	err = errors.Join(
		from.Read(ctx).Raw("SELECT name FROM pragma_table_info(?) ORDER BY cid", name).Scan(&t.columns).Error,
		from.Read(ctx).Raw("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", name).Scan(&key).Error,
		from.Read(ctx).Raw(`SELECT "table" FROM pragma_foreign_key_list(?)`, name).Scan(&t.parents).Error,
		to.Read(ctx).Raw("SELECT column_name FROM information_schema.columns "+
			"WHERE table_schema = current_schema() AND table_name = ? AND data_type = 'boolean'", name).
			Scan(&booleans).Error,
	)
	t.name, t.key = name, strings.Join(key, ", ")
	t.booleans = map[int]bool{}
	for _, column := range booleans {
		t.booleans[slices.Index(t.columns, column)] = true
	}
	return t, err
}

// rows calls each with the rows of t in the order of its key: at most limit from the one at offset.
func (t *movedTable) rows(ctx context.Context, db *DB, limit, offset int64, each func(values []any) error) error {
	// #nosec G201 -- of the schema
	query := fmt.Sprintf("SELECT %s FROM %s ORDER BY %s LIMIT %d OFFSET %d", strings.Join(t.columns, ", "), t.name,
		t.key, limit, offset)
	rows, err := db.Read(ctx).Raw(query).Rows()
	if err != nil {
		return err
	}
	return EachRow(rows, func(values []any) error {
		for i := range t.booleans {
			if number, ok := values[i].(int64); ok {
				values[i] = number != 0
			}
		}
		return each(values)
	})
}

// table copies the rows that the target does not have yet, a batch in each transaction,
// so that their number says where an interrupted move goes on.
func (m *move) table(ctx context.Context, t movedTable, progress func(MoveProgress)) error {
	done, total, err := m.count(ctx, t)
	if err != nil {
		return err
	}
	var batch []any // rows, each a []any
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		// #nosec G201 -- of the schema
		statement := fmt.Sprintf("INSERT INTO %s (%s) VALUES ?%s", t.name, strings.Join(t.columns, ", "),
			strings.Repeat(", ?", len(batch)-1))
		if err := m.to.Write(ctx).Exec(statement, batch...).Error; err != nil {
			return err
		}
		done += int64(len(batch))
		batch = batch[:0]
		progress(MoveProgress{Table: t.name, Done: done, Total: total})
		return ctx.Err()
	}
	err = t.rows(ctx, m.from, total, done, func(values []any) error {
		if batch = append(batch, values); len(batch) < m.batch {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	return m.continueNumbers(ctx, t)
}

// continueNumbers makes new rows get numbers that no row ever had.
func (m *move) continueNumbers(ctx context.Context, t movedTable) error {
	var last int64
	err := m.from.Read(ctx).Raw("SELECT seq FROM sqlite_sequence WHERE name = ?", t.name).Scan(&last).Error
	if err != nil || last == 0 {
		return err
	}
	return m.to.Write(ctx).Exec("SELECT setval(pg_get_serial_sequence(?, 'id'), ?)", t.name, last).Error
}

// digest returns the exclusive or of the hashes of the first n rows.
func (t *movedTable) digest(ctx context.Context, db *DB, n int64) (sum [sha256.Size]byte, err error) {
	err = t.rows(ctx, db, n, 0, func(values []any) error {
		row := sha256.New()
		for _, value := range values {
			fmt.Fprintf(row, "%q,", canonical(value))
		}
		subtle.XORBytes(sum[:], sum[:], row.Sum(nil))
		return nil
	})
	return sum, err
}

// canonical is a value as either database gives it.
func canonical(value any) string {
	switch v := value.(type) {
	case []byte:
		return "text " + string(v)
	case string:
		return "text " + v
	case time.Time:
		return "time " + Instant(v).Format(time.RFC3339Nano)
	}
	return fmt.Sprint(value)
}
