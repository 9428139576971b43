package throttle

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

// outageSlots are this process's share of the rate while the shared slots are
// unavailable. Each process begins at a random moment, at least an interval after it
// noticed the outage, so that the replicas send neither all at once nor right after
// the last request before the outage.
type outageSlots struct {
	shared      slots
	interval    time.Duration // between the requests of all replicas
	ownInterval time.Duration // between the requests of this one

	mu  sync.Mutex
	own *memorySlots
}

func newOutageSlots(shared slots, o Options) *outageSlots {
	return &outageSlots{shared: shared, interval: o.Interval, ownInterval: o.Interval * time.Duration(max(o.Replicas, 1))}
}

func (s *outageSlots) reserve(ctx context.Context, limit time.Duration) (ticket int64, wait time.Duration, err error) {
	own := s.ownSlots()
	own.delay(s.interval)
	return own.reserve(ctx, limit)
}

// ownSlots begin anew when the last slot given out has passed, as they do when a new
// outage begins.
func (s *outageSlots) ownSlots() *memorySlots {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own == nil || s.own.idle() {
		s.own = newMemorySlots(s.ownInterval, s.interval+rand.N(s.ownInterval-s.interval+1)) // #nosec G404 -- spreads load, guards nothing
	}
	return s.own
}

func (s *outageSlots) current() *memorySlots {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.own
}

// start asks the shared slots first: once they are available again, only they know
// what the other replicas have sent.
func (s *outageSlots) start(ctx context.Context, ticket int64) (time.Duration, error) {
	rest, unavailable := s.shared.start(ctx, 0)
	if unavailable == nil && rest > 0 {
		return rest, nil
	}
	own, err := s.current().start(ctx, ticket)
	if unavailable == nil {
		return 0, nil
	}
	return own, err
}

// place knows only the look-ups of this process.
func (s *outageSlots) place(ctx context.Context, key string) (lookup.Place, error) {
	if own := s.current(); own != nil {
		return own.place(ctx, key)
	}
	return lookup.Place{}, nil
}

func (s *outageSlots) sent(ctx context.Context) error {
	_ = s.shared.sent(ctx) // it is most likely still unavailable
	return s.current().sent(ctx)
}
