package fetch

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"backend.example/services/hardware/internal/metrics"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/pace"
)

// Request is a look-up under way: for whom it is made, and the slot that it may use.
type Request struct {
	ID     string // in the queue and in the count of failures
	Client string
	Class  pace.Class
	Asked  time.Time // since when its caller waits; zero for now

	until  time.Time
	waited time.Duration // for slots, for the log
}

// Gate is the way to one source: its pauses, and the queue for its slots.
type Gate struct {
	Source   string      // its name in metrics and logs
	Queue    *pace.Queue // nil if its requests need no slots
	Store    SourceStore
	MaxWait  time.Duration // of a person, for the first slot
	Failures int           // so many look-ups that fail in a row pause the source
	Refusal  time.Duration // pause after a refusal without Retry-After
	Metrics  *metrics.Metrics
	Log      *slog.Logger

	paused atomic.Bool // as last logged
}

const (
	failurePause  = 30 * time.Second
	failureMemory = 5 * time.Minute
)

// Enter waits until r may send its first request. The error is source_paused, throttle_queue_full, or that of ctx.
func (g *Gate) Enter(ctx context.Context, r *Request) error {
	if err := g.check(ctx); err != nil {
		return err
	}
	longest := pace.NoLimit
	if r.Class == pace.Person {
		longest = g.MaxWait
		if !r.Asked.IsZero() {
			longest = max(0, longest-time.Since(r.Asked))
		}
	}
	return g.wait(ctx, r, r.Class, longest)
}

func (g *Gate) turn(ctx context.Context, r *Request) error {
	held := time.Now().Before(r.until)
	r.until = time.Time{}
	if held {
		return nil
	}
	err := g.wait(ctx, r, pace.Begun, pace.NoLimit)
	r.until = time.Time{}
	return err
}

// Leave hands the slot of r to the next look-up.
func (g *Gate) Leave(r *Request) {
	if g.Queue != nil && !r.until.IsZero() {
		g.Queue.Pass(r.until)
	}
	r.until = time.Time{}
}

func (g *Gate) wait(ctx context.Context, r *Request, class pace.Class, longest time.Duration) error {
	if g.Queue == nil {
		return g.check(ctx)
	}
	begin := time.Now()
	until, err := g.Queue.Wait(ctx, pace.Ticket{ID: r.ID, Class: class, Client: r.Client}, longest)
	var full pace.Full
	if errors.As(err, &full) {
		return QueueFull.Wrap(err).After(max(full.Wait, time.Second))
	}
	if err != nil {
		return err
	}
	waited := time.Since(begin)
	r.waited += waited
	g.Metrics.Turn(class.String(), waited)
	r.until = until
	return g.check(ctx)
}

// check returns source_paused during a pause, and to all look-ups that wait.
func (g *Gate) check(ctx context.Context) error {
	pause := g.Store.Pause(ctx, g.Source)
	g.note(ctx, pause)
	rest := time.Until(pause.Until)
	if rest <= 0 {
		return nil
	}
	err := Paused.Fault().After(rest)
	if g.Queue != nil {
		g.Queue.Drop(err)
	}
	return err
}

// report notes a failure. It returns err, with the length of the pause that follows.
func (g *Gate) report(ctx context.Context, r *Request, err error) error {
	ctx = context.WithoutCancel(ctx)
	switch {
	case fault.Is(err, Blocked):
		f := fault.From(err)
		rest := min(f.RetryAfter, MaxPause)
		if rest <= 0 {
			rest = g.Refusal
		}
		g.pause(ctx, rest, Blocked.Name)
		return f.After(rest)
	case IsFailing(err) && g.Store.AddFailure(ctx, g.Source, r.ID, failureMemory) >= g.Failures:
		g.pause(ctx, failurePause, fault.From(err).Code)
	}
	return err
}

func (g *Gate) pause(ctx context.Context, rest time.Duration, code string) {
	pause := Pause{Until: time.Now().Add(rest), Code: code}
	g.Store.SetPause(ctx, g.Source, pause)
	g.note(ctx, pause)
}

func (g *Gate) note(ctx context.Context, pause Pause) {
	rest := time.Until(pause.Until)
	paused := rest > 0
	if g.paused.Swap(paused) == paused {
		return
	}
	g.Metrics.Paused(g.Source, paused)
	if paused {
		g.Log.WarnContext(ctx, "source paused", "source", g.Source, "cause", pause.Code, "seconds", rest.Seconds())
	} else {
		g.Log.InfoContext(ctx, "source no longer paused", "source", g.Source)
	}
}

// Pause is until when a source is left alone, and the code of the fault that caused it.
type Pause struct {
	Until time.Time
	Code  string
}

// Robots is a robots.txt that was read.
type Robots struct {
	Rules string        // its lines with rules
	Rest  time.Duration // for how long it may be used; zero if none is known
}

// SourceStore keeps what all replicas have to know of the sources.
type SourceStore interface {
	// Pause returns the pause of a source, which may have ended.
	Pause(ctx context.Context, source string) Pause
	// SetPause replaces the pause of a source unless that is longer.
	SetPause(ctx context.Context, source string, p Pause)
	// AddFailure counts the failed look-ups in a row, each once, for as long as memory.
	AddFailure(ctx context.Context, source, id string, memory time.Duration) int
	// ClearFailures resets the count.
	ClearFailures(ctx context.Context, source string)
	// ClaimRobots returns the robots.txt of a host. If none is known, mine is true for one caller at a time, which
	// has to read it and call SettleRobots.
	ClaimRobots(ctx context.Context, host string) (r Robots, mine bool)
	// SettleRobots ends the claim. It keeps r unless its Rest is zero.
	SettleRobots(ctx context.Context, host string, r Robots)
}

// MemoryStore is the SourceStore of one process, whose Client keeps robots.txt itself.
type MemoryStore struct {
	mu       sync.Mutex
	pauses   map[string]Pause
	failures map[string]map[string]time.Time // by source and look-up
}

// Pause implements SourceStore.
func (m *MemoryStore) Pause(_ context.Context, source string) Pause {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.pauses[source]
}

// SetPause implements SourceStore.
func (m *MemoryStore) SetPause(_ context.Context, source string, p Pause) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pauses == nil {
		m.pauses = map[string]Pause{}
	}
	if p.Until.After(m.pauses[source].Until) {
		m.pauses[source] = p
	}
}

// AddFailure implements SourceStore.
func (m *MemoryStore) AddFailure(_ context.Context, source, id string, memory time.Duration) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failures == nil {
		m.failures = map[string]map[string]time.Time{}
	}
	now := time.Now()
	recent := map[string]time.Time{id: now}
	for other, at := range m.failures[source] {
		if other != id && now.Sub(at) < memory {
			recent[other] = at
		}
	}
	m.failures[source] = recent
	return len(recent)
}

// ClearFailures implements SourceStore.
func (m *MemoryStore) ClearFailures(_ context.Context, source string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.failures, source)
}

// ClaimRobots implements SourceStore.
func (m *MemoryStore) ClaimRobots(context.Context, string) (Robots, bool) { return Robots{}, true }

// SettleRobots implements SourceStore.
func (m *MemoryStore) SettleRobots(context.Context, string, Robots) {}
