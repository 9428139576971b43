// Package lookup finds an answer in the nearest place that has it. A missing answer is looked up once at a time,
// whatever number of callers and replicas ask for it:
//
//	own copy → shared store → one look-up of the process → its slot → shared store and claim → source
//
// What is looked up, and how long it is kept, is decided by packages rankings and prices.
package lookup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/pace"
)

const (
	poll = 200 * time.Millisecond
	// Remembered is how long the outcome of a look-up that is not kept is returned to lists.
	Remembered = 30 * time.Second
	// Limit is the longest time for a look-up whose caller waits.
	Limit = 55 * time.Second
	// listedLimit is the same for those that may wait longer for a slot.
	listedLimit = 10 * time.Minute
)

func limitOf(class pace.Class) time.Duration {
	if class >= pace.Listed {
		return listedLimit
	}
	return Limit
}

// Answer is what a source was asked for (a ranking, a product, its offers, or a page of a list) and how long it may
// be given out. It does not change once it is published.
type Answer[V any] struct {
	Value V
	Lifetime
}

// Lifetime says how long an answer may be given out, and to whom.
type Lifetime struct {
	FetchedAt time.Time // when the source gave the data
	ExpiresAt time.Time // zero if the answer is not kept
	Shareable bool      // a success, which other replicas and HTTP caches may keep
}

// Fresh reports whether the answer may be given out at now.
func (l Lifetime) Fresh(now time.Time) bool { return now.Before(l.ExpiresAt) }

// Via says where an answer came from.
type Via int

// The places, nearest first.
const (
	ViaLocal     Via = iota // this process's copy
	ViaShared               // the copy that all replicas share
	ViaCollapsed            // another look-up that was under way
	ViaSource               // a look-up of our own
)

// String returns the name in metrics.
func (v Via) String() string { return [...]string{"local", "shared", "collapsed", "source"}[v] }

// Caller says for whom a look-up is made.
type Caller struct {
	Client string     // clients of a class take turns
	Class  pace.Class // pace.Begun for a further step of a look-up
	Asked  time.Time  // since when the caller has waited; zero for now
}

// Outcome is how a look-up ended: with an answer or a fault.
type Outcome[V any] struct {
	Answer *Answer[V]
	Fault  *fault.Error
}

func (o Outcome[V]) isKept(now time.Time, rest time.Duration) bool {
	return o.Answer != nil && o.Answer.Shareable && o.Answer.Fresh(now.Add(rest))
}

// Lookups are those of one kind of values.
type Lookups[V any] struct {
	local  *Local
	shared *Store[V] // nil without other replicas
	gate   *fetch.Gate
	now    func() time.Time
	log    *slog.Logger

	mu      sync.Mutex
	flights map[string]*flight[V] // of several, the most urgent, or the one that has begun
}

// New returns Lookups. shared is nil if this process is the only one.
func New[V any](
	local *Local, shared *Store[V], gate *fetch.Gate, now func() time.Time, log *slog.Logger,
) *Lookups[V] {
	return &Lookups[V]{
		local: local, shared: shared, gate: gate, now: now, log: log, flights: map[string]*flight[V]{},
	}
}

// Now returns the time by which answers expire.
func (l *Lookups[V]) Now() time.Time { return l.now() }

// Load requests an answer from the source.
type Load[V any] func(ctx context.Context, r *fetch.Request) (*Answer[V], error)

// Kept returns the fresh answer of key that this process has.
func (l *Lookups[V]) Kept(key string) (*Answer[V], bool) { return l.keptBeyond(key, 0) }

func (l *Lookups[V]) keptBeyond(key string, rest time.Duration) (*Answer[V], bool) {
	a, ok := l.local.Get(key).(*Answer[V])
	if !ok || !a.Fresh(l.now().Add(rest)) {
		return nil, false
	}
	return a, true
}

// Keep keeps an answer in this process alone.
func (l *Lookups[V]) Keep(key string, a *Answer[V]) {
	if !a.Fresh(l.now()) {
		return
	}
	document, _ := json.Marshal(a) // is about as long as the answer in memory
	l.local.Put(key, a, len(document))
}

// Get returns the answer of key. A look-up that has had its slot continues for the cache when ctx ends; one that
// waits for it is dropped once its last caller leaves.
func (l *Lookups[V]) Get(ctx context.Context, key string, c Caller, load Load[V]) (*Answer[V], Via, error) {
	return l.Refresh(ctx, key, c, 0, load)
}

// Refresh is Get for an answer that does not expire within rest. The one kept before is given out to others
// meanwhile.
func (l *Lookups[V]) Refresh(
	ctx context.Context, key string, c Caller, rest time.Duration, load Load[V],
) (*Answer[V], Via, error) {
	if a, ok := l.keptBeyond(key, rest); ok {
		return a, ViaLocal, nil
	}
	f, leads := l.join(ctx, key, c, rest, load)
	return l.await(ctx, f, leads)
}

type flight[V any] struct {
	request fetch.Request
	rest    time.Duration
	drop    context.CancelFunc

	callers int // callers and begun are guarded by the mutex of Lookups
	begun   bool

	done   chan struct{}
	answer *Answer[V] // answer, via and err are set when done is closed
	via    Via
	err    error
}

// join joins the look-up of key under way, or starts one: a person does not wait for a list's place in the queue.
func (l *Lookups[V]) join(
	ctx context.Context, key string, c Caller, rest time.Duration, load Load[V],
) (f *flight[V], leads bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f := l.flights[key]; f != nil && f.serves(c.Class, rest) {
		f.callers++
		return f, false
	}
	f = &flight[V]{
		request: fetch.Request{ID: key, Client: c.Client, Class: c.Class, Asked: c.Asked},
		rest:    rest, done: make(chan struct{}), callers: 1, begun: c.Class == pace.Begun,
	}
	// #nosec G118 -- run calls f.drop when the flight has ended
	ctx, f.drop = context.WithTimeout(context.WithoutCancel(ctx), limitOf(c.Class))
	l.flights[key] = f
	go l.run(ctx, f, load)
	return f, true
}

func (f *flight[V]) serves(class pace.Class, rest time.Duration) bool {
	return f.rest >= rest && (f.begun || f.request.Class <= class)
}

// await returns the result of a flight. One without a slot ends with its last caller.
func (l *Lookups[V]) await(ctx context.Context, f *flight[V], leads bool) (*Answer[V], Via, error) {
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		f.callers--
		if f.callers == 0 && !f.begun {
			f.drop()
		}
	}()
	select {
	case <-f.done:
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
	if f.via == ViaSource && !leads {
		return f.answer, ViaCollapsed, f.err
	}
	return f.answer, f.via, f.err
}

func (l *Lookups[V]) run(ctx context.Context, f *flight[V], load Load[V]) {
	defer f.drop()
	f.answer, f.via, f.err = l.find(ctx, f, load)
	if errors.Is(f.err, context.DeadlineExceeded) {
		f.err = fetch.Slow.Wrap(f.err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.flights[f.request.ID] == f {
		delete(l.flights, f.request.ID)
	}
	close(f.done)
}

// find looks in the shared store again after the wait, because another replica may have been faster.
func (l *Lookups[V]) find(ctx context.Context, f *flight[V], load Load[V]) (*Answer[V], Via, error) {
	r := &f.request
	if l.shared != nil {
		o := l.shared.Read(ctx, r.ID, l.now())
		if o.isKept(l.now(), f.rest) {
			l.Keep(r.ID, o.Answer)
			return o.Answer, ViaShared, nil
		}
		remembered := o != (Outcome[V]{}) && !o.isKept(l.now(), 0) // an empty answer or a fault
		if remembered && r.Class == pace.Listed {
			return o.Answer, ViaShared, o.err()
		}
	}
	for {
		if err := l.gate.Enter(ctx, r); err != nil {
			return nil, 0, err
		}
		if a, ok := l.keptBeyond(r.ID, f.rest); ok {
			l.gate.Leave(r)
			return a, ViaLocal, nil
		}
		if other := l.begin(f); other != nil {
			l.gate.Leave(r)
			return l.await(ctx, other, false)
		}
		if l.shared == nil {
			a, err := l.ask(ctx, r, load)
			return a, ViaSource, err
		}
		o, mine := l.shared.Claim(ctx, r.ID, l.now())
		if mine && !o.isKept(l.now(), f.rest) {
			a, err := l.ask(ctx, r, load)
			l.settle(ctx, r.ID, a, err)
			return a, ViaSource, err
		}
		l.gate.Leave(r)
		o, via, err := l.follow(ctx, f, o, mine)
		if err != nil {
			return nil, 0, err
		}
		if o != (Outcome[V]{}) {
			return o.Answer, via, o.err()
		}
	}
}

// begin notes that f has its slot. It returns the more urgent flight of the key that had it before.
func (l *Lookups[V]) begin(f *flight[V]) (other *flight[V]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	other = l.flights[f.request.ID]
	if other != nil && other != f && other.serves(f.request.Class, f.rest) {
		other.callers++
		return other
	}
	l.flights[f.request.ID] = f
	f.begun = true
	return nil
}

// ask runs load. A panic in a parser does not end the process.
func (l *Lookups[V]) ask(ctx context.Context, r *fetch.Request, load Load[V]) (a *Answer[V], err error) {
	defer func() {
		if p := recover(); p != nil {
			a, err = nil, fault.From(fmt.Errorf("look-up panicked: %v\n%s", p, debug.Stack()))
		}
	}()
	a, err = load(ctx, r)
	if err != nil {
		return nil, err
	}
	l.Keep(r.ID, a)
	return a, nil
}

func (l *Lookups[V]) settle(ctx context.Context, key string, a *Answer[V], err error) {
	o := Outcome[V]{Answer: a}
	if err != nil && ctx.Err() == nil {
		o.Fault = fault.From(err)
	}
	l.shared.Settle(context.WithoutCancel(ctx), key, o, l.now())
}

// follow returns the outcome of the replica that has the claim, zero if it gave up.
func (l *Lookups[V]) follow(ctx context.Context, f *flight[V], o Outcome[V], mine bool) (Outcome[V], Via, error) {
	via, key := ViaShared, f.request.ID
	for !mine && !o.isKept(l.now(), f.rest) {
		select {
		case <-ctx.Done():
			return Outcome[V]{}, 0, ctx.Err()
		case <-time.After(poll):
		}
		via = ViaCollapsed
		o, mine = l.shared.Claim(ctx, key, l.now())
	}
	if mine {
		l.shared.Settle(context.WithoutCancel(ctx), key, Outcome[V]{}, l.now())
	}
	if o.Answer != nil {
		l.Keep(key, o.Answer)
	}
	return o, via, nil
}

func (o Outcome[V]) err() error {
	if o.Fault == nil {
		return nil
	}
	return o.Fault
}

// Forget removes key from every replica. It returns the answer that was kept, or nil. A look-up under way keeps its
// own.
func (l *Lookups[V]) Forget(ctx context.Context, key string) (*Answer[V], error) {
	a, _ := l.Kept(key)
	l.local.Remove(key)
	if l.shared == nil {
		return a, nil
	}
	o, err := l.shared.Forget(ctx, key)
	return o.Answer, err
}
