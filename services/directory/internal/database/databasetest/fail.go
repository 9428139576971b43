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

// FailEach runs each call again and again, each time with the next of its statements
// failing, until none is left, and fails the test for a call that then returns another
// error, or none. db is not in use yet; the calls use it.
func FailEach(t testing.TB, db *database.DB, calls ...Call) {
	t.Helper()
	var mu sync.Mutex
	var left int // statements up to the one that fails
	var failed string
	arm := func(n int) (last string) {
		mu.Lock()
		defer mu.Unlock()
		last, left, failed = failed, n, ""
		return last
	}
	err := db.Trace(func(ctx context.Context, name string) (context.Context, func(error)) {
		mu.Lock()
		defer mu.Unlock()
		if left--; left == 0 {
			failed = name
			return failing{ctx}, func(error) {}
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
			arm(n)
			err := call.Run()
			statement := arm(0)
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
