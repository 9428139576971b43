package scan

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"gorm.io/gorm"

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

// failed counts and logs a failure of a step, and pauses what it concerns. The step is not
// done if it has to be repeated after the pause, or if the provider was not called. paused
// reports whether a pause began.
func (r *run) failed(ctx context.Context, c connection.Connection, t Task, step string, err error) (done, paused bool) {
	if errors.Is(err, provider.ErrNoTurn) { // the provider was not called
		return false, false
	}
	timedOut := errors.Is(context.Cause(ctx), errTimeLimit)
	deadline, limited := ctx.Deadline()
	stoodStill := limited && provider.StoodStill(deadline)
	if ctx.Err() != nil && !timedOut {
		return false, false
	}
	ctx = context.WithoutCancel(ctx)
	r.fail(ctx, c.CompanyID, step+" "+c.Pair.String(), err)
	throttled, temporary := fault.Is(err, provider.CodeThrottled), fault.Is(err, provider.CodeTemporary) || timedOut
	if temporary && (stoodStill || errors.Is(err, provider.ErrStoodStill)) { // the provider may have answered
		return false, false
	}
	if !temporary {
		r.streak.end(c.Pair.Provider)
	}
	outage := temporary && r.streak.add(c.Pair.Provider)
	if !throttled && !outage {
		return true, false
	}
	if err := r.begin(ctx, c.CompanyID, pauseFor(c, t, err)); err != nil {
		r.fail(ctx, c.CompanyID, "pause "+c.Pair.String(), err)
	}
	return !throttled, true
}

// key names what a whole pause is of: a provider, or one of its pairs.
func (p pause) key() string {
	if p.service == "" {
		return string(p.provider)
	}
	return provider.Pair{Provider: p.provider, Service: p.service}.String()
}

// begin stores a pause, and logs it unless another call that was under way has begun it.
func (s *Service) begin(ctx context.Context, companyID int64, p pause) error {
	running := false
	err := s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		if err := s.DB.Queue(tx, "pause "+string(p.provider)); err != nil {
			return err
		}
		total, until, err := s.lastPause(tx, p)
		if err != nil {
			return err
		}
		running = until.After(s.Now())
		p = p.after(total, until, s.Now())
		return s.storePause(tx, p)
	})
	if err != nil || running {
		return err
	}
	s.Log.WarnContext(ctx, "pause begins", "provider", p.key(), "whole", p.whole, "company", companyID, "task",
		p.task.String(), "until", p.until)
	return nil
}

// succeeded notes that a provider answered a task on p. The first success after a pause of
// the provider or of its service ends it: the next one is short again. ended are those that
// were over when the task began.
func (s *Service) succeeded(ctx context.Context, p provider.Pair, ended []string) {
	s.streak.end(p.Provider)
	for _, key := range ended {
		removed, err := s.removePause(ctx, key)
		if err != nil {
			s.Log.WarnContext(ctx, "end of a pause not stored", "provider", key, "error", err)
			continue
		}
		if removed {
			s.Log.InfoContext(ctx, "pause ends", "provider", key)
		}
	}
}

// streak counts temporary failures in a row of each provider, in this process.
type streak struct {
	mu     sync.Mutex
	failed map[provider.Name]int
}

// add counts a failure, and reports whether the streak has reached its limit.
func (s *streak) add(p provider.Name) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed[p] = (s.failed[p] + 1) % streakLimit
	return s.failed[p] == 0
}

// end notes that the provider responded.
func (s *streak) end(p provider.Name) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed[p] = 0
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
