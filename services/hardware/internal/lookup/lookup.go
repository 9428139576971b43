// Package lookup finds an answer in the nearest layer that has it: in this process,
// in the store that all replicas share, or at the source. A missing answer is looked
// up once, whatever number of callers and replicas ask for it.
//
// What is looked up, and for how long it may be kept, is decided by packages
// rankings and prices.
package lookup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"backend.example/services/internal/kit/fault"
)

// Timing bounds the coordination between replicas.
type Timing struct {
	Lease  time.Duration // a claim whose owner died is free again after this long
	Poll   time.Duration // how often a waiter asks the store, should a message be lost
	Limit  time.Duration // longest a look-up may take
	Listed time.Duration // the same for one of the class Listed, which may wait longer for its turn
}

// DefaultTiming suits the price look-up, which waits for turns and fetches pages.
func DefaultTiming() Timing {
	return Timing{Lease: 5 * time.Second, Poll: 250 * time.Millisecond, Limit: 55 * time.Second, Listed: 10 * time.Minute}
}

// LimitOf is the longest time for a look-up of that class.
func (t Timing) LimitOf(c Class) time.Duration {
	if c == Listed {
		return t.Listed
	}
	return t.Limit
}

// Options are what Layers need.
type Options[V Value] struct {
	Local  *Local
	Shared SharedStore[V] // nil: this process is the only one
	Timing Timing
	Join   Join // nil: look-ups do not wait in a queue
	Now    func() time.Time
	Log    *slog.Logger
}

// Join moves a look-up that c has joined, in any replica, to the place in the queue that c
// would have now, if that is better. It returns in what time to call it again, zero if the
// look-up does not wait in the queue, or why c is not to wait for it.
type Join func(ctx context.Context, c Caller, key string) (again time.Duration, err error)

// Layers are the places in which an answer may be found.
type Layers[V Value] struct {
	Options[V]

	ended   atomic.Int64 // flights so far
	mu      sync.Mutex
	flights map[string]*flight[V]      // look-ups under way in this process
	waiting map[string]chan Outcome[V] // keys that this process waits for another replica to settle
}

// New returns Layers.
func New[V Value](o Options[V]) *Layers[V] {
	return &Layers[V]{Options: o, flights: map[string]*flight[V]{}, waiting: map[string]chan Outcome[V]{}}
}

// Load requests an answer from the source.
type Load[V Value] func(ctx context.Context, r *Request) (*Answer[V], error)

type found[V Value] struct {
	answer *Answer[V]
	via    Via
}

// Kept returns the answer of key that this process holds, if it does.
func (l *Layers[V]) Kept(key string) (*Answer[V], bool) { return l.keptBeyond(key, 0) }

// keptBeyond is Kept for an answer that does not expire within rest.
func (l *Layers[V]) keptBeyond(key string, rest time.Duration) (*Answer[V], bool) {
	value, _ := l.Local.Get(key)
	a, ok := value.(*Answer[V])
	if !ok || !a.Fresh(l.Now().Add(rest)) {
		return nil, false
	}
	return a, true
}

// Get returns the answer of key. A look-up that has begun goes on when ctx ends, for
// the cache; one that waits for its first turn is dropped once its last caller leaves.
func (l *Layers[V]) Get(ctx context.Context, key string, c Caller, load Load[V]) (*Answer[V], Via, error) {
	a, ended := l.Look(key)
	if a != nil {
		return a, ViaLocal, nil
	}
	return l.Find(ctx, key, c, ended, load)
}

// Look returns the answer of key that this process holds, or nil, and what Find needs.
func (l *Layers[V]) Look(key string) (a *Answer[V], ended int64) {
	ended = l.ended.Load()
	a, _ = l.Kept(key)
	return a, ended
}

// Find is Get for a caller that has found nothing with Look.
func (l *Layers[V]) Find(ctx context.Context, key string, c Caller, ended int64, load Load[V]) (*Answer[V], Via, error) {
	for {
		f, leads := l.join(ctx, key, c, 0, ended, load)
		var err error
		if f != nil {
			err = l.await(ctx, f, c, leads)
		}
		switch {
		case f == nil, !leads && errors.Is(err, ErrNotAsked): // the refusal concerns the leader only
			var a *Answer[V]
			if a, ended = l.Look(key); a != nil {
				return a, ViaLocal, nil
			}
		case err != nil:
			return nil, "", err
		case !leads && f.found.via == ViaSource:
			return f.found.answer, ViaCollapsed, nil
		default:
			return f.found.answer, f.found.via, nil
		}
	}
}

// Refresh looks key up when its answer expires within rest, unless another replica has
// done so. What was kept before goes on being given out meanwhile.
func (l *Layers[V]) Refresh(ctx context.Context, key string, c Caller, rest time.Duration, load Load[V]) (*Answer[V], error) {
	for {
		ended := l.ended.Load()
		if a, ok := l.keptBeyond(key, rest); ok {
			return a, nil
		}
		f, leads := l.join(ctx, key, c, rest, ended, load)
		if f == nil {
			continue
		}
		switch err := l.await(ctx, f, c, leads); {
		case err == nil:
			return f.found.answer, nil
		case leads || !errors.Is(err, ErrNotAsked): // the refusal concerns the leader only
			return nil, err
		}
	}
}

// Guarded runs load. A panic in a parser does not end the process, and the end
// of load's time is the fault source_timeout.
func Guarded[T any](ctx context.Context, load func(context.Context) (T, error)) (value T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fault.From(fmt.Errorf("look-up panicked: %v\n%s", r, debug.Stack()))
		}
	}()
	value, err = load(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = Slow(err)
	}
	return value, err
}

// Keep keeps an answer in this process alone.
func (l *Layers[V]) Keep(key string, a *Answer[V]) {
	if !a.Fresh(l.Now()) {
		return
	}
	l.Local.Put(key, a, a.Size())
}

// Value is what a source is asked for: a ranking, the product that a query means, or the
// offers of a product.
type Value interface {
	// Size is about what the value takes in memory, in bytes.
	Size() int
}

// Answer is a value together with how long it may be given out. Nothing of an answer
// changes once it is published.
type Answer[V Value] struct {
	Value V
	Lifetime
}

// Lifetime says how long an answer may be given out, and to whom.
type Lifetime struct {
	FetchedAt time.Time // when the source gave the data
	ExpiresAt time.Time // when the source is to be asked again; zero: the answer is not kept at all
	Shareable bool      // a success: other replicas and HTTP caches may keep it until ExpiresAt
}

// Fresh reports whether the answer may still be given out at now.
func (l Lifetime) Fresh(now time.Time) bool { return now.Before(l.ExpiresAt) }

// Size is about what the answer takes in memory, in bytes.
func (a *Answer[V]) Size() int { return a.Value.Size() + 128 }

// Via says where an answer came from.
type Via string

// The layers, nearest first.
const (
	ViaLocal     Via = "local"     // this process's copy
	ViaShared    Via = "shared"    // the copy that all replicas share
	ViaCollapsed Via = "collapsed" // another caller's look-up that was under way
	ViaSource    Via = "source"    // a look-up of our own
)

// Caller says for whom a look-up is made. A look-up with several callers at once has the
// first of them, and the best place in the queue of all.
type Caller struct {
	Client string // turns are given round-robin by client
	Class  Class
	Begun  bool // an earlier step of the same look-up has had a turn
	// AskedAt is since when the caller has waited, through all steps; zero if it begins now.
	AskedAt time.Time
	// Queued, which may be nil and should have room for one, receives when the look-up has a
	// place in the queue, or is another's.
	Queued chan struct{}
}

// MarkQueued sends to Queued.
func (c Caller) MarkQueued() {
	select {
	case c.Queued <- struct{}{}:
	default:
	}
}

// Class says how a look-up waits for its first turn at a source. A look-up that has begun
// goes before all that have not.
type Class int

// The classes. A refusal is the fault throttle_queue_full, whose RetryAfter says when the
// turn would have come.
const (
	// Awaited is for a caller who waits for the answer. As many such look-ups of a client
	// wait as have their turn within the longest wait of the throttle.
	Awaited Class = iota
	// Listed is for one of several answers that a client requested at once and polls for.
	// At most MaxListed look-ups of a client wait, for as long as their context lasts, in
	// the order in which they were requested.
	Listed
	// Idle is for work ahead of time. It is refused at once unless the queue is empty and a
	// request may be sent now; its later requests let all others pass.
	Idle
)

// String returns the name of the class in metrics.
func (c Class) String() string { return [...]string{"awaited", "listed", "idle"}[c] }

// MaxListed is how many look-ups of one client may wait.
const MaxListed = 20

// Place is the position of a look-up in the queue for its next turn at a source. The wait
// is an estimate: it grows when those in front are late, and a look-up takes more than
// one turn.
type Place struct {
	Number int // 1 is next
	Wait   time.Duration
}

// Request is a look-up in progress, which Load passes on to the source and the throttle.
type Request struct {
	Caller
	Key string // identifies the look-up in the queue and to the breaker

	mu      sync.Mutex
	callers int  // that wait for the result
	queued  bool // the look-up waits for its first turn
	drop    context.CancelFunc
}

// AwaitTurn runs wait, which waits for the first turn of the look-up. During that time
// the context of the look-up is canceled once its last caller has left.
func (r *Request) AwaitTurn(wait func() error) error {
	r.setQueued(true)
	defer r.setQueued(false)
	return wait()
}

func (r *Request) setQueued(queued bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queued = queued
	r.dropIfUnwanted()
}

// isQueued reports whether the look-up waits for its first turn at a place of its own.
func (r *Request) isQueued() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.queued
}

// addCallers adds n, which is negative for a caller that leaves.
func (r *Request) addCallers(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.callers += n
	r.dropIfUnwanted()
}

func (r *Request) dropIfUnwanted() {
	if r.queued && r.callers == 0 && r.drop != nil {
		r.drop()
	}
}
