package fetch

import (
	"context"
	"errors"
	"log/slog"
	"sync"
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

	until  time.Time     // end of a slot that is not used yet
	waited time.Duration // for slots, for the log
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

const (
	// failurePause is the pause after failures.
	failurePause = 30 * time.Second
	// failureMemory is how long a failure counts.
	failureMemory = 5 * time.Minute
)

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
	waited := time.Since(begin)
	r.waited += waited
	g.Metrics.Turn(class.String(), waited)
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

// Pauses are those of all sources, for all replicas. What this process has noted itself
// counts while the shared store is unavailable.
type Pauses struct {
	shared  SourceStore
	own     *MemoryStore
	metrics *metrics.Metrics
	log     *slog.Logger

	mu     sync.Mutex
	paused map[string]bool
}

// NewPauses returns Pauses. shared is nil if this process is the only one.
func NewPauses(shared SourceStore, m *metrics.Metrics, log *slog.Logger) *Pauses {
	p := &Pauses{shared: shared, own: &MemoryStore{}, metrics: m, log: log, paused: map[string]bool{}}
	if shared == nil {
		p.shared = p.own
	}
	return p
}

// Rest returns what is left of the pause of a source, zero if there is none.
func (p *Pauses) Rest(ctx context.Context, source string) time.Duration {
	pause, err := p.shared.Pause(ctx, source)
	if err != nil {
		pause, _ = p.own.Pause(ctx, source) // never fails
	}
	rest := max(0, time.Until(pause.Until))
	p.note(ctx, source, rest, pause.Code)
	return rest
}

// Begin pauses a source.
func (p *Pauses) Begin(ctx context.Context, source string, d time.Duration, code string) {
	pause := Pause{Until: time.Now().Add(d), Code: code}
	_ = p.own.SetPause(ctx, source, pause) // never fails
	if err := p.shared.SetPause(ctx, source, pause); err != nil {
		p.log.WarnContext(ctx, "pause not shared", "source", source, "error", err)
	}
	p.note(ctx, source, d, code)
}

// Fail counts a failed look-up, and returns how many have failed in a row.
func (p *Pauses) Fail(ctx context.Context, source, id string) int {
	own, _ := p.own.AddFailure(ctx, source, id, failureMemory) // never fails
	n, err := p.shared.AddFailure(ctx, source, id, failureMemory)
	if err != nil {
		return own
	}
	return n
}

// Succeed forgets the failures of a source.
func (p *Pauses) Succeed(ctx context.Context, source string) {
	_ = p.own.ClearFailures(ctx, source) // never fails
	if err := p.shared.ClearFailures(ctx, source); err != nil {
		p.log.DebugContext(ctx, "failures not cleared", "source", source, "error", err)
	}
}

// claimRobots is SourceStore.ClaimRobots. Without the store each replica reads the file itself.
func (p *Pauses) claimRobots(ctx context.Context, host string) (Robots, bool) {
	r, mine, err := p.shared.ClaimRobots(ctx, host)
	if err != nil {
		return Robots{}, true
	}
	return r, mine
}

func (p *Pauses) settleRobots(ctx context.Context, host string, r Robots) {
	if err := p.shared.SettleRobots(context.WithoutCancel(ctx), host, r); err != nil {
		p.log.WarnContext(ctx, "robots.txt not shared", "host", host, "error", err)
	}
}

// note logs the beginning and the end of a pause as this process sees them.
func (p *Pauses) note(ctx context.Context, source string, rest time.Duration, code string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	paused := rest > 0
	if paused == p.paused[source] {
		return
	}
	p.paused[source] = paused
	p.metrics.Paused(source, paused)
	if paused {
		p.log.WarnContext(ctx, "source paused", "source", source, "cause", code, "seconds", rest.Seconds())
	} else {
		p.log.InfoContext(ctx, "source no longer paused", "source", source)
	}
}
