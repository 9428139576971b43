package throttle

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

// Pacer gives out turns at one source. How a look-up waits depends on its lookup.Caller.
type Pacer struct {
	shared   slots
	local    slots       // used while shared is unavailable; may be nil
	presence *redisSlots // nil in this process alone
	options  Options
	refusals *refusals
}

// Options are the settings of a Pacer.
type Options struct {
	Interval time.Duration // least time between two requests of all replicas together
	MaxWait  time.Duration // longest that a look-up of the class lookup.Awaited is to wait
	Replicas int           // how many processes may share the source, at most
	// Waiting, which may be nil, is called with the time that a request is to wait for
	// its turn, as far as is known.
	Waiting func(time.Duration)
	// Rest, which may be nil, is asked when a turn has come for what is left of a
	// pause of the source: it may have refused another request meanwhile.
	Rest func(context.Context) time.Duration
	Log  *slog.Logger
}

// NewPacer returns a Pacer for this process alone.
func NewPacer(o Options) *Pacer {
	return newPacer(newMemorySlots(o.Interval, openFor(o.MaxWait), 0), nil, o)
}

func newPacer(shared, local slots, o Options) *Pacer {
	return &Pacer{shared: shared, local: local, options: o, refusals: newRefusals(o.Interval)}
}

// Turn blocks until the next request may be sent, and the caller calls sent when it
// was. A look-up that has begun goes before all that have not. Others may be refused by
// the fault throttle_queue_full, as their class says, and are dropped when nobody waits
// for them any more. A source that was paused meanwhile is the fault source_paused.
func (p *Pacer) Turn(ctx context.Context, r *lookup.Request) (sent func(), err error) {
	t := newTicket(r.Caller, r.Key, p.options.MaxWait)
	var used slots
	wait := func() error { used, err = p.await(ctx, t); return err }
	if r.Begun {
		err = wait()
	} else {
		err = p.refusal(r.Caller, r.AwaitTurn(wait))
	}
	if err != nil {
		return nil, err
	}
	r.Begun = true
	if p.options.Rest != nil {
		if rest := p.options.Rest(ctx); rest > 0 {
			return nil, lookup.Paused(rest)
		}
	}
	return func() {
		if err := used.sent(context.WithoutCancel(ctx)); err != nil {
			p.options.Log.WarnContext(ctx, "sent request not counted", "error", err)
		}
	}, nil
}

// KeepApart keeps requests at least d apart from now on, and never closer than the
// Interval. Every replica has to learn it.
func (p *Pacer) KeepApart(d time.Duration) {
	extra := max(d-p.options.Interval, 0)
	p.shared.widen(extra)
	if p.local != nil {
		p.local.widen(extra)
	}
}

// await stands in line until t's turn has come, and returns the slots that gave it.
func (p *Pacer) await(ctx context.Context, t *ticket) (slots, error) {
	for first := true; ; first = false {
		used, answer, err := p.ask(ctx, t)
		if err == nil && first && p.options.Waiting != nil {
			p.options.Waiting(answer.wait)
		}
		if err == nil && answer.taken {
			return used, nil
		}
		if err == nil {
			err = pause(ctx, answer.again)
		}
		if err != nil {
			p.leave(context.WithoutCancel(ctx), t)
			return nil, err
		}
	}
}

// ask asks the shared slots, or the local ones where the shared ones are unavailable.
func (p *Pacer) ask(ctx context.Context, t *ticket) (slots, turn, error) {
	answer, err := p.shared.ask(ctx, t)
	if p.local == nil || !isUnavailable(ctx, err) {
		if !t.alone.IsZero() && err == nil {
			t.alone = time.Time{}
			_ = p.local.leave(ctx, t) // a process never fails to leave its own line
		}
		return p.shared, answer, err
	}
	if t.alone.IsZero() {
		t.alone = time.Now()
		p.options.Log.WarnContext(ctx, "shared throttle is away; going on at this process's share of the rate", "error", err)
	}
	answer, err = p.local.ask(ctx, t)
	return p.local, answer, err
}

// leave gives t's place back. A shared line that is away forgets it by itself.
func (p *Pacer) leave(ctx context.Context, t *ticket) {
	if p.local != nil {
		_ = p.local.leave(ctx, t)
	}
	if err := p.shared.leave(ctx, t); err != nil {
		p.options.Log.WarnContext(ctx, "place in line not given back", "error", err)
	}
}

// refusal is the fault for a queue that is full or a caller that has gone. Other errors
// are returned as they are.
func (p *Pacer) refusal(c lookup.Caller, err error) error {
	var full queueFull
	switch {
	case errors.As(err, &full):
		p.refusals.note(c, full.wait)
		return queueIsFull(full)
	case errors.Is(err, context.Canceled):
		return lookup.Abandoned(err)
	}
	return err
}

func queueIsFull(full queueFull) error {
	return fault.Wrap(errors.Join(lookup.ErrNotAsked, full), fault.Unavailable, "throttle_queue_full",
		"Zbyt wiele zapytań czeka na odpowiedź źródła. Spróbuj ponownie za chwilę.").After(max(full.wait, time.Second))
}

// Refuse returns without any request the refusal that c would get: one of a moment ago.
func (p *Pacer) Refuse(c lookup.Caller) error {
	if wait, ok := p.refusals.standing(c); ok {
		return queueIsFull(queueFull{wait})
	}
	return nil
}

// Places tells where in line the look-ups of any replica stand; the zero Place stands
// for one that does not. While Redis is unavailable a replica knows only its own.
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
		line, _ := s.line(ctx) // a line that is away tells of nobody
		for n, w := range line {
			if i, ok := byHash[w.key]; ok {
				places[i] = lookup.Place{Number: n + 1, Wait: w.wait}
			}
		}
	}
	return places
}

// Place is Places for one look-up. It is not ok when that does not stand in line.
func (p *Pacer) Place(ctx context.Context, key string) (place lookup.Place, ok bool) {
	place = p.Places(ctx, key)[0]
	return place, place.Number > 0
}

// isUnavailable tells a failing store from a refusal and from a cancelled caller.
func isUnavailable(ctx context.Context, err error) bool {
	var full queueFull
	return err != nil && ctx.Err() == nil && !errors.As(err, &full)
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
