package databasetest

import (
	"context"
	"errors"
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

// FailEach runs each call again and again, each time with the next of its statements on db failing, until none is left.
// It fails the test for a call that then returns another error, or none. db is not in use yet.
func FailEach(t testing.TB, db *database.DB, calls ...Call) {
	t.Helper()
	var f faults
	err := db.Trace(func(ctx context.Context, name string) (context.Context, func(error)) {
		if err := f.next(name); err != nil {
			ctx = failing{ctx}
		}
		return ctx, func(error) {}
	})
	if err != nil {
		t.Fatal(err)
	}
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

// faults make one statement at a time fail.
type faults struct {
	mu     sync.Mutex
	left   int // statements up to the one that fails
	failed string
}

// arm lets the n-th statement from now on fail, and returns the one that has failed before.
func (f *faults) arm(n int) (last string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	last = f.failed
	f.left = n
	f.failed = ""
	return last
}

func (f *faults) next(statement string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left--; f.left == 0 {
		f.failed = statement
		return ErrFails
	}
	return nil
}
