// Package budget paces the requests to the APIs of providers, over all replicas, and lets
// those that people wait for go before those of scans.
package budget

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

const (
	// batchLength is how much of the time of all replicas one statement takes at most, and
	// for how long a replica may use the turns in it.
	batchLength = time.Second
	// personLimit is the longest wait of a person's request for its turn.
	personLimit = 5 * time.Second
	// longWait is the wait from which on the log reports it, once in logInterval.
	longWait    = 10 * time.Second
	logInterval = time.Minute
)

// Options configure a Budget.
type Options struct {
	Provider  provider.Name
	API       string // of the provider
	PerMinute int    // requests in any minute, at least Fewest
	// Take takes a length of time that all replicas share, or returns how long to wait
	// for it, see database.DB.TakeTurns.
	Take   func(ctx context.Context, name string, length, room time.Duration) (wait time.Duration, err error)
	Log    *slog.Logger
	OnTurn func(by string) // is called for each turn, with "people" or "scans"; may be nil
	OnBusy func()          // is called for each request of a person that is refused; may be nil
}

// Fewest is the smallest PerMinute.
const Fewest = 10

// Budgets are those of a provider, by API.
type Budgets map[string]*Budget

// Person is Budget.Person at an API.
func (b Budgets) Person(ctx context.Context, api string) error { return b[api].Person(ctx) }

// Scan is Budget.Scan at an API.
func (b Budgets) Scan(ctx context.Context, api string) error { return b[api].Scan(ctx) }

// Budget hands out turns for requests. It is safe for concurrent use.
type Budget struct {
	Options
	batch    int           // the most turns that one statement takes
	interval time.Duration // between two turns
	people   *line
	scans    *line
	logged   atomic.Int64 // Unix seconds of the last log line
}

// line are the requests of one kind in this process, one behind the other.
type line struct {
	by    string
	room  time.Duration // how far its turns may reach into the future
	limit time.Duration // of a wait; 0: none
	head  chan struct{} // holds an element while a request is the first
	size  atomic.Int32  // number of requests, with the first
	left  int           // turns that were taken and are free
	until time.Time     // when they expire
}

// New returns a Budget. A twentieth of the budget may be used at once. Scans leave the
// half of that to people, so that they wait while people use it up. The rest is spread
// evenly, so that no minute, with the second for which a turn is valid, has more turns
// than PerMinute.
func New(o Options) *Budget {
	burst := max(2, o.PerMinute/20)
	interval := (time.Minute + batchLength) / time.Duration(o.PerMinute-burst)
	interval = interval.Truncate(time.Millisecond) + time.Millisecond
	newLine := func(by string, turns int, limit time.Duration) *line {
		return &line{by: by, room: time.Duration(turns) * interval, limit: limit, head: make(chan struct{}, 1)}
	}
	return &Budget{
		Options: o, batch: max(1, int(time.Duration(o.PerMinute)*batchLength/time.Minute)), interval: interval,
		people: newLine("people", burst, personLimit), scans: newLine("scans", burst-burst/2, 0),
	}
}

// Person waits for the turn of a request that a person waits for. If that would take too
// long, the fault is provider_throttled with the time to wait.
func (b *Budget) Person(ctx context.Context) error {
	err := b.turn(ctx, b.people)
	if b.OnBusy != nil && fault.Is(err, provider.CodeThrottled) {
		b.OnBusy()
	}
	return err
}

// Scan waits for the turn of a request of a scan until ctx ends. The error is ErrNoTurn.
func (b *Budget) Scan(ctx context.Context) error { return b.turn(ctx, b.scans) }

func (b *Budget) turn(ctx context.Context, l *line) error {
	begin := time.Now()
	l.size.Add(1)
	defer l.size.Add(-1)
	var limit <-chan time.Time
	if l.limit > 0 {
		timer := time.NewTimer(l.limit)
		defer timer.Stop()
		limit = timer.C
	}
	select {
	case l.head <- struct{}{}:
		defer func() { <-l.head }()
	case <-limit:
		return provider.Busy(l.limit)
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", provider.ErrNoTurn, ctx.Err())
	}
	for l.left == 0 || !time.Now().Before(l.until) {
		turns := min(b.batch, int(l.size.Load())) // what others could use must not expire here
		wait, err := b.Take(ctx, "budget "+string(b.Provider)+"/"+b.API, time.Duration(turns)*b.interval, l.room)
		switch {
		case err != nil:
			return err
		case wait == 0:
			l.left, l.until = turns, time.Now().Add(batchLength)
			continue
		case l.limit > 0 && time.Since(begin)+wait > l.limit:
			return provider.Busy(wait)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", provider.ErrNoTurn, ctx.Err())
		}
	}
	l.left--
	b.count(ctx, l, time.Since(begin))
	return nil
}

// count counts a turn, and logs a long wait for it.
func (b *Budget) count(ctx context.Context, l *line, waited time.Duration) {
	if b.OnTurn != nil {
		b.OnTurn(l.by)
	}
	now, last := time.Now().Unix(), b.logged.Load()
	if waited >= longWait && now-last >= int64(logInterval/time.Second) && b.logged.CompareAndSwap(last, now) {
		b.Log.WarnContext(ctx, "requests wait long for the budget of an API", "provider", b.Provider, "api", b.API, "by", l.by, "waited", waited.String(), "per_minute", b.PerMinute)
	}
}
