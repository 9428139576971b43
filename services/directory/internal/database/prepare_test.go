package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	sqlitedriver "modernc.org/sqlite"
)

// statements counts those of a driver.
type statements struct{ prepared, open int }

// countedConn is a connection whose statements are counted.
type countedConn struct {
	sqliteConn
	counts *statements
}

func (c countedConn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	s, err := c.sqliteConn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	c.counts.prepared++
	c.counts.open++
	return countedStatement{s.(statement), c.counts}, nil
}

type countedStatement struct {
	statement
	counts *statements
}

func (s countedStatement) Close() error {
	s.counts.open--
	return s.statement.Close()
}

// counting is a connector of connections that count.
type counting struct {
	driver.Connector
	counts *statements
}

func (c counting) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	return countedConn{conn.(sqliteConn), c.counts}, err
}

// openPreparing returns a pool of one connection with a table, and counts its statements.
func openPreparing(t *testing.T) (*sql.DB, *statements) {
	t.Helper()
	connector, err := sqlitedriver.NewConnector("file:" + filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	counts := &statements{}
	db := sql.OpenDB(preparing{counting{connector, counts}})
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE numbers (n INTEGER UNIQUE)"); err != nil {
		t.Fatal(err)
	}
	return db, counts
}

// TestStatementsArePreparedOnce checks that a statement is prepared once, and works after an
// error, after a change of the schema, and while its rows are read; and that what is not
// needed any more is closed.
func TestStatementsArePreparedOnce(t *testing.T) {
	db, counts := openPreparing(t)
	insert := func(n int) error {
		_, err := db.ExecContext(t.Context(), "INSERT INTO numbers VALUES (?)", n)
		return err
	}
	for n := range 10 {
		if err := insert(n); err != nil {
			t.Fatal(err)
		}
	}
	if counts.prepared != 1 {
		t.Errorf("%d preparations, want 1", counts.prepared)
	}
	if err := insert(3); err == nil {
		t.Error("a number was inserted twice")
	}
	if err := insert(10); err != nil {
		t.Errorf("after an error: %v", err)
	}
	if err := db.QueryRowContext(t.Context(), "SELECT abs(?)", math.MinInt64).Err(); err == nil {
		t.Error("a number has no absolute value, and was read")
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	above := func(n int, each func(int)) {
		rows, err := tx.QueryContext(t.Context(), "SELECT * FROM numbers WHERE n > ? ORDER BY n", n)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			if err := rows.Scan(&n); err != nil {
				t.Fatal(err)
			}
			each(n)
		}
		if rows.Err() != nil {
			t.Fatal(rows.Err())
		}
	}
	outer, inner := 0, 0
	above(5, func(int) {
		outer++
		above(8, func(int) { inner++ })
	})
	if outer != 5 || inner != 10 {
		t.Errorf("%d rows, and %d while they were read; want 5 and 10", outer, inner)
	}
	if _, err := tx.ExecContext(t.Context(), "ALTER TABLE numbers RENAME TO old; CREATE TABLE numbers (n INTEGER); "+
		"INSERT INTO numbers VALUES (99)"); err != nil {
		t.Fatal(err)
	}
	above(0, func(n int) {
		if n != 99 {
			t.Errorf("read %d of the old table", n)
		}
	})
	if counts.open != 2 {
		t.Errorf("%d statements are open, want the two that work", counts.open)
	}
}

// TestFewStatementsAreKept checks that texts which all differ take no more and more memory.
func TestFewStatementsAreKept(t *testing.T) {
	db, counts := openPreparing(t)
	for n := range maxStatements + 10 {
		if _, err := db.ExecContext(t.Context(), fmt.Sprintf("INSERT INTO numbers VALUES (? + %d)", n), 0); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = conn.Raw(func(c any) error {
		if n := len(c.(*preparingConn).free); n != 10 {
			t.Errorf("%d statements are kept, want the last 10", n)
		}
		return nil
	})
	if err != nil || conn.Close() != nil {
		t.Error(err)
	}
	if counts.open != 10 {
		t.Errorf("%d statements are open", counts.open)
	}
}
