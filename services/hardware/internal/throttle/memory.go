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
	open     time.Duration    // how long networks may join a round
	next     time.Time        // when the next slot is free
	waiting  []place          // in order
	arrived  int64            // tickets so far
	round    int64            // of the last look-up that began
	opened   time.Time        // when the first one of that round began
	served   map[string]int64 // by network, the round of its last look-up that began
}

// place is the place of a ticket in the queue. It is its client's, or that of another caller
// of the same look-up who would be further in front.
type place struct {
	*ticket
	client, network string
	round, arrival  int64
}

// isByNetwork reports whether the place is in a round of its network.
func (p place) isByNetwork() bool { return p.round > begunRound && p.round < idleRound }

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
	if m.index(t) < 0 {
		if err := m.join(t, t, now); err != nil {
			return turn{}, err
		}
		t.admitted = true
	}
	i, free := m.index(t), max(m.next.Sub(now), earliest.Sub(now), 0)
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

// join puts t into the queue at the place of caller, unless it is too long for that.
func (m *memorySlots) join(t, caller *ticket, now time.Time) error {
	before, mine, limit, most := slices.Clone(m.waiting), 0, caller.limit, maxWaiting
	m.arrived++
	p := place{ticket: t, client: caller.client, network: caller.network, round: caller.round, arrival: m.arrived}
	if caller.round == byNetwork {
		p.round = m.nextRound(p.network, now)
		if mine = m.joinRound(p); mine == 0 && p.round > m.round {
			limit /= 2
		}
	} else {
		m.waiting = append(m.waiting, p)
	}
	if mine > 0 {
		most /= 2
	}
	slices.SortFunc(m.waiting, place.compare)
	if wait := m.waits(now)[m.index(t)]; !caller.admitted && (mine >= caller.most || wait > limit || len(m.waiting) > most) {
		m.waiting = before
		return queueFull{wait}
	}
	return nil
}

func (m *memorySlots) raise(_ context.Context, t *ticket, keys ...string) (waiting int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, key := range keys {
		i := slices.IndexFunc(m.waiting, func(p place) bool { return p.key == key })
		if i < 0 {
			continue
		}
		waiting++
		before, old := slices.Clone(m.waiting), m.waiting[i]
		if old.client == t.client && t.round == byNetwork || m.join(old.ticket, t, time.Now()) != nil {
			continue
		}
		if raised := slices.IndexFunc(m.waiting, func(p place) bool { return p.arrival == m.arrived }); m.waiting[raised].round >= old.round {
			m.waiting = before
			continue
		}
		m.waiting = slices.DeleteFunc(m.waiting, func(p place) bool { return p.arrival == old.arrival })
	}
	return waiting, nil
}

// nextRound is the round after the last one of a network, unless that is over.
func (m *memorySlots) nextRound(network string, now time.Time) int64 {
	if len(m.waiting) == 0 {
		m.round, m.opened = m.round+1, now
	}
	round := max(m.round, m.served[network]+1)
	if now.Sub(m.opened) >= m.open {
		round = max(round, m.round+1)
	}
	for _, p := range m.waiting {
		if p.isByNetwork() && p.network == network {
			round = max(round, p.round+1)
		}
	}
	return round
}

// joinRound adds p, and gives the rounds of its network to the clients of the network
// round-robin. It returns how many tickets of p's client were waiting.
func (m *memorySlots) joinRound(p place) (mine int) {
	isPeer := func(other place) bool { return other.isByNetwork() && other.network == p.network }
	m.waiting = append(m.waiting, p)
	var peers []place
	var rounds []int64
	for _, other := range m.waiting {
		if isPeer(other) {
			peers, rounds = append(peers, other), append(rounds, other.round)
		}
	}
	m.waiting = slices.DeleteFunc(m.waiting, isPeer)
	slices.SortFunc(peers, func(a, b place) int { return cmp.Compare(a.arrival, b.arrival) })
	before := map[string]int{} // tickets of each client
	index := map[*ticket]int{} // among the tickets of its client
	for _, peer := range peers {
		index[peer.ticket] = before[peer.client]
		before[peer.client]++
	}
	slices.SortStableFunc(peers, func(a, b place) int { return cmp.Compare(index[a.ticket], index[b.ticket]) })
	for i, peer := range peers {
		peer.round = rounds[i]
		m.waiting = append(m.waiting, peer)
	}
	return index[p.ticket]
}

// take gives the turn to the first in the queue.
func (m *memorySlots) take(now time.Time) {
	first := m.waiting[0]
	m.waiting = slices.Delete(m.waiting, 0, 1)
	m.next = now.Add(m.interval)
	if !first.isByNetwork() {
		return
	}
	if first.round > m.round {
		m.round, m.opened = first.round, now
	}
	m.served[first.network] = first.round
	maps.DeleteFunc(m.served, func(_ string, round int64) bool { return round < m.round })
}

// waits are the estimated times until the turns of the waiting look-ups.
func (m *memorySlots) waits(now time.Time) []time.Duration {
	waits, wait := make([]time.Duration, len(m.waiting)), max(m.next.Sub(now), 0)
	for i, p := range m.waiting {
		waits[i] = wait
		wait += m.interval
		if p.round != begunRound {
			wait += (turnsPerLookup - 1) * m.interval
		}
	}
	return waits
}

func (m *memorySlots) leave(_ context.Context, t *ticket) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting = slices.DeleteFunc(m.waiting, func(p place) bool { return p.ticket == t })
	return nil
}

func (m *memorySlots) sent(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next = time.Now().Add(m.interval)
	return nil
}

func (m *memorySlots) queue(context.Context) ([]waiter, error) {
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
	m.next = m.next.Add(m.first + extra - m.interval)
	m.interval = m.first + extra
}

// isIdle reports whether the queue is empty and the next slot is free.
func (m *memorySlots) isIdle() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.waiting) == 0 && time.Now().After(m.next)
}
