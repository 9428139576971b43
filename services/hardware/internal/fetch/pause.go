package fetch

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"backend.example/services/hardware/internal/metrics"
)

// failureMemory is how long a failure counts.
const failureMemory = 5 * time.Minute

// Pause says until when a source is left alone, and the code of the fault that caused it.
type Pause struct {
	Until time.Time
	Code  string
}

// Robots is a robots.txt that was read.
type Robots struct {
	Rules string        // its lines with rules
	Rest  time.Duration // for how long it may be used; zero if none is known
}

// SourceStore keeps what all replicas have to know of the sources: pauses, failures and
// robots.txt. An error means that it is unavailable.
type SourceStore interface {
	// Pause returns the pause of a source, which may have ended.
	Pause(ctx context.Context, source string) (Pause, error)
	// SetPause replaces the pause of a source unless that one is longer.
	SetPause(ctx context.Context, source string, p Pause) error
	// AddFailure counts the failed look-ups of a source in a row, each once. They are
	// forgotten after memory.
	AddFailure(ctx context.Context, source, id string, memory time.Duration) (int, error)
	// ClearFailures begins to count from zero.
	ClearFailures(ctx context.Context, source string) error
	// ClaimRobots returns the robots.txt of a host. If none is known, mine is true for one
	// caller at a time, which has to read it and call SettleRobots.
	ClaimRobots(ctx context.Context, host string) (r Robots, mine bool, err error)
	// SettleRobots ends the claim. It keeps r unless its Rest is zero.
	SettleRobots(ctx context.Context, host string, r Robots) error
}

// Pauses are those of all sources, for all replicas. What this process has noted itself
// counts while the shared store is unavailable.
type Pauses struct {
	shared  SourceStore
	own     *MemoryStore
	metrics *metrics.Metrics
	log     *slog.Logger

	mu     sync.Mutex
	paused map[string]bool
}

// NewPauses returns Pauses. shared is nil if this process is the only one.
func NewPauses(shared SourceStore, m *metrics.Metrics, log *slog.Logger) *Pauses {
	p := &Pauses{shared: shared, own: &MemoryStore{}, metrics: m, log: log, paused: map[string]bool{}}
	if shared == nil {
		p.shared = p.own
	}
	return p
}

// Rest returns what is left of the pause of a source, zero if there is none.
func (p *Pauses) Rest(ctx context.Context, source string) time.Duration {
	pause, err := p.shared.Pause(ctx, source)
	if err != nil {
		pause, _ = p.own.Pause(ctx, source) // never fails
	}
	rest := max(0, time.Until(pause.Until))
	p.note(ctx, source, rest, pause.Code)
	return rest
}

// Begin pauses a source.
func (p *Pauses) Begin(ctx context.Context, source string, d time.Duration, code string) {
	pause := Pause{Until: time.Now().Add(d), Code: code}
	_ = p.own.SetPause(ctx, source, pause) // never fails
	if err := p.shared.SetPause(ctx, source, pause); err != nil {
		p.log.WarnContext(ctx, "pause not shared", "source", source, "error", err)
	}
	p.note(ctx, source, d, code)
}

// Fail counts a failed look-up, and returns how many have failed in a row.
func (p *Pauses) Fail(ctx context.Context, source, id string) int {
	own, _ := p.own.AddFailure(ctx, source, id, failureMemory) // never fails
	n, err := p.shared.AddFailure(ctx, source, id, failureMemory)
	if err != nil {
		return own
	}
	return n
}

// Succeed forgets the failures of a source.
func (p *Pauses) Succeed(ctx context.Context, source string) {
	_ = p.own.ClearFailures(ctx, source) // never fails
	if err := p.shared.ClearFailures(ctx, source); err != nil {
		p.log.DebugContext(ctx, "failures not cleared", "source", source, "error", err)
	}
}

// claimRobots is SourceStore.ClaimRobots. Without the store each replica reads the file itself.
func (p *Pauses) claimRobots(ctx context.Context, host string) (Robots, bool) {
	r, mine, err := p.shared.ClaimRobots(ctx, host)
	if err != nil {
		return Robots{}, true
	}
	return r, mine
}

func (p *Pauses) settleRobots(ctx context.Context, host string, r Robots) {
	if err := p.shared.SettleRobots(context.WithoutCancel(ctx), host, r); err != nil {
		p.log.WarnContext(ctx, "robots.txt not shared", "host", host, "error", err)
	}
}

// note logs the beginning and the end of a pause as this process sees them.
func (p *Pauses) note(ctx context.Context, source string, rest time.Duration, code string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	paused := rest > 0
	if paused == p.paused[source] {
		return
	}
	p.paused[source] = paused
	p.metrics.Paused(source, paused)
	if paused {
		p.log.WarnContext(ctx, "source paused", "source", source, "cause", code, "seconds", rest.Seconds())
	} else {
		p.log.InfoContext(ctx, "source no longer paused", "source", source)
	}
}

// MemoryStore is the SourceStore of one process, whose Client keeps robots.txt itself. Its zero
// value is ready for use.
type MemoryStore struct {
	mu       sync.Mutex
	pauses   map[string]Pause
	failures map[string]map[string]time.Time // by source and look-up
}

// Pause implements SourceStore.
func (m *MemoryStore) Pause(_ context.Context, source string) (Pause, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.pauses[source], nil
}

// SetPause implements SourceStore.
func (m *MemoryStore) SetPause(_ context.Context, source string, p Pause) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pauses == nil {
		m.pauses = map[string]Pause{}
	}
	if p.Until.After(m.pauses[source].Until) {
		m.pauses[source] = p
	}
	return nil
}

// AddFailure implements SourceStore.
func (m *MemoryStore) AddFailure(_ context.Context, source, id string, memory time.Duration) (int, error) {
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
	return len(recent), nil
}

// ClearFailures implements SourceStore.
func (m *MemoryStore) ClearFailures(_ context.Context, source string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.failures, source)
	return nil
}

// ClaimRobots implements SourceStore.
func (m *MemoryStore) ClaimRobots(context.Context, string) (Robots, bool, error) {
	return Robots{}, true, nil
}

// SettleRobots implements SourceStore.
func (m *MemoryStore) SettleRobots(context.Context, string, Robots) error { return nil }
