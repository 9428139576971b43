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

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

var errDown = errors.New("down")

// remoteSlots reach shared slots over a network with some latency, unless it is down.
type remoteSlots struct {
	shared slots
	down   *atomic.Bool
}

const maxLatency = 5 * time.Millisecond

func (r remoteSlots) connect() error {
	time.Sleep(rand.N(maxLatency))
	if r.down.Load() {
		return errDown
	}
	return nil
}

func (r remoteSlots) reserve(ctx context.Context, limit time.Duration) (int64, time.Duration, error) {
	if err := r.connect(); err != nil {
		return 0, 0, err
	}
	return r.shared.reserve(ctx, limit)
}

func (r remoteSlots) start(ctx context.Context, ticket int64) (time.Duration, error) {
	if err := r.connect(); err != nil {
		return 0, err
	}
	return r.shared.start(ctx, ticket)
}

func (r remoteSlots) place(ctx context.Context, key string) (lookup.Place, error) {
	if err := r.connect(); err != nil {
		return lookup.Place{}, err
	}
	return r.shared.place(ctx, key)
}

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
	shared := remoteSlots{newMemorySlots(interval, 0), &f.down}
	for range n {
		f.add(newPacer(shared, newOutageSlots(shared, options(n)), options(n)))
	}
	return f
}

func (f *fleet) add(p *Pacer) { f.replicas = append(f.replicas, &replica{Pacer: p}) }

// send sends a request by replica i.
func (f *fleet) send(ctx context.Context, i int, admitted bool) error {
	r := f.replicas[i]
	return send(ctx, r.Pacer, admitted, 0, &f.arrived, &r.arrived)
}

// run has several callers in every replica send requests for as long as more is true.
// f.callers waits for them.
func (f *fleet) run(t *testing.T, callers int, more func() bool) {
	for i := range f.replicas {
		for range callers {
			f.callers.Go(func() {
				for more() {
					if err := f.send(t.Context(), i, false); fault.Is(err, "throttle_queue_full") {
						time.Sleep(fault.From(err).RetryAfter)
					} else if err != nil {
						t.Error(err)
					}
				}
			})
		}
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
