package budget_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/directory/internal/budget"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/pace"
)

// newBudget returns a Budget of one request in a second, and the turns that it has given.
func newBudget(log *strings.Builder) (*budget.Budget, *[]string) {
	var turns []string
	var mu sync.Mutex
	onTurn := func(by string) {
		mu.Lock()
		defer mu.Unlock()
		turns = append(turns, by)
	}
	return budget.New(budget.Options{
		Provider: provider.Search, API: "business", PerMinute: 61, Clock: &pace.Memory{},
		Log: slog.New(slog.NewTextHandler(log, nil)), OnTurn: onTurn,
	}), &turns
}

func TestPeopleGoBeforeScans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		b, turns := newBudget(&log)
		ended := make(chan error)
		for range 20 {
			go func() { ended <- b.Scan(t.Context()) }()
		}
		synctest.Wait()
		begin := time.Now()
		if err := b.Person(t.Context()); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begin); waited > 3*time.Second {
			t.Errorf("a person waited %v behind scans", waited)
		}
		for range 20 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		if i := slices.Index(*turns, "people"); i != 0 {
			t.Errorf("turns %v", *turns)
		}
		if !strings.Contains(log.String(), "requests wait long for the budget") {
			t.Error("the log has nothing about scans that wait long")
		}
	})
}

func TestPersonIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		b, _ := newBudget(&log)
		var refusals atomic.Int64
		b.OnBusy = func() { refusals.Add(1) }
		ended := make(chan error)
		for range 20 {
			go func() { ended <- b.Person(t.Context()) }()
		}
		for range 20 {
			err := <-ended
			if err != nil && (!fault.Is(err, provider.CodeThrottled) || fault.From(err).RetryAfter <= 0) {
				t.Errorf("refused with %v", err)
			}
		}
		time.Sleep(2 * time.Second) // of the bubble: the queue ends after its last slot
		if refused := refusals.Load(); refused < 10 || refused > 16 {
			t.Errorf("%d of 20 requests were refused, want those beyond five seconds", refused)
		}
	})
}

func TestScanEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		b, _ := newBudget(&log)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := b.Scan(ctx); !errors.Is(err, provider.ErrNoTurn) {
			t.Errorf("got %v", err)
		}
		if err := b.Person(t.Context()); err != nil { // the slot is the next request's
			t.Error(err)
		}
	})
}
