package throttle

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// outageSlots are this process's share of the rate while the shared slots are
// unavailable. Each process begins at a random moment, at least an interval after it
// noticed the outage, so that the replicas send neither all at once nor right after
// the last request before the outage.
type outageSlots struct {
	shared   slots
	replicas time.Duration // how many there may be
	interval time.Duration // between the requests of all of them
	open     time.Duration // as in memorySlots

	mu    sync.Mutex
	extra time.Duration // by which the interval is longer now
	own   *memorySlots
}

func newOutageSlots(shared slots, o Options) *outageSlots {
	return &outageSlots{shared: shared, replicas: time.Duration(max(o.Replicas, 1)), interval: o.Interval, open: openFor(o.MaxWait)}
}

func (s *outageSlots) ask(_ context.Context, t *ticket) (turn, error) {
	own, interval := s.ownSlots()
	return own.askFrom(t, t.alone.Add(interval))
}

// ownSlots are this process's, and the interval between the requests of all. They are
// new if the old ones are idle, as when a new outage begins.
func (s *outageSlots) ownSlots() (own *memorySlots, interval time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	interval = s.interval + s.extra
	if s.own == nil || s.own.isIdle() {
		delay := interval + rand.N(interval*(s.replicas-1)+1) // #nosec G404 -- spreads load, guards nothing
		s.own = newMemorySlots(interval*s.replicas, s.open, delay)
		s.own.first = s.interval * s.replicas
	}
	return s.own, interval
}

func (s *outageSlots) widen(extra time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.extra = extra
	if s.own != nil {
		s.own.widen(extra * s.replicas)
	}
}

func (s *outageSlots) current() *memorySlots {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.own
}

func (s *outageSlots) leave(ctx context.Context, t *ticket) error {
	if own := s.current(); own != nil {
		return own.leave(ctx, t)
	}
	return nil
}

// raise concerns only the look-ups of this process.
func (s *outageSlots) raise(ctx context.Context, t *ticket, keys ...string) (waiting int, err error) {
	if own := s.current(); own != nil {
		return own.raise(ctx, t, keys...)
	}
	return 0, nil
}

// queue contains only the look-ups of this process.
func (s *outageSlots) queue(ctx context.Context) ([]waiter, error) {
	if own := s.current(); own != nil {
		return own.queue(ctx)
	}
	return nil, nil
}

func (s *outageSlots) sent(ctx context.Context) error {
	_ = s.shared.sent(ctx) // it is most likely still unavailable
	return s.current().sent(ctx)
}
