package throttle

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/internal/kit/fault"
)

var errAway = errors.New("away")

// link reaches shared slots, after a moment, unless it is cut.
type link struct {
	shared slots
	cut    *atomic.Bool
}

// crossing is the longest that a message takes to the shared slots.
const crossing = 5 * time.Millisecond

func (l link) cross() error {
	time.Sleep(rand.N(crossing))
	if l.cut.Load() {
		return errAway
	}
	return nil
}

func (l link) reserve(ctx context.Context, limit time.Duration) (int64, time.Duration, error) {
	if err := l.cross(); err != nil {
		return 0, 0, err
	}
	return l.shared.reserve(ctx, limit)
}

func (l link) start(ctx context.Context, ticket int64) (time.Duration, error) {
	if err := l.cross(); err != nil {
		return 0, err
	}
	return l.shared.start(ctx, ticket)
}

func (l link) place(ctx context.Context, lookup string) (hardware.Place, error) {
	if err := l.cross(); err != nil {
		return hardware.Place{}, err
	}
	return l.shared.place(ctx, lookup)
}

func (l link) sent(ctx context.Context) error {
	if err := l.cross(); err != nil {
		return err
	}
	return l.shared.sent(ctx)
}

// replica is a process of a fleet, and what it alone has sent.
type replica struct {
	*Pacer
	sent requestLog
}

// fleet is as many processes as may share the source, on one link that can be cut.
type fleet struct {
	cut      atomic.Bool
	replicas []*replica
	began    time.Time
	sent     requestLog // by all of them
	callers  sync.WaitGroup
}

func newFleet(n int) *fleet {
	f := &fleet{began: time.Now()}
	shared := link{newMemorySlots(interval, 0), &f.cut}
	for range n {
		f.replicas = append(f.replicas, &replica{Pacer: newPacer(shared, newOutageSlots(shared, options(n)), options(n))})
	}
	return f
}

// ask sends a request by replica r.
func (f *fleet) ask(ctx context.Context, r *replica, admitted bool) error {
	sent, err := r.Turn(ctx, admitted)
	if err != nil {
		return err
	}
	f.sent.note()
	r.sent.note()
	sent()
	return nil
}

// run has callers in every replica ask again and again until d is over; they are
// waited for with f.callers.
func (f *fleet) run(t *testing.T, callers int, d time.Duration) {
	end := time.Now().Add(d)
	for _, r := range f.replicas {
		for range callers {
			f.callers.Go(func() {
				for time.Now().Before(end) {
					if err := f.ask(t.Context(), r, false); err != nil {
						time.Sleep(fault.From(err).RetryAfter)
					}
				}
			})
		}
	}
}

// pass lets d pass in a bubble.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
