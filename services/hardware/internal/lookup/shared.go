package lookup

import (
	"context"
	"crypto/rand"
	"time"

	"backend.example/services/hardware/internal/upstream"
	"backend.example/services/internal/kit/fault"
)

// SharedStore is what all replicas know: the kept answers, and who is looking
// what up right now. An error means that the store is away.
type SharedStore[V Value] interface {
	// Claim returns the kept answer of key, or makes owner the one who looks it
	// up for the length of lease, or says that another owner does.
	Claim(ctx context.Context, key, owner string, lease time.Duration) (Claim[V], error)
	// Renew prolongs owner's lease; it does nothing for anybody else's.
	Renew(ctx context.Context, key, owner string, lease time.Duration) error
	// Settle ends owner's lease, keeps a shareable answer until it expires, and
	// sends the outcome to every replica.
	Settle(ctx context.Context, key, owner string, o Outcome[V]) error
}

// Claim is the answer to a claim: Kept, or Mine, or neither.
type Claim[V Value] struct {
	Kept *Answer[V]
	Mine bool
}

// Outcome is how a look-up ended: exactly one of the two is set.
type Outcome[V Value] struct {
	Answer *Answer[V]
	Fault  *fault.Error
}

// find claims key until it has the answer, owns the look-up, or learns from the
// owner how it ended.
func (l *Layers[V]) find(ctx context.Context, key string, load Load[V]) (found[V], error) {
	if a, ok := l.Kept(key); ok { // it arrived between the caller's look and this flight
		return found[V]{a, ViaLocal}, nil
	}
	owner := rand.Text()
	settled, forget := l.listen(key)
	defer forget()
	for {
		claim, err := l.Shared.Claim(ctx, key, owner, l.Timing.Lease)
		switch {
		case err != nil && ctx.Err() == nil:
			l.Log.WarnContext(ctx, "shared store is away; looking up alone", "error", err)
			return l.own(ctx, key, load, func(Outcome[V]) {})
		case claim.Kept != nil:
			l.keep(key, claim.Kept)
			return found[V]{claim.Kept, ViaShared}, nil
		case claim.Mine:
			stop := l.renewing(ctx, key, owner)
			return l.own(ctx, key, load, func(o Outcome[V]) { stop(); l.settle(ctx, key, owner, o) })
		}
		select {
		case o := <-settled:
			return o.collapsed()
		case <-time.After(l.Timing.Poll):
		case <-ctx.Done():
			return found[V]{}, upstream.Slow(ctx.Err())
		}
	}
}

// settle must reach the store even when the look-up used up its time.
func (l *Layers[V]) settle(ctx context.Context, key, owner string, o Outcome[V]) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.Timing.Lease)
	defer cancel()
	if err := l.Shared.Settle(ctx, key, owner, o); err != nil {
		l.Log.WarnContext(ctx, "outcome not shared", "error", err)
	}
}

// renewing prolongs the lease until the returned function is called.
func (l *Layers[V]) renewing(ctx context.Context, key, owner string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(l.Timing.Lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := l.Shared.Renew(ctx, key, owner, l.Timing.Lease); err != nil && ctx.Err() == nil {
					l.Log.WarnContext(ctx, "claim not renewed", "error", err)
				}
			}
		}
	}()
	return func() { cancel(); <-done }
}

// listen registers this process's one waiter for key.
func (l *Layers[V]) listen(key string) (settled <-chan Outcome[V], forget func()) {
	outcome := make(chan Outcome[V], 1)
	l.mu.Lock()
	l.waiting[key] = outcome
	l.mu.Unlock()
	return outcome, func() {
		l.mu.Lock()
		delete(l.waiting, key)
		l.mu.Unlock()
	}
}

// Deliver takes in what another replica settled: a shareable answer is kept, so
// that it is still there when the shared store is not, and a waiter is woken.
func (l *Layers[V]) Deliver(key string, o Outcome[V]) {
	if o.Answer != nil && o.Answer.Shareable {
		l.keep(key, o.Answer)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if waiter, ok := l.waiting[key]; ok {
		select {
		case waiter <- o:
		default: // it has one already
		}
	}
}

func (o Outcome[V]) collapsed() (found[V], error) {
	if o.Fault != nil {
		return found[V]{}, o.Fault
	}
	return found[V]{o.Answer, ViaCollapsed}, nil
}
