// Package throttle keeps the requests to one source apart and pauses a source that
// refuses them. It does so over all replicas, with state in Redis and by its clock, or
// in this process alone if there is no Redis or it is unavailable.
package throttle

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

// Pacer gives out turns at one source. How a look-up waits depends on its lookup.Caller.
type Pacer struct {
	shared  slots
	local   slots // used while shared is unavailable; may be nil
	options Options
	extra   atomic.Int64 // by which the interval is longer now
}

// Options are the settings of a Pacer.
type Options struct {
	Interval time.Duration // least time between two requests of all replicas together
	MaxWait  time.Duration // longest wait of a look-up of the class lookup.Awaited for its first turn
	Replicas int           // how many processes may share the source, at most
	// Waiting, which may be nil, is called with the estimated time until a turn.
	Waiting func(time.Duration)
	// Taken, which may be nil, is called with the class of each look-up that takes a turn.
	Taken func(lookup.Class)
	// Rest, which may be nil, is called when a turn has come and returns what is left of
	// a pause of the source: it may have refused another request meanwhile.
	Rest func(context.Context) time.Duration
	Log  *slog.Logger
}

// NewPacer returns a Pacer for this process alone.
func NewPacer(o Options) *Pacer {
	return &Pacer{shared: newMemorySlots(o.Interval, openFor(o.MaxWait), 0), options: o}
}

// Turn blocks until the next request may be sent. The caller calls sent once it was. A
// look-up that has begun goes before all that have not. The others may be refused with
// the fault throttle_queue_full, depending on their class, and are dropped if all their
// callers leave. If the source was paused meanwhile, the fault is source_paused.
func (p *Pacer) Turn(ctx context.Context, r *lookup.Request) (sent func(), err error) {
	t := newTicket(r.Caller, r.Key, p.options.MaxWait)
	var used slots
	wait := func() error { used, err = p.await(ctx, t, r.MarkQueued); return err }
	if r.Begun {
		err = wait()
	} else {
		err = refusal(r.AwaitTurn(wait))
	}
	if err != nil {
		return nil, err
	}
	r.Begun = true
	if p.options.Taken != nil {
		p.options.Taken(r.Class)
	}
	if p.options.Rest != nil {
		if rest := p.options.Rest(ctx); rest > 0 {
			return nil, lookup.Paused(rest)
		}
	}
	return func() {
		if err := used.sent(context.WithoutCancel(ctx)); err != nil {
			p.options.Log.WarnContext(ctx, "sent request not recorded", "error", err)
		}
	}, nil
}

// Raise moves look-ups that c has joined to the places that c would have now, where those
// are further in front. It returns how many of them wait for a turn, in any replica.
func (p *Pacer) Raise(ctx context.Context, c lookup.Caller, keys ...string) (waiting int) {
	t := newTicket(c, "", p.options.MaxWait)
	waiting, err := p.shared.raise(ctx, t, keys...)
	if err != nil && p.local != nil {
		waiting, _ = p.local.raise(ctx, t, keys...) // never fails
	}
	return waiting
}

// Join is a lookup.Join. It refuses a caller, with the fault throttle_queue_full, for whom
// the turn of the look-up would come too late.
func (p *Pacer) Join(ctx context.Context, c lookup.Caller, key string) (again time.Duration, err error) {
	if p.Raise(ctx, c, key) == 0 {
		return 0, nil
	}
	place := p.Places(ctx, key)[0]
	if t := newTicket(c, key, p.options.MaxWait); t.round == byNetwork && place.Wait > t.limit {
		return 0, tooLate(queueFull{place.Wait}, place.Wait)
	}
	return place.Wait, nil
}

// KeepApart keeps requests at least d apart from now on, and never closer than the
// Interval. It has to be called in every replica.
func (p *Pacer) KeepApart(d time.Duration) {
	extra := max(d-p.options.Interval, 0)
	p.extra.Store(int64(extra))
	p.shared.widen(extra)
	if p.local != nil {
		p.local.widen(extra)
	}
}

// await waits in the queue until t's turn has come, and returns the slots that gave it. It
// calls queued once t has its place.
func (p *Pacer) await(ctx context.Context, t *ticket, queued func()) (slots, error) {
	for first := true; ; first = false {
		used, answer, err := p.ask(ctx, t)
		if first {
			queued()
		}
		if err == nil && first && p.options.Waiting != nil {
			p.options.Waiting(answer.wait)
		}
		switch {
		case err == nil && answer.taken:
			return used, nil
		case err == nil && t.round == byNetwork && time.Since(t.joined) > t.limit: // others came first
			err = queueFull{answer.wait}
		case err == nil:
			err = pause(ctx, answer.again)
		}
		if err != nil {
			p.leave(context.WithoutCancel(ctx), t)
			return nil, err
		}
	}
}

// ask asks the shared slots, or the local ones if the shared ones are unavailable.
func (p *Pacer) ask(ctx context.Context, t *ticket) (slots, turn, error) {
	answer, err := p.shared.ask(ctx, t)
	if p.local == nil || !isUnavailable(ctx, err) {
		if !t.alone.IsZero() && err == nil {
			t.alone = time.Time{}
			_ = p.local.leave(ctx, t) // never fails
		}
		return p.shared, answer, err
	}
	if t.alone.IsZero() {
		t.alone = time.Now()
		p.options.Log.WarnContext(ctx, "shared throttle unavailable; using this process's share of the rate", "error", err)
	}
	answer, err = p.local.ask(ctx, t)
	return p.local, answer, err
}

// leave removes t from the queue. An unavailable one forgets it by itself.
func (p *Pacer) leave(ctx context.Context, t *ticket) {
	if p.local != nil {
		_ = p.local.leave(ctx, t)
	}
	if err := p.shared.leave(ctx, t); err != nil {
		p.options.Log.WarnContext(ctx, "place in the queue not given up", "error", err)
	}
}

// refusal is the fault for a full queue or a caller that has left. Other errors are
// returned as they are.
func refusal(err error) error {
	var full queueFull
	switch {
	case errors.As(err, &full):
		return tooLate(errors.Join(lookup.ErrNotAsked, full), full.wait)
	case errors.Is(err, context.Canceled):
		return lookup.Abandoned(err)
	}
	return err
}

// tooLate returns the fault for a caller whose turn would come after wait.
func tooLate(err error, wait time.Duration) error {
	return fault.Wrap(err, fault.Unavailable, "throttle_queue_full",
		"Sprawdzamy teraz wiele cen. Spróbuj ponownie za chwilę.").After(max(wait, time.Second))
}

// Places returns the places of the look-ups of any replica in the queue. It is zero for
// a look-up that does not wait. While Redis is unavailable, only the look-ups of this
// process are known, and the place of one that waits in Redis too is the one in this process
// until it asks again.
func (p *Pacer) Places(ctx context.Context, keys ...string) []lookup.Place {
	places := make([]lookup.Place, len(keys))
	byHash := map[string]int{}
	for i, key := range keys {
		byHash[hashed(key)] = i
	}
	for _, s := range []slots{p.shared, p.local} {
		if s == nil {
			continue
		}
		queue, _ := s.queue(ctx) // an unreachable queue counts as empty
		for n, w := range queue {
			if i, ok := byHash[w.key]; ok {
				places[i] = lookup.Place{Number: n + 1, Wait: w.wait}
			}
		}
	}
	return places
}

// State returns how many look-ups wait for a turn and the time between two requests, of all
// replicas or, while Redis is unavailable, of this process.
func (p *Pacer) State(ctx context.Context) (waiting int, interval time.Duration) {
	interval = p.options.Interval + time.Duration(p.extra.Load())
	queue, err := p.shared.queue(ctx)
	if err != nil && p.local != nil {
		queue, _ = p.local.queue(ctx) // never fails
		interval *= time.Duration(max(p.options.Replicas, 1))
	}
	return len(queue), interval
}

// isUnavailable reports whether err is neither a refusal nor due to a canceled caller.
func isUnavailable(ctx context.Context, err error) bool {
	var full queueFull
	return err != nil && ctx.Err() == nil && !errors.As(err, &full)
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
