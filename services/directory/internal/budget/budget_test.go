package budget_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/directory/internal/budget"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/pace"
	"backend.example/services/internal/kit/testkit"
)

// newBudget returns a Budget of about one request in a second.
func newBudget(log *strings.Builder) (*budget.Budget, prometheus.Gatherer) {
	registry := prometheus.NewRegistry()
	return budget.New(budget.Options{
		Provider: provider.Search, API: "business", PerMinute: 61, Clock: &pace.Memory{},
		Log: slog.New(slog.NewTextHandler(log, nil)), Metrics: metrics.New(registry),
	}), registry
}

func TestPeopleGoBeforeScans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		b, registry := newBudget(&log)
		ended := make(chan error)
		for range 20 {
			go func() { ended <- b.Turn(pace.Idle)(t.Context()) }()
		}
		synctest.Wait()
		begin := time.Now()
		if err := b.Turn(pace.Person)(t.Context()); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begin); waited > 3*time.Second {
			t.Errorf("a person waited %v behind scans", waited)
		}
		const scans = "directory_provider_requests_total business scans provider_search"
		if n := testkit.Series(t, registry)[scans]; n != 0 {
			t.Errorf("%v scans were given a turn before the person", n)
		}
		for range 20 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		if !strings.Contains(log.String(), "requests wait long for the budget") {
			t.Error("the log has nothing about scans that wait long")
		}
	})
}

func TestPersonIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		b, registry := newBudget(&log)
		ended := make(chan error)
		for range 20 {
			go func() { ended <- b.Turn(pace.Person)(t.Context()) }()
		}
		for range 20 {
			err := <-ended
			if err == nil {
				continue
			}
			if !fault.Is(err, provider.CodeThrottled) {
				t.Errorf("refused with %v, want %s", err, provider.CodeThrottled)
			}
			if wait := fault.From(err).RetryAfter; wait <= 0 {
				t.Errorf("refused with a wait of %s, want when to try again", wait)
			}
		}
		time.Sleep(2 * time.Second) // of the bubble: the queue ends after its last slot
		refused := testkit.Series(t, registry)["directory_provider_requests_refused_total business provider_search"]
		if refused < 10 || refused > 16 {
			t.Errorf("%v of 20 requests were refused, want those beyond five seconds", refused)
		}
	})
}

func TestScanEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		b, _ := newBudget(&log)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := b.Turn(pace.Idle)(ctx); !errors.Is(err, provider.ErrNoTurn) {
			t.Errorf("err = %v, want %v", err, provider.ErrNoTurn)
		}
		if err := b.Turn(pace.Person)(t.Context()); err != nil { // the slot is the next request's
			t.Errorf("the next request does not get the turn: %v", err)
		}
	})
}
