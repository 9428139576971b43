// Package throttle keeps the requests to one source apart and pauses a source
// that refuses us, over all replicas: the state lives in Redis and its clock, or
// in this process when there is no Redis or it is away.
//
// What counts as a failure, and for how long a source is left alone, is decided
// by the domain.
package throttle

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"time"

	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/hardware/internal/upstream"
	"backend.example/services/internal/kit/fault"
)

// slots hands out the moments at which requests may be sent.
type slots interface {
	// reserve takes the next free slot and returns its ticket, numbered from 1 in
	// the order of the slots, and the time left until it; or a queueFull error
	// when that is longer than limit.
	reserve(ctx context.Context, limit time.Duration) (ticket int64, wait time.Duration, err error)
	// start returns zero when the ticket's request may be sent now, or how long
	// the gap to the request before still has to grow: a slot's owner may have
	// been late. Ticket 0 is that of nobody who reserved.
	start(ctx context.Context, ticket int64) (time.Duration, error)
	// sent says that the request has left just now; the next gap counts from here.
	sent(ctx context.Context) error
	// place tells where the look-up of that name, which ctx carries when it
	// reserves, stands in the line; zero when it does not wait.
	place(ctx context.Context, lookup string) (hardware.Place, error)
}

// queueFull is the refusal of a reservation whose turn would come after wait.
type queueFull struct{ wait time.Duration }

func (queueFull) Error() string { return "throttle queue is full" }

// Pacer gives out turns at one source.
type Pacer struct {
	shared  slots
	local   slots // takes over while shared is away
	maxWait time.Duration
	waiting func(time.Duration)
	rest    func(context.Context) time.Duration
	log     *slog.Logger
}

// Options of a Pacer.
type Options struct {
	Interval time.Duration // least time between two requests of all replicas together
	MaxWait  time.Duration // longest queue that a new look-up joins
	Replicas int           // how many processes may share the source, at most
	// Waiting is told how long a turn is still away, each time it is known.
	Waiting func(time.Duration)
	// Rest tells, when a turn has come, what is left of a pause of the source: it
	// may have refused others meanwhile.
	Rest func(context.Context) time.Duration
	Log  *slog.Logger
}

// NewPacer returns a Pacer for this process alone.
func NewPacer(o Options) *Pacer { return newPacer(newMemorySlots(o.Interval, 0), nil, o) }

func newPacer(shared, local slots, o Options) *Pacer {
	return &Pacer{shared: shared, local: local, maxWait: o.MaxWait, waiting: o.Waiting, rest: o.Rest, log: o.Log}
}

// Turn blocks until the next request may be sent; the caller reports with sent
// that it was. A look-up that had a turn already is admitted: it is let to its
// end, however long the queue has become. A queue longer than MaxWait answers
// others at once with the fault throttle_queue_full; a source that was paused
// meanwhile answers source_paused.
func (p *Pacer) Turn(ctx context.Context, admitted bool) (sent func(), err error) {
	limit := p.maxWait
	if admitted {
		limit = math.MaxInt64
	}
	s := p.shared
	err = p.wait(ctx, s, limit)
	if p.local != nil && isAway(ctx, err) {
		p.log.WarnContext(ctx, "shared throttle is away; going on at this process's share of the rate", "error", err)
		s = p.local
		err = p.wait(ctx, s, limit)
	}
	var full queueFull
	switch {
	case errors.As(err, &full):
		return nil, fault.Wrap(err, fault.Unavailable, "throttle_queue_full",
			"Zbyt wiele zapytań czeka na odpowiedź źródła. Spróbuj ponownie za chwilę.").After(max(full.wait-p.maxWait, time.Second))
	case err != nil:
		return nil, err
	}
	if p.rest != nil {
		if rest := p.rest(ctx); rest > 0 {
			return nil, upstream.Paused(rest)
		}
	}
	return func() {
		if err := s.sent(context.WithoutCancel(ctx)); err != nil {
			p.log.WarnContext(ctx, "sent request not counted", "error", err)
		}
	}, nil
}

// Place tells where a look-up stands in the line, whichever replica it is of. A
// look-up that waits while Redis is away is known to its own replica alone.
func (p *Pacer) Place(ctx context.Context, lookup string) (place hardware.Place, ok bool) {
	for _, s := range []slots{p.shared, p.local} {
		if s == nil {
			continue
		}
		if place, err := s.place(ctx, lookup); err == nil && place.Number > 0 {
			return place, true
		}
	}
	return hardware.Place{}, false
}

// placeAfter is the place of a look-up whose turn comes after wait: the turns in
// front of it are an interval apart.
func placeAfter(wait, interval time.Duration) hardware.Place {
	if wait <= 0 {
		return hardware.Place{}
	}
	return hardware.Place{Number: int((wait + interval - 1) / interval), Wait: wait}
}

// isAway tells a failing store from a refusal and from a caller that has left.
func isAway(ctx context.Context, err error) bool {
	var full queueFull
	return err != nil && ctx.Err() == nil && !errors.As(err, &full)
}

func (p *Pacer) wait(ctx context.Context, s slots, limit time.Duration) error {
	ticket, rest, err := s.reserve(ctx, limit)
	if err != nil {
		return err
	}
	for {
		if p.waiting != nil {
			p.waiting(rest)
		}
		if err := pause(ctx, rest); err != nil {
			return err
		}
		if rest, err = s.start(ctx, ticket); err != nil || rest == 0 {
			return err
		}
	}
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
