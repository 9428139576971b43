package databasetest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"sync"
	"testing"

	"backend.example/services/directory/internal/database"
)

// ErrFails is the error of a statement that FailEach makes fail.
var ErrFails = errors.New("databasetest: the statement fails")

// failing is the context of such a statement, which is never sent.
type failing struct{ context.Context }

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Done implements context.Context.
func (failing) Done() <-chan struct{} { return closed }

// Err implements context.Context.
func (failing) Err() error { return ErrFails }

// FailEach is Faults.Each for calls that use db, which is not in use yet.
func FailEach(t testing.TB, db *database.DB, calls ...Call) {
	t.Helper()
	var f Faults
	f.Trace(t, db)
	f.Each(t, calls...)
}

// Faults make one statement at a time fail.
type Faults struct {
	mu     sync.Mutex
	left   int // statements up to the one that fails
	failed string
}

// Trace makes the statements of db fail. db is not in use yet.
func (f *Faults) Trace(t testing.TB, db *database.DB) {
	t.Helper()
	err := db.Trace(func(ctx context.Context, name string) (context.Context, func(error)) {
		if err := f.next(name); err != nil {
			ctx = failing{ctx}
		}
		return ctx, func(error) {}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Pool returns another pool of d, of which the statements, the beginnings of transactions
// and the closing fail.
func (f *Faults) Pool(t testing.TB, d Database) *sql.DB {
	t.Helper()
	pool := sql.OpenDB(failingPool{d.Raw(t).Driver(), strings.TrimPrefix(d.URL, "sqlite:"), f})
	t.Cleanup(func() { _ = pool.Close() })
	return pool
}

// Each runs each call again and again, each time with the next of its statements failing,
// until none is left, and fails the test for a call that then returns another error, or none.
func (f *Faults) Each(t testing.TB, calls ...Call) {
	t.Helper()
	for _, call := range calls {
		for n := 1; ; n++ {
			if call.Before != nil {
				call.Before()
			}
			f.arm(n)
			err := call.Run()
			statement := f.arm(0)
			if statement == "" {
				if err != nil || n == 1 {
					t.Errorf("%s: %v after %d statements", call.Name, err, n-1)
				}
				break
			}
			if !errors.Is(err, ErrFails) {
				t.Errorf("%s: %v, though %q fails, the statement %d", call.Name, err, statement, n)
			}
		}
	}
}

// arm lets the n-th statement from now on fail, and returns the one that has failed before.
func (f *Faults) arm(n int) (last string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	last = f.failed
	f.left = n
	f.failed = ""
	return last
}

func (f *Faults) next(statement string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left--; f.left == 0 {
		f.failed = statement
		return ErrFails
	}
	return nil
}

// failingPool connects to a database.
type failingPool struct {
	driver driver.Driver
	source string
	faults *Faults
}

// Driver implements driver.Connector.
func (p failingPool) Driver() driver.Driver { return p.driver }

// Connect implements driver.Connector.
func (p failingPool) Connect(context.Context) (driver.Conn, error) {
	conn, err := p.driver.Open(p.source)
	if err != nil {
		return nil, err
	}
	return failingConn{conn.(sqlConn), p.faults}, nil
}

// Close implements io.Closer.
func (p failingPool) Close() error { return p.faults.next("close") }

// sqlConn is what the connections of both drivers implement.
type sqlConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
}

type failingConn struct {
	sqlConn
	faults *Faults
}

// BeginTx implements driver.ConnBeginTx.
func (c failingConn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	if err := c.faults.next("begin"); err != nil {
		return nil, err
	}
	return c.sqlConn.BeginTx(ctx, options)
}

// ExecContext implements driver.ExecerContext.
func (c failingConn) ExecContext(ctx context.Context, statement string, values []driver.NamedValue) (driver.Result,
	error) {
	if err := c.faults.next(statement); err != nil {
		return nil, err
	}
	return c.sqlConn.ExecContext(ctx, statement, values)
}

// QueryContext implements driver.QueryerContext.
func (c failingConn) QueryContext(ctx context.Context, statement string, values []driver.NamedValue) (driver.Rows,
	error) {
	if err := c.faults.next(statement); err != nil {
		return nil, err
	}
	return c.sqlConn.QueryContext(ctx, statement, values)
}
