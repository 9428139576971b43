package throttle

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"backend.example/services/hardware/internal/hardware"
)

// outageSlots is this process's share of the rate while the shared slots are
// away. A process joins an outage at a random moment, at least an interval
// after it noticed, so that the replicas neither send together nor close to the
// last request before the outage.
type outageSlots struct {
	shared   slots
	interval time.Duration // between the requests of all replicas
	share    time.Duration // between the requests of this one

	mu  sync.Mutex
	own *memorySlots
}

func newOutageSlots(shared slots, o Options) *outageSlots {
	return &outageSlots{shared: shared, interval: o.Interval, share: o.Interval * time.Duration(max(o.Replicas, 1))}
}

func (s *outageSlots) reserve(ctx context.Context, limit time.Duration) (ticket int64, wait time.Duration, err error) {
	own := s.join()
	own.hold(s.interval)
	return own.reserve(ctx, limit)
}

// join begins anew when the last slot given out has passed: the process was idle,
// and may as well take another moment.
func (s *outageSlots) join() *memorySlots {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own == nil || s.own.idle() {
		s.own = newMemorySlots(s.share, s.interval+rand.N(s.share-s.interval+1)) // #nosec G404 -- spreads load, guards nothing
	}
	return s.own
}

func (s *outageSlots) current() *memorySlots {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.own
}

// start asks the shared slots first: when they are back they alone know what the
// other replicas have sent.
func (s *outageSlots) start(ctx context.Context, ticket int64) (time.Duration, error) {
	rest, away := s.shared.start(ctx, 0)
	if away == nil && rest > 0 {
		return rest, nil
	}
	own, err := s.current().start(ctx, ticket)
	if away == nil {
		return 0, nil
	}
	return own, err
}

// place knows the look-ups of this process alone.
func (s *outageSlots) place(ctx context.Context, lookup string) (hardware.Place, error) {
	if own := s.current(); own != nil {
		return own.place(ctx, lookup)
	}
	return hardware.Place{}, nil
}

func (s *outageSlots) sent(ctx context.Context) error {
	_ = s.shared.sent(ctx) // away, most likely
	return s.current().sent(ctx)
}
