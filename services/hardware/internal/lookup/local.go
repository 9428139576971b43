package lookup

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
)

// Local is this process's own copy of what was looked up.
type Local struct {
	entries *otter.Cache[string, entry]
	misses  atomic.Int64
}

type entry struct {
	value any
	bytes int
}

// NewLocal returns a Local of about maxBytes at most, in which the keys that are read
// often stay.
func NewLocal(maxBytes uint64) *Local {
	return &Local{entries: otter.Must(&otter.Options[string, entry]{
		MaximumWeight: maxBytes,
		Weigher:       func(key string, e entry) uint32 { return uint32(len(key) + e.bytes) }, // #nosec G115 -- bodies are capped far below 4 GiB
	})}
}

// Get returns the value of key, expired or not.
func (l *Local) Get(key string) (any, bool) {
	e, ok := l.entries.GetIfPresent(key)
	if !ok {
		l.misses.Add(1)
	}
	return e.value, ok
}

// Misses returns how many reads have found nothing.
func (l *Local) Misses() int64 { return l.misses.Load() }

// Put keeps value, which takes that many bytes, in the place of any other of key.
func (l *Local) Put(key string, value any, bytes int) {
	l.entries.Set(key, entry{value: value, bytes: bytes})
}

// Remove removes the value of key.
func (l *Local) Remove(key string) { l.entries.Invalidate(key) }

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
	ctx, f.drop = context.WithTimeout(context.WithoutCancel(ctx), l.Timing.LimitOf(c.Class))
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

// await waits until f has ended, but no longer than a look-up of c may take. A caller who does
// not lead it, in this process or of all replicas, joins it, and leaves it if its turn would come
// too late for that caller.
func (l *Layers[V]) await(ctx context.Context, f *flight[V], c Caller, leads bool) error {
	defer f.addCallers(-1)
	limited, cancel := context.WithTimeout(ctx, l.Timing.LimitOf(c.Class)+time.Second)
	defer cancel()
	var join <-chan time.Time
	switch {
	case l.Join == nil || c.Class == Idle || leads && l.Shared == nil:
	case leads: // another replica may have the claim
		join = time.After(l.Timing.Poll)
	default:
		join = time.After(0)
	}
	if !leads {
		c.MarkQueued()
	}
	for {
		select {
		case <-f.done:
			return f.err
		case <-join:
			if join = nil; leads && f.isQueued() {
				continue
			}
			again, err := l.Join(limited, c, f.Key)
			if err != nil {
				return err
			}
			join = time.After(max(again, l.Timing.Poll))
		case <-limited.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return Slow(limited.Err())
		}
	}
}
