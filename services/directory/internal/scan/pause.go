package scan

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// pause keeps scans until a time from calling a provider about what it refused: about
// anything, or for one task about one person or one account of that person.
type pause struct {
	provider     provider.Name
	whole        bool // the fields up to accountID are empty then
	task         Task
	connectionID int64  // the refused one
	personID     string // at the provider; empty if only that connection is paused
	accountID    string // of the page; empty if everything that the person connected is paused
	until        time.Time
}

const (
	// pauseLength is how long a pause lasts if the provider does not say.
	pauseLength = time.Hour
	// shortestPause keeps a scan from calling every second.
	shortestPause = time.Minute
	// streakLimit is how many temporary failures in a row pause a provider.
	streakLimit = 5
)

// pauseFor returns what a refusal of c pauses. A limit of the app concerns the provider,
// one of a page's token that page, one of a user's token that user.
func pauseFor(c connection.Connection, task Task, err error, now time.Time) pause {
	wait := cmp.Or(fault.From(err).RetryAfter, pauseLength)
	p := pause{provider: c.Pair.Provider, until: now.Add(max(wait, shortestPause))}
	if !fault.Is(err, provider.CodeThrottled) || provider.IsAppLimit(err) {
		p.whole = true
		return p
	}
	p.task, p.connectionID, p.personID = task, c.ID, c.ProviderUserID
	if task == Sync && c.Chosen == connection.ChosenPage {
		p.accountID = c.AccountID
	}
	return p
}

// finish counts and logs a failure of a step, and pauses the provider if needed. The step
// is not done if it was paused: its connection keeps its place in the order.
func (r *run) finish(ctx context.Context, c connection.Connection, task Task, step string, err error) (done bool) {
	timedOut := errors.Is(context.Cause(ctx), errTimeLimit)
	if err == nil || ctx.Err() != nil && !timedOut {
		return err == nil
	}
	ctx = context.WithoutCancel(ctx)
	r.fail(ctx, c.CompanyID, step+" "+c.Pair.String(), err)
	throttled, temporary := fault.Is(err, provider.CodeThrottled), fault.Is(err, provider.CodeTemporary) || timedOut
	if !temporary {
		r.pauses.succeeded(c.Pair.Provider)
	}
	if !throttled && !(temporary && r.pauses.failed(c.Pair.Provider)) {
		return true
	}
	p := pauseFor(c, task, err, r.Now())
	if p.whole {
		r.pauses.add(p)
	}
	if err := r.queue.pause(ctx, p); err != nil {
		r.fail(ctx, c.CompanyID, "stop "+c.Pair.String(), err)
	}
	return !throttled
}

// pauses are the paused providers of a run. The database has them, too, but is read only
// for the next few connections.
type pauses struct {
	mu     sync.Mutex
	until  map[provider.Name]time.Time
	streak map[provider.Name]int // temporary failures in a row
}

func newPauses() pauses {
	return pauses{until: map[provider.Name]time.Time{}, streak: map[provider.Name]int{}}
}

func (s *pauses) add(p pause) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until[p.provider] = p.until
}

func (s *pauses) isPaused(p provider.Name, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Before(s.until[p])
}

// failed counts a temporary failure, and reports whether the streak has reached its limit.
func (s *pauses) failed(p provider.Name) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streak[p] = (s.streak[p] + 1) % streakLimit
	return s.streak[p] == 0
}

// succeeded ends the streak: the provider responded.
func (s *pauses) succeeded(p provider.Name) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streak[p] = 0
}
