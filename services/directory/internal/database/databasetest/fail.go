package databasetest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"backend.example/services/directory/internal/database"
)

// Call is an operation of FailEach.
type Call struct {
	Name   string
	Before func() // runs before each Run; may be nil
	Run    func() error
}

// ErrorOf is the error of a call that returns a value, too.
func ErrorOf[T any](_ T, err error) error { return err }

// ErrFails is the error of a statement that FailEach makes fail.
var ErrFails = errors.New("databasetest: the statement fails")

// failing is the context of such a statement, which is never sent: it is canceled.
type failing struct{ context.Context }

// Err implements context.Context.
func (failing) Err() error { return ErrFails }

// FailEach runs each call again and again, each time with the next of its statements on db failing, until none is left.
// It fails the test for a call that then returns another error, or none. db is not in use yet.
func FailEach(t testing.TB, db *database.DB, calls ...Call) {
	t.Helper()
	var mu sync.Mutex
	left := 0    // the statement that fails is the one after which this is 0
	failed := "" // its name, once it has been begun
	err := db.Trace(func(ctx context.Context, name string) (context.Context, func(error)) {
		mu.Lock()
		defer mu.Unlock()
		if left--; left == 0 {
			canceled, cancel := context.WithCancel(ctx)
			cancel()
			ctx, failed = failing{canceled}, name
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
			mu.Lock()
			left, failed = n, ""
			mu.Unlock()
			err := call.Run()
			mu.Lock()
			left = 0
			statement := failed
			mu.Unlock()
			if statement == "" {
				if err != nil || n == 1 {
					t.Errorf("%s: error %v after %d statements, want none after some", call.Name, err, n-1)
				}
				break
			}
			if !errors.Is(err, ErrFails) {
				t.Errorf("%s: error %v, want that of statement %d, %q, which fails", call.Name, err, n, statement)
			}
		}
	}
}
