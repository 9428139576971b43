package fetch

import (
	"context"
	"sync"
	"time"
)

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
