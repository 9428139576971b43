package lookup

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"backend.example/services/internal/kit/fault"
)

// SharedStore is what all replicas know: the kept answers, and who is looking
// what up right now. An error means that the store is unavailable.
type SharedStore[V Value] interface {
	// Claim returns the kept answer of key unless it expires within rest, or makes
	// owner the one who looks it up for the length of lease, or reports that another one does.
	Claim(ctx context.Context, key, owner string, lease, rest time.Duration) (Claim[V], error)
	// Release ends owner's lease without an outcome.
	Release(ctx context.Context, key, owner string) error
	// Renew prolongs owner's lease; it does nothing for anybody else's.
	Renew(ctx context.Context, key, owner string, lease time.Duration) error
	// Forget removes the answer of key here and in every replica. It returns the one that
	// was kept, nil if there was none.
	Forget(ctx context.Context, key string) (*Answer[V], error)
	// Settle ends owner's lease, keeps a shareable answer until it expires, and
	// sends the outcome to every replica.
	Settle(ctx context.Context, key, owner string, o Outcome[V]) error
}

// Claim is the answer to a claim: Kept, or Mine, or neither.
type Claim[V Value] struct {
	Kept *Answer[V]
	Mine bool
}

// Outcome is how a look-up ended, or that its answer is forgotten: exactly one of the three
// is set.
type Outcome[V Value] struct {
	Answer    *Answer[V]
	Fault     *fault.Error
	Forgotten bool
}

// find claims key until it has an answer that does not expire within rest, owns the
// look-up, or learns from the owner how it ended. A process alone owns every look-up.
func (l *Layers[V]) find(ctx context.Context, r *Request, rest time.Duration, load Load[V]) (found[V], error) {
	key := r.Key
	if l.Shared == nil {
		return l.load(ctx, r, load)
	}
	owner := rand.Text()
	settled, forget := l.listen(key)
	defer forget()
	for {
		claim, err := l.Shared.Claim(ctx, key, owner, l.Timing.Lease, rest)
		switch {
		case err != nil && ctx.Err() == nil:
			l.Log.WarnContext(ctx, "shared store unavailable; looking up alone", "error", err)
			return l.load(ctx, r, load)
		case claim.Kept != nil:
			l.Keep(key, claim.Kept)
			return found[V]{claim.Kept, ViaShared}, nil
		case claim.Mine:
			return l.own(ctx, r, owner, load)
		}
		r.MarkQueued()
		select {
		case o := <-settled:
			return o.collapsed()
		case <-time.After(l.Timing.Poll):
		case <-ctx.Done(): // callers who joined later have time left
			return found[V]{}, Slow(errors.Join(ErrNotAsked, ctx.Err()))
		}
	}
}

// own runs load with the claim of key, and sends its outcome to the other replicas. When
// the source was not asked, they may ask it themselves.
func (l *Layers[V]) own(ctx context.Context, r *Request, owner string, load Load[V]) (found[V], error) {
	key := r.Key
	stop := l.renewing(ctx, key, owner)
	f, err := l.load(ctx, r, load)
	stop()
	switch {
	case errors.Is(err, ErrNotAsked):
		l.release(ctx, key, owner)
	case err != nil:
		l.settle(ctx, key, owner, Outcome[V]{Fault: fault.From(err)})
	default:
		l.settle(ctx, key, owner, Outcome[V]{Answer: f.answer})
	}
	return f, err
}

// load asks the source and keeps its answer in this process.
func (l *Layers[V]) load(ctx context.Context, r *Request, load Load[V]) (found[V], error) {
	a, err := Guarded(ctx, func(ctx context.Context) (*Answer[V], error) { return load(ctx, r) })
	if err != nil {
		return found[V]{}, err
	}
	l.Keep(r.Key, a)
	return found[V]{a, ViaSource}, nil
}

// settle must reach the store even when the look-up used up its time.
func (l *Layers[V]) settle(ctx context.Context, key, owner string, o Outcome[V]) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.Timing.Lease)
	defer cancel()
	if err := l.Shared.Settle(ctx, key, owner, o); err != nil {
		l.Log.WarnContext(ctx, "outcome not shared", "error", err)
	}
}

// release must reach the store even when the look-up was dropped.
func (l *Layers[V]) release(ctx context.Context, key, owner string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.Timing.Lease)
	defer cancel()
	if err := l.Shared.Release(ctx, key, owner); err != nil {
		l.Log.WarnContext(ctx, "claim not released", "error", err)
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

// Lead makes owner the one of all replicas that does the work of that name for the length of
// lease, unless another one is, and reports whether it is owner. A process alone leads. While
// the shared store is unavailable, none does.
func (l *Layers[V]) Lead(ctx context.Context, name, owner string, lease time.Duration) bool {
	if l.Shared == nil {
		return true
	}
	claim, _ := l.Shared.Claim(ctx, name, owner, lease, 0) // not ours after an error
	return claim.Mine && l.Shared.Renew(ctx, name, owner, lease) == nil
}

// Forget removes the answer of key from this process and every other replica. It returns the
// one that was kept, nil if there was none. A look-up under way keeps its own answer.
func (l *Layers[V]) Forget(ctx context.Context, key string) (*Answer[V], error) {
	a, _ := l.Kept(key)
	l.Local.Remove(key)
	if l.Shared == nil {
		return a, nil
	}
	return l.Shared.Forget(ctx, key)
}

// Deliver takes in what another replica settled: a shareable answer is kept, so
// that it is still there when the shared store is not, and a waiter is woken.
func (l *Layers[V]) Deliver(key string, o Outcome[V]) {
	if o.Forgotten {
		l.Local.Remove(key)
		return
	}
	if o.Answer != nil && o.Answer.Shareable {
		l.Keep(key, o.Answer)
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
