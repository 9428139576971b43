package throttle

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// failureLimit failures in a row, none older than failureMemory, pause a source.
	failureLimit  = 5
	failureMemory = 5 * time.Minute
	failurePause  = 30 * time.Second
	// trial is how long the caller who is let through after a pause has time to
	// report before another one may try.
	trial = 20 * time.Second
)

// Breaker is a circuit breaker that pauses sources by name, for this process alone or
// through Redis for all replicas.
type Breaker struct {
	mu     sync.Mutex
	states map[string]*breakerState
	told   map[string]pauseTold // what the shared breaker last said of a pause
	shared *redisBreaker        // nil without Redis
	log    *slog.Logger
}

type breakerState struct {
	until     time.Time // end of the pause or the trial; zero without either
	onTrial   bool
	failures  int
	failedAt  time.Time
	failedKey string // of the look-up that failed last
}

// pauseTold is a pause that is remembered for a while.
type pauseTold struct{ end, until time.Time }

// toldFor is how long a pause is remembered: one of minutes, whose end nothing brings
// forward but the loss of what Redis knows.
const toldFor = 5 * time.Second

// NewBreaker returns a Breaker for this process alone.
func NewBreaker(log *slog.Logger) *Breaker {
	return &Breaker{states: map[string]*breakerState{}, told: map[string]pauseTold{}, log: log}
}

// NewRedisBreaker returns a Breaker for all replicas that share client. It also keeps
// what this process reported, to go by it while Redis is unavailable.
func NewRedisBreaker(client redis.Scripter, log *slog.Logger) *Breaker {
	b := NewBreaker(log)
	b.shared = newRedisBreaker(client)
	return b
}

// Allow reports whether name may be asked, and what is left of its pause. After a
// pause one caller at a time is allowed to try, until one reports success.
func (b *Breaker) Allow(ctx context.Context, name string) (rest time.Duration, ok bool) {
	if b.shared != nil {
		rest, err := b.shared.call(ctx, name, "allow", 0, "")
		if err == nil {
			b.remember(name, rest)
			return rest, rest == 0
		}
		b.logUnavailable(ctx, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.states[name]
	if s == nil || s.until.IsZero() {
		return 0, true
	}
	now := time.Now()
	if now.Before(s.until) {
		return s.until.Sub(now), false
	}
	s.until, s.onTrial = now.Add(trial), true
	return 0, true
}

func (b *Breaker) remember(name string, rest time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.told[name] = pauseTold{end: now.Add(rest), until: now.Add(min(rest, toldFor))}
}

// Told returns without asking anybody what is left of a pause of name that Allow told of
// a moment ago; zero when it did not.
func (b *Breaker) Told(name string) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	told, now := b.told[name], time.Now()
	if !now.Before(told.until) {
		return 0
	}
	return told.end.Sub(now)
}

// Rest returns what is left of a pause of name, and zero during a trial. It begins no
// trial: a caller who was allowed asks it again before sending the request.
func (b *Breaker) Rest(ctx context.Context, name string) time.Duration {
	if b.shared != nil {
		rest, err := b.shared.call(ctx, name, "rest", 0, "")
		if err == nil {
			return rest
		}
		b.logUnavailable(ctx, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.states[name]; s != nil && !s.onTrial {
		return max(time.Until(s.until), 0)
	}
	return 0
}

// Pause stops everybody from asking name for at least d.
func (b *Breaker) Pause(ctx context.Context, name string, d time.Duration) {
	b.callShared(ctx, name, "pause", d, "")
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state(name).pause(d)
}

// Fail counts a failure of name. It pauses name after several in a row, or at once
// when name was on trial. Failures of one look-up, identified by key, count once: its
// query may be what the source fails on.
func (b *Breaker) Fail(ctx context.Context, name, key string) {
	b.callShared(ctx, name, "fail", failurePause, key)
	b.mu.Lock()
	defer b.mu.Unlock()
	s, now := b.state(name), time.Now()
	if key != "" && key == s.failedKey && s.until.IsZero() {
		return
	}
	s.failedKey = key
	if now.Sub(s.failedAt) > failureMemory {
		s.failures = 0
	}
	s.failures, s.failedAt = s.failures+1, now
	if s.failures >= failureLimit || !s.until.IsZero() {
		s.pause(failurePause)
	}
}

// pause lasts for d, or until the end of a longer pause that is under way.
func (s *breakerState) pause(d time.Duration) {
	s.until, s.onTrial = later(s.until, time.Now().Add(d)), false
}

// Succeed forgets name's failures and ends its trial. A pause goes on, because what
// succeeded was sent before it began; rest is what is left of it.
func (b *Breaker) Succeed(ctx context.Context, name string) (rest time.Duration) {
	shared, ok := b.callShared(ctx, name, "succeed", 0, "")
	own := b.succeed(name)
	if ok {
		return shared
	}
	return own
}

func (b *Breaker) succeed(name string) (rest time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.states[name]; s != nil && !s.onTrial && time.Now().Before(s.until) {
		s.failures, s.failedKey = 0, ""
		return time.Until(s.until)
	}
	delete(b.states, name)
	return 0
}

func (b *Breaker) state(name string) *breakerState {
	if b.states[name] == nil {
		b.states[name] = &breakerState{}
	}
	return b.states[name]
}

// callShared reports to the breaker of all replicas, and returns what it says, if it does.
func (b *Breaker) callShared(ctx context.Context, name, verb string, d time.Duration, key string) (rest time.Duration, ok bool) {
	if b.shared == nil {
		return 0, false
	}
	rest, err := b.shared.call(context.WithoutCancel(ctx), name, verb, d, key)
	if err != nil {
		b.logUnavailable(ctx, err)
	}
	return rest, err == nil
}

func (b *Breaker) logUnavailable(ctx context.Context, err error) {
	b.log.WarnContext(ctx, "shared breaker is away; using this process's own", "error", err)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
