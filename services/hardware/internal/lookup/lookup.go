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
	"time"

	"golang.org/x/sync/singleflight"

	"backend.example/services/hardware/internal/upstream"
	"backend.example/services/internal/kit/fault"
)

// LocalCache is this process's own copy of answers, bounded in bytes. It is an
// interface because its implementation stands beside the shared stores, which know
// this package.
type LocalCache interface {
	Get(key string) (any, bool)
	Put(key string, value any, bytes int)
}

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

// Options are what Layers need.
type Options[V Value] struct {
	Local  LocalCache
	Shared SharedStore[V]
	Timing Timing
	// Render makes what is kept beside an answer in this process, and says how many
	// bytes that takes. Without it nothing is.
	Render func(a *Answer[V]) (rendered any, bytes int)
	Now    func() time.Time
	Log    *slog.Logger
}

// Layers are the places in which an answer may be found.
type Layers[V Value] struct {
	Options[V]
	flights singleflight.Group

	mu      sync.Mutex
	waiting map[string]chan Outcome[V] // keys that this process waits for another replica to settle
}

// New returns Layers.
func New[V Value](o Options[V]) *Layers[V] {
	return &Layers[V]{Options: o, waiting: map[string]chan Outcome[V]{}}
}

// Load asks the source. Its context carries the key; see KeyOf.
type Load[V Value] func(ctx context.Context) (*Answer[V], error)

type found[V Value] struct {
	answer *Answer[V]
	via    Via
}

// Kept returns the answer of key that this process holds, if it does.
func (l *Layers[V]) Kept(key string) (*Answer[V], bool) {
	value, _ := l.Local.Get(key)
	a, ok := value.(*Answer[V])
	if !ok || !a.Fresh(l.Now()) {
		return nil, false
	}
	return a, true
}

// Get returns the answer of key. The look-up itself goes on when ctx ends, for
// the others who wait for it and for the cache.
func (l *Layers[V]) Get(ctx context.Context, key string, load Load[V]) (*Answer[V], Via, error) {
	if a, ok := l.Kept(key); ok {
		return a, ViaLocal, nil
	}
	leader := false
	flight := l.flights.DoChan(key, func() (any, error) {
		leader = true
		ctx, cancel := context.WithTimeout(context.WithoutCancel(WithKey(ctx, key)), l.Timing.Limit)
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
		f := r.Val.(found[V])
		if !leader && f.via == ViaSource {
			f.via = ViaCollapsed
		}
		return f.answer, f.via, nil
	}
}

// own runs load and makes its outcome known.
func (l *Layers[V]) own(ctx context.Context, key string, load Load[V], settle func(Outcome[V])) (found[V], error) {
	a, err := Guarded(ctx, load)
	if err != nil {
		settle(Outcome[V]{Fault: fault.From(err)})
		return found[V]{}, err
	}
	l.keep(key, a)
	settle(Outcome[V]{Answer: a})
	return found[V]{a, ViaSource}, nil
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
		err = upstream.Slow(err)
	}
	return value, err
}

// keep renders an answer before anybody else can see it.
func (l *Layers[V]) keep(key string, a *Answer[V]) {
	if !a.Fresh(l.Now()) {
		return
	}
	if a.Rendered == nil && l.Render != nil {
		a.Rendered, a.renderedBytes = l.Render(a)
	}
	l.Local.Put(key, a, a.Size())
}
