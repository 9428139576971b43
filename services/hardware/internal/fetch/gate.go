package fetch

import (
	"context"
	"errors"
	"time"

	"backend.example/services/hardware/internal/metrics"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/pace"
)

// Request is a look-up under way: for whom it is made, and the slot that it may use.
type Request struct {
	ID     string // of the look-up in the queue and in the count of failures
	Client string
	Class  pace.Class
	Asked  time.Time // since when its caller waits; zero if it begins now

	until time.Time // end of a slot that is not used yet
}

// Gate is the way to one source: its pauses, and the queue for its slots. A nil Gate lets
// every request through.
type Gate struct {
	Source   string      // its name in metrics and logs
	Queue    *pace.Queue // nil if its requests need no slots
	Pauses   *Pauses
	MaxWait  time.Duration // longest wait of a person for the first slot
	Failures int           // so many different look-ups that fail in a row pause the source
	Refusal  time.Duration // pause after a refusal that does not say how long it is meant to last
	Metrics  *metrics.Metrics
}

// failurePause is the pause after failures.
const failurePause = 30 * time.Second

// Enter waits until r may send its first request. The error is the fault source_paused or
// throttle_queue_full, or that of ctx.
func (g *Gate) Enter(ctx context.Context, r *Request) error {
	if err := g.check(ctx); err != nil {
		return err
	}
	longest := pace.NoLimit
	if r.Class == pace.Person {
		longest = g.MaxWait
		if !r.Asked.IsZero() {
			longest = max(0, longest-time.Since(r.Asked))
		}
	}
	return g.wait(ctx, r, r.Class, longest)
}

// turn waits until r may send its next request, unless it holds a slot.
func (g *Gate) turn(ctx context.Context, r *Request) error {
	if g == nil {
		return nil
	}
	held := time.Now().Before(r.until)
	r.until = time.Time{}
	if held {
		return nil
	}
	err := g.wait(ctx, r, pace.Begun, pace.NoLimit)
	r.until = time.Time{}
	return err
}

// Leave hands the slot of r to the next look-up.
func (g *Gate) Leave(r *Request) {
	if g.Queue != nil && !r.until.IsZero() {
		g.Queue.Pass(r.until)
	}
	r.until = time.Time{}
}

func (g *Gate) wait(ctx context.Context, r *Request, class pace.Class, longest time.Duration) error {
	if g.Queue == nil {
		return g.check(ctx)
	}
	begin := time.Now()
	until, err := g.Queue.Wait(ctx, pace.Ticket{ID: r.ID, Class: class, Client: r.Client}, longest)
	var full pace.Full
	if errors.As(err, &full) {
		return QueueFull(err, full.Wait)
	}
	if err != nil {
		return err
	}
	g.Metrics.Turn(class.String(), time.Since(begin))
	r.until = until
	return g.check(ctx)
}

// Place returns the position of the look-up with that id in the queue of this process, zero if
// it does not wait there.
func (g *Gate) Place(id string) Place {
	number, wait, _ := g.Queue.Place(id)
	return Place{number, wait}
}

// Place is the position of a look-up in the queue for its next slot. The wait is an estimate.
type Place struct {
	Number int // 1 is next
	Wait   time.Duration
}

// widen makes the interval between requests at least as long as d.
func (g *Gate) widen(d time.Duration) {
	if g != nil && g.Queue != nil {
		g.Queue.Widen(d)
	}
}

func (g *Gate) claimRobots(ctx context.Context, host string) (Robots, bool) {
	if g == nil {
		return Robots{}, true
	}
	return g.Pauses.claimRobots(ctx, host)
}

func (g *Gate) settleRobots(ctx context.Context, host string, r Robots) {
	if g != nil {
		g.Pauses.settleRobots(ctx, host, r)
	}
}

// check returns the fault source_paused during a pause. Look-ups that wait get it, too.
func (g *Gate) check(ctx context.Context) error {
	rest := g.Pauses.Rest(ctx, g.Source)
	if rest <= 0 {
		return nil
	}
	err := Paused(rest)
	if g.Queue != nil {
		g.Queue.Drop(err)
	}
	return err
}

// report notes how a request ended. It returns err, with the length of the pause that follows.
func (g *Gate) report(ctx context.Context, r *Request, err error) error {
	if g == nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	switch {
	case err == nil:
		g.Pauses.Succeed(ctx, g.Source)
	case fault.Is(err, CodeBlocked):
		f := fault.From(err)
		pause := min(f.RetryAfter, MaxPause)
		if pause <= 0 {
			pause = g.Refusal
		}
		g.Pauses.Begin(ctx, g.Source, pause, CodeBlocked)
		return f.After(pause)
	case IsFailing(err):
		f := fault.From(err)
		if g.Pauses.Fail(ctx, g.Source, r.ID) >= g.Failures {
			g.Pauses.Begin(ctx, g.Source, failurePause, f.Code)
		}
	}
	return err
}
