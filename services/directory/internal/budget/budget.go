// Package budget paces the requests to the APIs of providers, over all replicas, people before
// scans.
package budget

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/pace"
)

const (
	personLimit = 5 * time.Second  // the longest wait of a person's request
	longWait    = 10 * time.Second // a wait that is logged
	logInterval = time.Minute      // between two lines about long waits
)

// Options configure a Budget.
type Options struct {
	Provider  provider.Name
	API       string // of the provider
	PerMinute int    // requests in any minute, at least Fewest
	Clock     pace.Clock
	Log       *slog.Logger
	Metrics   *metrics.Metrics
}

// Fewest is the smallest PerMinute.
const Fewest = 10

// Budgets are those of a provider, by API.
type Budgets map[string]*Budget

// Budget hands out turns for requests. It is safe for concurrent use.
type Budget struct {
	Options
	queue  *pace.Queue
	logged atomic.Int64 // Unix seconds of the last log line
}

// New returns a Budget.
func New(o Options) *Budget {
	o.Metrics.Budget(o.Provider, o.API, o.PerMinute)
	key := string(o.Provider) + "/" + o.API
	return &Budget{Options: o, queue: pace.NewQueue(o.Clock, key, pace.PerMinute(o.PerMinute))}
}

// Turn returns the function with which a request waits. If a person's would take too long, its fault
// is provider_throttled with the time to wait; one of scans, pace.Idle, goes after people and waits
// until ctx ends, with ErrNoTurn. It is nil if b is: then nothing waits.
func (b *Budget) Turn(class pace.Class) func(ctx context.Context) error {
	if b == nil {
		return nil
	}
	return func(ctx context.Context) error {
		if class == pace.Idle {
			return b.turn(ctx, class, pace.NoLimit, "scans")
		}
		return b.turn(ctx, class, personLimit, "people")
	}
}

func (b *Budget) turn(ctx context.Context, class pace.Class, longest time.Duration, by string) error {
	begin := time.Now()
	_, err := b.queue.Wait(ctx, pace.Ticket{Class: class}, longest)
	var full pace.Full
	if errors.As(err, &full) {
		b.Metrics.Refused(b.Provider, b.API)
		return provider.Busy(full.Wait)
	}
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", provider.ErrNoTurn, err)
	}
	if err != nil {
		return err
	}
	b.Metrics.Turn(b.Provider, b.API, by)
	if waited := time.Since(begin); waited >= longWait {
		b.logLongWait(ctx, by, waited)
	}
	return nil
}

func (b *Budget) logLongWait(ctx context.Context, by string, waited time.Duration) {
	now, last := time.Now().Unix(), b.logged.Load()
	if now-last < int64(logInterval/time.Second) || !b.logged.CompareAndSwap(last, now) {
		return
	}
	b.Log.WarnContext(ctx, "requests wait long for the budget of an API",
		"provider", b.Provider, "api", b.API, "by", by, "waited_seconds", waited.Seconds(), "per_minute", b.PerMinute)
}
