package lookup

import (
	"context"
	"time"
)

// flight is a look-up in progress in this process, and its result.
type flight[V Value] struct {
	Request
	done  chan struct{}
	found found[V] // found and err are set when done is closed
	err   error
}

// join joins the look-up of key that is in progress, or starts one for an answer that does
// not expire within rest. The flight is nil if any has ended since the caller read ended
// and then found nothing in this process: it may find the answer now.
func (l *Layers[V]) join(ctx context.Context, key string, c Caller, rest time.Duration, ended int64, load Load[V]) (f *flight[V], leads bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f, ok := l.flights[key]; ok {
		f.addCallers(1)
		return f, false
	}
	if l.ended.Load() != ended {
		return nil, false
	}
	f = &flight[V]{Request: Request{Caller: c, Key: key, callers: 1}, done: make(chan struct{})}
	l.flights[key] = f
	ctx, f.drop = context.WithTimeout(context.WithoutCancel(ctx), l.Timing.limit(c.Class))
	go func() {
		defer f.drop()
		f.found, f.err = l.find(ctx, &f.Request, rest, load)
		l.mu.Lock()
		delete(l.flights, key)
		l.ended.Add(1)
		l.mu.Unlock()
		close(f.done)
	}()
	return f, true
}

// await waits until f has ended, but no longer than a look-up of class may take.
func (l *Layers[V]) await(ctx context.Context, f *flight[V], class Class) error {
	defer f.addCallers(-1)
	limited, cancel := context.WithTimeout(ctx, l.Timing.limit(class)+time.Second)
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
