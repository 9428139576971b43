package scan

import (
	"cmp"
	"context"
	"errors"
	"slices"
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
	service      provider.Service // of one API; empty unless whole
	whole        bool             // the fields up to accountID are empty then
	task         Task
	connectionID int64         // the refused one
	personID     string        // at the provider; empty if only that connection is paused
	accountID    string        // of the page; empty if everything that the person connected is paused
	length       time.Duration // that the provider says; 0 if it does not
	total        time.Duration // of this pause and those before it, without a success since
	until        time.Time
}

// after sets when p ends: after what the provider says, otherwise after as long as the
// pauses before it took together, so that no pause is longer than its cause has lasted. One
// that is still running goes on, because several calls are under way at once.
func (p pause) after(total time.Duration, until, now time.Time) pause {
	running := until.After(now)
	if p.total, p.until = total, until; running && p.length == 0 {
		return p
	}
	length := min(max(cmp.Or(p.length, total), shortestPause), longestPause)
	p.until = now.Add(length)
	if !running {
		p.total += length
	}
	return p
}

const (
	// shortestPause is the first one if the provider does not say.
	shortestPause = time.Minute
	// longestPause bounds what a provider says.
	longestPause = 24 * time.Hour
	// streakLimit is how many temporary failures in a row pause a provider.
	streakLimit = 5
)

// pauseFor returns what a refusal of c pauses. A limit of the app concerns the provider,
// one of an API the service that reads it, one of a page's token that page, one of a
// user's token that user.
func pauseFor(c connection.Connection, task Task, err error) pause {
	p := pause{provider: c.Pair.Provider, length: fault.From(err).RetryAfter}
	if !fault.Is(err, provider.CodeThrottled) || provider.IsAppLimit(err) {
		p.whole = true
		return p
	}
	if provider.IsAPILimit(err) {
		p.whole, p.service = true, c.Pair.Service
		return p
	}
	p.task = task
	p.connectionID = c.ID
	p.personID = c.ProviderUserID
	if task == Sync && c.Chosen == connection.ChosenPage {
		p.accountID = c.AccountID
	}
	return p
}

// finish counts and logs a failure of a step, and pauses the provider if needed. The step
// is not done if it was paused: its connection keeps its place in the order.
func (r *run) finish(ctx context.Context, c connection.Connection, task Task, step string, err error) (done bool) {
	if errors.Is(err, provider.ErrNoTurn) { // the provider was not called
		return false
	}
	timedOut := errors.Is(context.Cause(ctx), errTimeLimit)
	deadline, limited := ctx.Deadline()
	stoodStill := limited && provider.StoodStill(deadline)
	if err == nil || ctx.Err() != nil && !timedOut {
		return err == nil
	}
	ctx = context.WithoutCancel(ctx)
	r.fail(ctx, c.CompanyID, step+" "+c.Pair.String(), err)
	throttled, temporary := fault.Is(err, provider.CodeThrottled), fault.Is(err, provider.CodeTemporary) || timedOut
	if temporary && (stoodStill || errors.Is(err, provider.ErrStoodStill)) { // the provider may have answered
		return false
	}
	if !temporary {
		r.pauses.succeeded(c.Pair.Provider)
	}
	if !throttled && !(temporary && r.pauses.failed(c.Pair.Provider)) {
		return true
	}
	if err := r.begin(ctx, c.CompanyID, pauseFor(c, task, err)); err != nil {
		r.fail(ctx, c.CompanyID, "pause "+c.Pair.String(), err)
	}
	return !throttled
}

// key names what a whole pause is of: a provider, or one of its pairs.
func (p pause) key() string {
	if p.service == "" {
		return string(p.provider)
	}
	return provider.Pair{Provider: p.provider, Service: p.service}.String()
}

// begin stores a pause, and logs it unless another call that was under way has begun it.
func (r *run) begin(ctx context.Context, companyID int64, p pause) error {
	now := r.Now()
	total, until, err := r.queue.lastPause(ctx, p)
	p = p.after(total, until, now)
	begins := !p.whole || r.pauses.add(p, now)
	if err != nil {
		return err
	}
	if begins {
		r.Log.WarnContext(ctx, "pause begins", "provider", p.key(), "whole", p.whole, "company", companyID, "task",
			p.task.String(), "until", p.until)
	}
	return r.queue.pause(ctx, p)
}

// succeeded notes that a provider answered a task on p. The first success after a pause
// ends it: the next one is short again. What was under way when a pause began does not end
// it.
func (r *run) succeeded(ctx context.Context, p provider.Pair, t Task) {
	r.pauses.succeeded(p.Provider)
	for _, key := range keysOf(p, t) {
		if !r.pauses.mayEnd(key, r.Now()) {
			continue
		}
		ended, err := r.queue.resume(ctx, key, r.Now())
		switch {
		case err != nil:
			r.Log.WarnContext(ctx, "end of a pause not stored", "provider", key, "error", err)
		case ended:
			r.Log.InfoContext(ctx, "pause ends", "provider", key)
		}
	}
}

// keysOf are the keys of the pauses that concern a task on p. Renewals use no API of a
// service.
func keysOf(p provider.Pair, t Task) []string {
	if t == Renewal {
		return []string{string(p.Provider)}
	}
	return []string{string(p.Provider), p.String()}
}

// pauses are the paused providers and services of a run, by their key. The database has them, too, but is read only
// for the next few connections.
type pauses struct {
	mu     sync.Mutex
	until  map[string]time.Time
	streak map[provider.Name]int // temporary failures in a row
	ended  map[string]bool
}

func newPauses() pauses {
	return pauses{until: map[string]time.Time{}, streak: map[provider.Name]int{}, ended: map[string]bool{}}
}

// add pauses the provider or service of p, and reports whether it was not paused yet.
func (s *pauses) add(p pause, now time.Time) (begins bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	begins = !now.Before(s.until[p.key()])
	s.until[p.key()], s.ended[p.key()] = p.until, false
	return begins
}

// mayEnd reports once whether a pause with that key, also one of an earlier run, may be over.
func (s *pauses) mayEnd(key string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended[key] || now.Before(s.until[key]) {
		return false
	}
	s.ended[key] = true
	return true
}

func (s *pauses) isPaused(p provider.Pair, t Task, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(keysOf(p, t), func(key string) bool { return now.Before(s.until[key]) })
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

// Pause is what scans leave out until a time: everything at a provider, a service of it, all
// renewals, or one task on one connection.
type Pause struct {
	Provider  provider.Name
	Service   provider.Service // empty if it is not one service
	CompanyID int64            // 0 if it is no single connection
	Task      string           // empty if it is every task
	Until     time.Time
}
