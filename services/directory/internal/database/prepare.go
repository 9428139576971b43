package database

import (
	"context"
	"database/sql/driver"
)

// maxStatements bounds the statements that a connection keeps. When texts that differ in the
// length of a list have filled it, it begins again.
const maxStatements = 256

// preparing makes connections to SQLite that prepare each statement once. SQLite takes as
// long to parse and plan most statements as to run them.
type preparing struct{ driver.Connector }

// Connect implements driver.Connector.
func (p preparing) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := p.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &preparingConn{sqliteConn: conn.(sqliteConn), free: map[string]statement{}}, nil
}

// sqliteConn is what the driver's connections implement.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// statement is a prepared one.
type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// preparingConn is a connection with its prepared statements. Like any of a pool, it serves
// one caller at a time.
type preparingConn struct {
	sqliteConn
	free map[string]statement // not in use, by text
}

// take returns the statement of a text that is not in use.
func (c *preparingConn) take(ctx context.Context, text string) (statement, error) {
	if s, ok := c.free[text]; ok {
		delete(c.free, text)
		return s, nil
	}
	s, err := c.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	return s.(statement), nil
}

// put makes a statement free for its next use.
func (c *preparingConn) put(text string, s statement) error {
	if _, twice := c.free[text]; twice {
		return s.Close()
	}
	if len(c.free) == maxStatements {
		c.closeFree()
	}
	c.free[text] = s
	return nil
}

func (c *preparingConn) closeFree() {
	for _, s := range c.free {
		_ = s.Close() // repeats the error of its last use
	}
	clear(c.free)
}

// ExecContext implements driver.ExecerContext. What has no arguments is rare, or a PRAGMA,
// of which some work only when they are prepared (https://www.sqlite.org/pragma.html).
func (c *preparingConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) == 0 {
		return c.sqliteConn.ExecContext(ctx, text, args)
	}
	s, err := c.take(ctx, text)
	if err != nil {
		return nil, err
	}
	result, err := s.ExecContext(ctx, args)
	if err != nil {
		_ = s.Close() // repeats err
		return nil, err
	}
	return result, c.put(text, s)
}

// QueryContext implements driver.QueryerContext.
func (c *preparingConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	if len(args) == 0 {
		return c.sqliteConn.QueryContext(ctx, text, args)
	}
	s, err := c.take(ctx, text)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		_ = s.Close() // repeats err
		return nil, err
	}
	return &preparedRows{rows.(sqliteRows), c, text, s}, nil
}

// Close implements driver.Conn.
func (c *preparingConn) Close() error {
	c.closeFree()
	return c.sqliteConn.Close()
}

// sqliteRows is what the driver's rows implement.
type sqliteRows interface {
	driver.Rows
	driver.RowsColumnTypeDatabaseTypeName
	driver.RowsColumnTypeLength
	driver.RowsColumnTypeNullable
	driver.RowsColumnTypePrecisionScale
	driver.RowsColumnTypeScanType
}

// preparedRows are rows of a statement that is free after them.
type preparedRows struct {
	sqliteRows
	conn      *preparingConn
	text      string
	statement statement
}

// Close implements driver.Rows.
func (r *preparedRows) Close() error {
	if err := r.sqliteRows.Close(); err != nil {
		_ = r.statement.Close() // repeats err
		return err
	}
	return r.conn.put(r.text, r.statement)
}
