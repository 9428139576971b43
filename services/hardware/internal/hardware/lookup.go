package hardware

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"backend.example/services/hardware/internal/upstream"
	"backend.example/services/internal/kit/fault"
)

// LocalCache is this process's own copy of answers, bounded in bytes.
type LocalCache interface {
	Get(key string) (*Answer, bool)
	Put(key string, a *Answer)
}

// SharedStore is what all replicas know: the kept answers, and who is looking
// what up right now. An error means that the store is away.
type SharedStore interface {
	// Claim returns the kept answer of key, or makes owner the one who looks it
	// up for the length of lease, or says that another owner does.
	Claim(ctx context.Context, key, owner string, lease time.Duration) (Claim, error)
	// Renew prolongs owner's lease; it does nothing for anybody else's.
	Renew(ctx context.Context, key, owner string, lease time.Duration) error
	// Settle ends owner's lease, keeps a shareable answer until it expires, and
	// sends the outcome to every replica.
	Settle(ctx context.Context, key, owner string, o Outcome) error
}

// Claim is the answer to a claim: Kept, or Mine, or neither.
type Claim struct {
	Kept *Answer
	Mine bool
}

// Outcome is how a look-up ended: exactly one of the two is set.
type Outcome struct {
	Answer *Answer
	Fault  *fault.Error
}

// Via says where an answer came from.
type Via string

// The layers, nearest first.
const (
	ViaLocal     Via = "local"     // this process's copy
	ViaShared    Via = "shared"    // the copy that all replicas share
	ViaCollapsed Via = "collapsed" // another caller's look-up that was under way
	ViaSource    Via = "source"    // a look-up of our own
)

// Timing bounds the coordination between replicas.
type Timing struct {
	Lease time.Duration // a claim whose owner died is free again after this long
	Poll  time.Duration // how often a waiter asks the store, should a message be lost
	Limit time.Duration // longest a look-up may take
}

// DefaultTiming suits the price look-up, which waits for turns and fetches pages.
func DefaultTiming() Timing {
	return Timing{Lease: 5 * time.Second, Poll: 250 * time.Millisecond, Limit: 55 * time.Second}
}

// Lookups answers from the nearest layer that knows, and sees to it that one
// missing answer is looked up once, whatever number of callers and replicas
// ask for it.
type Lookups struct {
	local   LocalCache
	shared  SharedStore
	timing  Timing
	now     func() time.Time
	log     *slog.Logger
	flights singleflight.Group

	mu      sync.Mutex
	waiting map[string]chan Outcome // keys that this process waits for another replica to settle
}

// NewLookups returns a Lookups over the two layers.
func NewLookups(local LocalCache, shared SharedStore, timing Timing, now func() time.Time, log *slog.Logger) *Lookups {
	return &Lookups{local: local, shared: shared, timing: timing, now: now, log: log, waiting: map[string]chan Outcome{}}
}

// Load asks the source. Its answer is kept as Answer.ExpiresAt and
// Answer.Shareable say.
type Load func(ctx context.Context) (*Answer, error)

type found struct {
	answer *Answer
	via    Via
}

// Get returns the answer of key. The look-up itself goes on when ctx ends, for
// the others who wait for it and for the cache.
func (l *Lookups) Get(ctx context.Context, key string, load Load) (*Answer, Via, error) {
	if a, ok := l.kept(key); ok {
		return a, ViaLocal, nil
	}
	leader := false
	flight := l.flights.DoChan(key, func() (any, error) {
		leader = true
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.timing.Limit)
		defer cancel()
		return l.find(ctx, key, load)
	})
	select {
	case <-ctx.Done():
		return nil, "", ctx.Err()
	case r := <-flight:
		if r.Err != nil {
			return nil, "", r.Err
		}
		f := r.Val.(found)
		if !leader && f.via == ViaSource {
			f.via = ViaCollapsed
		}
		return f.answer, f.via, nil
	}
}

func (l *Lookups) kept(key string) (*Answer, bool) {
	a, ok := l.local.Get(key)
	if !ok || !a.Fresh(l.now()) {
		return nil, false
	}
	return a, true
}

// find claims key until it has the answer, owns the look-up, or learns from the
// owner how it ended.
func (l *Lookups) find(ctx context.Context, key string, load Load) (found, error) {
	if a, ok := l.kept(key); ok { // it arrived between the caller's look and this flight
		return found{a, ViaLocal}, nil
	}
	owner := rand.Text()
	settled, forget := l.listen(key)
	defer forget()
	for {
		claim, err := l.shared.Claim(ctx, key, owner, l.timing.Lease)
		switch {
		case err != nil && ctx.Err() == nil:
			l.log.WarnContext(ctx, "shared store is away; looking up alone", "error", err)
			return l.own(ctx, key, load, func(Outcome) {})
		case claim.Kept != nil:
			l.keep(key, claim.Kept)
			return found{claim.Kept, ViaShared}, nil
		case claim.Mine:
			stop := l.renewing(ctx, key, owner)
			return l.own(ctx, key, load, func(o Outcome) { stop(); l.settle(ctx, key, owner, o) })
		}
		select {
		case o := <-settled:
			return o.collapsed()
		case <-time.After(l.timing.Poll):
		case <-ctx.Done():
			return found{}, upstream.Slow(ctx.Err())
		}
	}
}

// own runs load and makes its outcome known.
func (l *Lookups) own(ctx context.Context, key string, load Load, settle func(Outcome)) (found, error) {
	a, err := guarded(ctx, load)
	if err != nil {
		settle(Outcome{Fault: fault.From(err)})
		return found{}, err
	}
	l.keep(key, a)
	settle(Outcome{Answer: a})
	return found{a, ViaSource}, nil
}

// guarded runs load. A panic in a parser does not end the process, and the end
// of load's time is the fault source_timeout.
func guarded(ctx context.Context, load Load) (a *Answer, err error) {
	defer func() {
		if r := recover(); r != nil {
			a, err = nil, fault.From(fmt.Errorf("look-up panicked: %v\n%s", r, debug.Stack()))
		}
	}()
	a, err = load(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = upstream.Slow(err)
	}
	return a, err
}

func (l *Lookups) keep(key string, a *Answer) {
	if a.Fresh(l.now()) {
		l.local.Put(key, a.Packed())
	}
}

// settle must reach the store even when the look-up used up its time.
func (l *Lookups) settle(ctx context.Context, key, owner string, o Outcome) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.timing.Lease)
	defer cancel()
	if err := l.shared.Settle(ctx, key, owner, o); err != nil {
		l.log.WarnContext(ctx, "outcome not shared", "error", err)
	}
}

// renewing prolongs the lease until the returned function is called.
func (l *Lookups) renewing(ctx context.Context, key, owner string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(l.timing.Lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := l.shared.Renew(ctx, key, owner, l.timing.Lease); err != nil && ctx.Err() == nil {
					l.log.WarnContext(ctx, "claim not renewed", "error", err)
				}
			}
		}
	}()
	return func() { cancel(); <-done }
}

// listen registers this process's one waiter for key.
func (l *Lookups) listen(key string) (settled <-chan Outcome, forget func()) {
	outcome := make(chan Outcome, 1)
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
func (l *Lookups) Deliver(key string, o Outcome) {
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

func (o Outcome) collapsed() (found, error) {
	if o.Fault != nil {
		return found{}, o.Fault
	}
	return found{o.Answer, ViaCollapsed}, nil
}
