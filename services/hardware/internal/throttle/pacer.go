package throttle

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/upstream"
	"backend.example/services/internal/kit/fault"
)

// Pacer gives out turns at one source.
type Pacer struct {
	shared  slots
	local   slots // used while shared is unavailable; may be nil
	options Options
}

// Options are the settings of a Pacer.
type Options struct {
	Interval time.Duration // least time between two requests of all replicas together
	MaxWait  time.Duration // longest queue that a new look-up joins
	Replicas int           // how many processes may share the source, at most
	// Waiting, which may be nil, is called with the time left until a turn.
	Waiting func(time.Duration)
	// Rest, which may be nil, is asked when a turn has come for what is left of a
	// pause of the source: it may have refused another request meanwhile.
	Rest func(context.Context) time.Duration
	Log  *slog.Logger
}

// NewPacer returns a Pacer for this process alone.
func NewPacer(o Options) *Pacer { return newPacer(newMemorySlots(o.Interval, 0), nil, o) }

func newPacer(shared, local slots, o Options) *Pacer {
	return &Pacer{shared: shared, local: local, options: o}
}

// Turn blocks until the next request may be sent, and the caller calls sent when it
// was. A look-up that has had a turn before is admitted, however long the queue has
// become. For others, a queue longer than MaxWait is the fault throttle_queue_full at
// once. A source that was paused meanwhile is the fault source_paused.
func (p *Pacer) Turn(ctx context.Context, admitted bool) (sent func(), err error) {
	limit := p.options.MaxWait
	if admitted {
		limit = math.MaxInt64
	}
	used, err := p.await(ctx, limit)
	if err != nil {
		return nil, p.refusal(err)
	}
	if p.options.Rest != nil {
		if rest := p.options.Rest(ctx); rest > 0 {
			return nil, upstream.Paused(rest)
		}
	}
	return func() {
		if err := used.sent(context.WithoutCancel(ctx)); err != nil {
			p.options.Log.WarnContext(ctx, "sent request not counted", "error", err)
		}
	}, nil
}

// await waits for a turn of the shared slots, or of the local ones where the shared
// ones are unavailable, and returns the slots that it used.
func (p *Pacer) await(ctx context.Context, limit time.Duration) (slots, error) {
	err := p.wait(ctx, p.shared, limit)
	if p.local == nil || !isUnavailable(ctx, err) {
		return p.shared, err
	}
	p.options.Log.WarnContext(ctx, "shared throttle is away; going on at this process's share of the rate", "error", err)
	return p.local, p.wait(ctx, p.local, limit)
}

// refusal is the fault for a queue that is full. Other errors are returned as they are.
func (p *Pacer) refusal(err error) error {
	var full queueFull
	if !errors.As(err, &full) {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "throttle_queue_full",
		"Zbyt wiele zapytań czeka na odpowiedź źródła. Spróbuj ponownie za chwilę.").After(max(full.wait-p.options.MaxWait, time.Second))
}

// Place tells where in the queue a look-up of any replica stands. A look-up that
// waits while Redis is unavailable is known to its own replica alone.
func (p *Pacer) Place(ctx context.Context, key string) (place lookup.Place, ok bool) {
	for _, s := range []slots{p.shared, p.local} {
		if s == nil {
			continue
		}
		if place, err := s.place(ctx, key); err == nil && place.Number > 0 {
			return place, true
		}
	}
	return lookup.Place{}, false
}

// isUnavailable tells a failing store from a refusal and from a cancelled caller.
func isUnavailable(ctx context.Context, err error) bool {
	var full queueFull
	return err != nil && ctx.Err() == nil && !errors.As(err, &full)
}

func (p *Pacer) wait(ctx context.Context, s slots, limit time.Duration) error {
	ticket, rest, err := s.reserve(ctx, limit)
	if err != nil {
		return err
	}
	for {
		if p.options.Waiting != nil {
			p.options.Waiting(rest)
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
