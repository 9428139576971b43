package directory

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// ScanStop makes scans leave alone what a provider's refusal is about, until a time:
// the provider as a whole; or for one task everything of one person there, or one
// account of that person.
type ScanStop struct {
	Provider     Provider
	Whole        bool // the rest is empty then
	Task         ScanTask
	ConnectionID int64  // that was refused
	UserID       string // at the provider; empty: that connection alone
	AccountID    string // of the page; empty: all that the person connected
	Until        time.Time
}

const (
	// stopLength is how long a stop lasts when the provider does not say.
	stopLength = time.Hour
	// stopShortest keeps a scan from asking every second.
	stopShortest = time.Minute
	// stopStreak is how many temporary failures in a row stop a provider.
	stopStreak = 5
)

// stopFor is what a refusal of c stops. A limit of the app is about the provider, one
// of a page's token about that page, one of a user's token about that user.
func stopFor(c Connection, task ScanTask, err error, now time.Time) ScanStop {
	wait := cmp.Or(fault.From(err).RetryAfter, stopLength)
	stop := ScanStop{Provider: c.Pair.Provider, Until: now.Add(max(wait, stopShortest))}
	if !fault.Is(err, CodeThrottled) || provider.IsAppLimit(err) {
		stop.Whole = true
		return stop
	}
	stop.Task, stop.ConnectionID, stop.UserID = task, c.ID, c.ProviderUserID
	if task == ScanSync && c.Chosen == ChosenPage {
		stop.AccountID = c.AccountID
	}
	return stop
}

// note counts, logs and draws the consequences of how a step ended. The step is not
// done when it was stopped: its connection keeps its place in the order.
func (r *scanRun) note(ctx context.Context, c Connection, task ScanTask, step string, err error) (done bool) {
	tooLong := errors.Is(context.Cause(ctx), errScanLimit)
	if err == nil || ctx.Err() != nil && !tooLong {
		return err == nil
	}
	ctx = context.WithoutCancel(ctx)
	r.fail(ctx, c.CompanyID, step+" "+c.Pair.String(), err)
	throttled, temporary := fault.Is(err, CodeThrottled), fault.Is(err, CodeTemporary) || tooLong
	if !temporary {
		r.stops.answered(c.Pair.Provider)
	}
	if !throttled && !(temporary && r.stops.failed(c.Pair.Provider)) {
		return true
	}
	stop := stopFor(c, task, err, r.OAuth.now())
	if stop.Whole {
		r.stops.add(stop)
	}
	if err := r.Store.StopScan(ctx, stop); err != nil {
		r.fail(ctx, c.CompanyID, "stop "+c.Pair.String(), err)
	}
	return !throttled
}

// stops are what a run knows of providers that it has to leave alone. The database
// knows it, too, but is asked only for the next few connections.
type stops struct {
	mu     sync.Mutex
	until  map[Provider]time.Time
	streak map[Provider]int // temporary failures in a row
}

func newStops() stops { return stops{until: map[Provider]time.Time{}, streak: map[Provider]int{}} }

func (s *stops) add(stop ScanStop) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until[stop.Provider] = stop.Until
}

// hold reports whether the provider is to be left alone.
func (s *stops) hold(p Provider, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Before(s.until[p])
}

// failed counts a temporary failure, and reports whether it is one too many in a row.
func (s *stops) failed(p Provider) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streak[p] = (s.streak[p] + 1) % stopStreak
	return s.streak[p] == 0
}

func (s *stops) answered(p Provider) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streak[p] = 0
}
