package throttle

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// memorySlots are the slots of one process.
type memorySlots struct {
	first    time.Duration // the interval at first
	mu       sync.Mutex
	interval time.Duration
	open     time.Duration    // how long those who had no turn in a round may join it
	next     time.Time        // when the next slot is free
	waiting  []place          // in order
	arrived  int64            // tickets so far
	round    int64            // of the last look-up that began
	opened   time.Time        // when the first one of that round began
	served   map[string]int64 // the round of the last look-up that a client began
	pace     pace
}

// place is a ticket's place in line.
type place struct {
	*ticket
	round, arrival int64
}

func (p place) compare(other place) int {
	return cmp.Or(cmp.Compare(p.round, other.round), cmp.Compare(p.arrival, other.arrival))
}

// newMemorySlots returns slots of which the first one is free after delay.
func newMemorySlots(interval, open, delay time.Duration) *memorySlots {
	now := time.Now()
	return &memorySlots{first: interval, interval: interval, open: open, next: now.Add(delay), opened: now, served: map[string]int64{}}
}

func (m *memorySlots) ask(_ context.Context, t *ticket) (turn, error) {
	return m.askFrom(t, time.Time{})
}

// askFrom is ask for a ticket whose turn must not come before a moment.
func (m *memorySlots) askFrom(t *ticket, earliest time.Time) (turn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	i := m.index(t)
	if i < 0 {
		var full bool
		if i, full = m.join(t, now); full {
			wait := m.waits(now)[i]
			m.waiting = slices.Delete(m.waiting, i, i+1)
			return turn{}, queueFull{wait}
		}
		t.admitted = true
	}
	free := max(m.next.Sub(now), earliest.Sub(now), 0)
	if i > 0 || free > 0 {
		again := cmp.Or(free, m.interval)
		return turn{again: again, wait: max(m.waits(now)[i], again)}, nil
	}
	m.take(now)
	return turn{taken: true}, nil
}

func (m *memorySlots) index(t *ticket) int {
	return slices.IndexFunc(m.waiting, func(p place) bool { return p.ticket == t })
}

// join gives t a place in line. It is full when t is not to keep it.
func (m *memorySlots) join(t *ticket, now time.Time) (i int, full bool) {
	m.arrived++
	p, mine, limit := place{t, t.round, m.arrived}, 0, t.limit
	if t.round == byClient {
		p.round, mine = m.roundOf(t.client, now)
	}
	if p.round > m.round { // those who come back will go before it
		limit /= 2
	}
	i, _ = slices.BinarySearchFunc(m.waiting, p, place.compare)
	m.waiting = slices.Insert(m.waiting, i, p)
	return i, !t.admitted && (mine >= t.most || m.waits(now)[i] > limit || len(m.waiting) > maxWaiting)
}

// roundOf is the round after the client's last one, unless it is over, and how many
// tickets of the client wait.
func (m *memorySlots) roundOf(client string, now time.Time) (round int64, mine int) {
	if len(m.waiting) == 0 {
		m.round, m.opened = m.round+1, now
	}
	round = max(m.round, 1, m.served[client]+1)
	if now.Sub(m.opened) >= m.open {
		round = max(round, m.round+1)
	}
	for _, p := range m.waiting {
		if p.ticket.round == byClient && p.client == client {
			round, mine = max(round, p.round+1), mine+1
		}
	}
	return round, mine
}

// take gives the turn to the first in line.
func (m *memorySlots) take(now time.Time) {
	first := m.waiting[0]
	m.waiting = slices.Delete(m.waiting, 0, 1)
	m.next = now.Add(m.interval)
	if first.round < idleRound {
		m.pace.note(first.round > begunRound)
	}
	if first.ticket.round != byClient {
		return
	}
	if first.round > m.round {
		m.round, m.opened = first.round, now
	}
	m.served[first.client] = first.round
	maps.DeleteFunc(m.served, func(_ string, round int64) bool { return round < m.round })
}

// waits are the times until the turns of those in line.
func (m *memorySlots) waits(now time.Time) []time.Duration {
	waits, wait := make([]time.Duration, len(m.waiting)), max(m.next.Sub(now), 0)
	for i, p := range m.waiting {
		waits[i] = wait
		if p.round == begunRound {
			wait += m.interval
		} else {
			wait += time.Duration(float64(m.interval) * m.pace.turns())
		}
	}
	return waits
}

func (m *memorySlots) leave(_ context.Context, t *ticket) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := m.index(t); i >= 0 {
		m.waiting = slices.Delete(m.waiting, i, i+1)
	}
	return nil
}

func (m *memorySlots) sent(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next = time.Now().Add(m.interval)
	return nil
}

func (m *memorySlots) line(context.Context) ([]waiter, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	waiters := make([]waiter, len(m.waiting))
	for i, wait := range m.waits(time.Now()) {
		waiters[i] = waiter{hashed(m.waiting[i].key), wait}
	}
	return waiters, nil
}

func (m *memorySlots) widen(extra time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next = m.next.Add(max(m.first+extra-m.interval, 0))
	m.interval = m.first + extra
}

// idle reports whether nobody waits and the next slot is free.
func (m *memorySlots) idle() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.waiting) == 0 && time.Now().After(m.next)
}
