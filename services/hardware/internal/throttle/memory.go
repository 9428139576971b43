package throttle

import (
	"context"
	"maps"
	"sync"
	"time"

	"backend.example/services/hardware/internal/hardware"
)

// memorySlots keeps one process's requests an interval apart.
type memorySlots struct {
	mu       sync.Mutex
	interval time.Duration
	next     time.Time            // first slot that is free
	last     time.Time            // when the last request left
	given    int64                // tickets given out so far
	top      int64                // highest ticket that was let go
	turns    map[string]time.Time // when the turn of a look-up comes, by its name
}

// newMemorySlots returns slots the first of which is free after delay.
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
	m.given++
	m.expect(ctx, slot)
	return m.given, wait, nil
}

func (m *memorySlots) start(ctx context.Context, ticket int64) (time.Duration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if gap := m.last.Add(m.interval).Sub(now); gap > 0 {
		m.expect(ctx, now.Add(gap))
		return gap, nil
	}
	if ticket <= m.given { // else it is from other slots
		m.top = max(m.top, ticket)
	}
	m.mark(now)
	return 0, nil
}

func (m *memorySlots) sent(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mark(time.Now())
	return nil
}

func (m *memorySlots) place(_ context.Context, lookup string) (hardware.Place, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return placeAfter(time.Until(m.turns[lookup]), m.interval), nil
}

// expect notes when the turn of ctx's look-up comes, and forgets those that have
// come.
func (m *memorySlots) expect(ctx context.Context, turn time.Time) {
	now := time.Now()
	maps.DeleteFunc(m.turns, func(_ string, turn time.Time) bool { return !turn.After(now) })
	if lookup := hardware.LookupOf(ctx); lookup != "" {
		m.turns[lookup] = turn
	}
}

// hold gives out no slot before d has passed.
func (m *memorySlots) hold(d time.Duration) {
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

// mark notes a request. Whoever holds a later ticket comes before the next free
// slot, however late this one left.
func (m *memorySlots) mark(now time.Time) {
	m.last = now
	m.next = later(m.next, now.Add(m.interval*time.Duration(1+m.given-m.top)))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
