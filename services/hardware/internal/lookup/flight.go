package lookup

import (
	"context"
	"sync"
	"time"
)

// flight is a look-up under way in this process, for everybody here who waits for it.
type flight[V Value] struct {
	party
	done  chan struct{}
	found found[V] // found and err are set when done is closed
	err   error
}

// party is those who wait for a look-up.
type party struct {
	mu      sync.Mutex
	waiting int
	inLine  bool // the look-up waits for its first turn
	drop    context.CancelFunc
}

func (p *party) enter() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting++
}

func (p *party) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting--
	p.dropUnlessAwaited()
}

func (p *party) setInLine(inLine bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inLine = inLine
	p.dropUnlessAwaited()
}

func (p *party) dropUnlessAwaited() {
	if p.inLine && p.waiting == 0 {
		p.drop()
	}
}

type partyKey struct{}

// InLine runs wait, which waits for the first turn of the look-up that ctx belongs to.
// For that long, ctx ends when nobody waits for the look-up any more.
func InLine(ctx context.Context, wait func() error) error {
	p, ok := ctx.Value(partyKey{}).(*party)
	if !ok {
		return wait()
	}
	p.setInLine(true)
	defer p.setInLine(false)
	return wait()
}

func (l *Layers[V]) isUnderWay(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.flights[key]
	return ok
}

// join joins the look-up of key that is under way, or leads one for an answer that does
// not expire within rest.
func (l *Layers[V]) join(ctx context.Context, key string, rest time.Duration, load Load[V]) (f *flight[V], leads bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f, ok := l.flights[key]; ok {
		f.enter()
		return f, false
	}
	f = &flight[V]{done: make(chan struct{})}
	f.enter()
	l.flights[key] = f
	asker := AskerOf(ctx)
	ctx = WithAsker(context.WithoutCancel(WithKey(ctx, key)), asker)
	ctx = context.WithValue(ctx, partyKey{}, &f.party)
	ctx, f.drop = context.WithTimeout(ctx, l.Timing.limit(asker.Class))
	go func() {
		defer f.drop()
		f.found, f.err = l.find(ctx, key, rest, load)
		l.mu.Lock()
		delete(l.flights, key)
		l.mu.Unlock()
		close(f.done)
	}()
	return f, true
}

// await waits until f has ended. A caller joins a look-up of the class Listed for no
// longer than one of its own may take.
func (l *Layers[V]) await(ctx context.Context, f *flight[V]) error {
	defer f.leave()
	limited, cancel := context.WithTimeout(ctx, l.Timing.limit(AskerOf(ctx).Class)+time.Second)
	defer cancel()
	select {
	case <-f.done:
		return f.err
	case <-limited.Done():
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return Slow(limited.Err())
	}
}
