package throttle

import (
	"context"
	"maps"
	"sync"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

// memorySlots keeps one process's requests an interval apart.
type memorySlots struct {
	mu       sync.Mutex
	interval time.Duration
	next     time.Time            // first slot that is free
	last     time.Time            // when the last request left
	issued   int64                // tickets so far
	started  int64                // highest ticket whose request was started
	turns    map[string]time.Time // when the turn of a look-up comes, by its name
}

// newMemorySlots returns slots of which the first one is free after delay.
func newMemorySlots(interval, delay time.Duration) *memorySlots {
	return &memorySlots{interval: interval, next: time.Now().Add(delay), turns: map[string]time.Time{}}
}

func (m *memorySlots) reserve(ctx context.Context, limit time.Duration) (ticket int64, wait time.Duration, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	slot := later(now, m.next)
	wait = slot.Sub(now)
	if wait > limit {
		return 0, 0, queueFull{wait}
	}
	m.next = slot.Add(m.interval)
	m.issued++
	m.noteTurn(ctx, slot)
	return m.issued, wait, nil
}

func (m *memorySlots) start(ctx context.Context, ticket int64) (time.Duration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if gap := m.last.Add(m.interval).Sub(now); gap > 0 {
		m.noteTurn(ctx, now.Add(gap))
		return gap, nil
	}
	if ticket <= m.issued { // a higher one is from other slots
		m.started = max(m.started, ticket)
	}
	m.noteSent(now)
	return 0, nil
}

func (m *memorySlots) sent(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.noteSent(time.Now())
	return nil
}

func (m *memorySlots) place(_ context.Context, key string) (lookup.Place, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return placeAfter(time.Until(m.turns[key]), m.interval), nil
}

// noteTurn keeps when the turn of ctx's look-up comes, and forgets turns of the past.
func (m *memorySlots) noteTurn(ctx context.Context, turn time.Time) {
	now := time.Now()
	maps.DeleteFunc(m.turns, func(_ string, turn time.Time) bool { return !turn.After(now) })
	if key := lookup.KeyOf(ctx); key != "" {
		m.turns[key] = turn
	}
}

// delay gives out no slot before d has passed.
func (m *memorySlots) delay(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next = later(m.next, time.Now().Add(d))
}

// idle reports whether every slot given out has passed by an interval.
func (m *memorySlots) idle() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Now().After(m.next)
}

// noteSent keeps when a request was sent. Even when it was late, the holders of later
// tickets come before the next free slot.
func (m *memorySlots) noteSent(now time.Time) {
	m.last = now
	m.next = later(m.next, now.Add(m.interval*time.Duration(1+m.issued-m.started)))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
