package throttle

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

var errDown = errors.New("down")

// remoteSlots reach shared slots over a network with some latency, unless it is down.
// Like Redis they forget tickets whose owner does not ask any more.
type remoteSlots struct {
	shared *memorySlots
	down   *atomic.Bool
	asked  *sync.Map // when each ticket asked
}

func newRemoteSlots(down *atomic.Bool) remoteSlots {
	return remoteSlots{newMemorySlots(interval, openFor(maxWait), 0), down, &sync.Map{}}
}

func (r remoteSlots) forgetTheDead() {
	r.asked.Range(func(t, at any) bool {
		if time.Since(at.(time.Time)) > 2*interval {
			r.asked.Delete(t)
			_ = r.shared.leave(context.Background(), t.(*ticket))
		}
		return true
	})
}

const maxLatency = 5 * time.Millisecond

func (r remoteSlots) connect() error {
	time.Sleep(rand.N(maxLatency))
	if r.down.Load() {
		return errDown
	}
	return nil
}

func (r remoteSlots) ask(ctx context.Context, t *ticket) (turn, error) {
	if err := r.connect(); err != nil {
		return turn{}, err
	}
	r.asked.Store(t, time.Now())
	r.forgetTheDead()
	return r.shared.ask(ctx, t)
}

func (r remoteSlots) leave(ctx context.Context, t *ticket) error {
	if err := r.connect(); err != nil {
		return err
	}
	return r.shared.leave(ctx, t)
}

func (r remoteSlots) raise(ctx context.Context, t *ticket, keys ...string) (int, error) {
	if err := r.connect(); err != nil {
		return 0, err
	}
	return r.shared.raise(ctx, t, keys...)
}

func (r remoteSlots) queue(ctx context.Context) ([]waiter, error) {
	if err := r.connect(); err != nil {
		return nil, err
	}
	return r.shared.queue(ctx)
}

func (r remoteSlots) widen(extra time.Duration) { r.shared.widen(extra) }

func (r remoteSlots) sent(ctx context.Context) error {
	if err := r.connect(); err != nil {
		return err
	}
	return r.shared.sent(ctx)
}

// fleet is as many replicas as may share the source, and the requests that they send.
type fleet struct {
	replicas []*replica
	arrived  recorder // requests of all replicas
	began    time.Time
	callers  sync.WaitGroup
	down     atomic.Bool // cuts the replicas of newFleet off from their shared slots
}

type replica struct {
	*Pacer
	arrived recorder // requests of this replica
}

// newFleet has n replicas that share slots in memory.
func newFleet(n int) *fleet {
	f := &fleet{began: time.Now()}
	shared := newRemoteSlots(&f.down)
	for range n {
		f.add(&Pacer{shared: shared, local: newOutageSlots(shared, options(n)), options: options(n)})
	}
	return f
}

func (f *fleet) add(p *Pacer) { f.replicas = append(f.replicas, &replica{Pacer: p}) }

// send sends a request by replica i.
func (f *fleet) send(ctx context.Context, i int, c lookup.Caller) error {
	r := f.replicas[i]
	return send(ctx, r.Pacer, c, 0, &f.arrived, &r.arrived)
}

// run has several clients of every replica send requests for as long as more is true.
// f.callers waits for them.
func (f *fleet) run(t *testing.T, callers int, more func() bool) {
	for i := range f.replicas {
		for n := range callers {
			c := client(fmt.Sprintf("%d/%d", i, n))
			f.callers.Go(func() {
				for more() {
					if err := f.send(t.Context(), i, c); fault.Is(err, "throttle_queue_full") {
						time.Sleep(fault.From(err).RetryAfter)
					} else if err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

// runOthers has, in every replica, a client whose look-ups have begun, one who leaves
// soon, and idle work ask for turns for as long as more is true.
func (f *fleet) runOthers(t *testing.T, patience time.Duration, more func() bool) {
	for i := range f.replicas {
		f.callers.Go(func() {
			for more() {
				if err := f.send(t.Context(), i, hasBegun); err != nil {
					t.Error(err)
				}
			}
		})
		f.callers.Go(func() {
			for more() {
				ctx, leave := context.WithTimeout(t.Context(), patience)
				_ = f.send(ctx, i, client("leaving"))
				leave()
			}
		})
		f.callers.Go(func() {
			for more() {
				if f.send(t.Context(), i, lookup.Caller{Class: lookup.Idle}) != nil {
					time.Sleep(patience)
				}
			}
		})
	}
}

// lasting is true until d has passed.
func lasting(d time.Duration) func() bool {
	end := time.Now().Add(d)
	return func() bool { return time.Now().Before(end) }
}

// pass lets d pass in a bubble.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
