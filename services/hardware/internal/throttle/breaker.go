package throttle

import (
	"context"
	_ "embed" // the script
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
	// trial is how long the caller that is allowed after a pause has time to report
	// before the next one may try.
	trial = 20 * time.Second
)

//go:embed breaker.lua
var breakerSource string

// Breaker is a circuit breaker that pauses sources by name, for this process alone or
// through Redis for all replicas. It also keeps what this process reported, for the
// time in which Redis is unavailable.
type Breaker struct {
	mu     sync.Mutex
	states map[string]*breakerState
	redis  redis.Scripter // nil without Redis
	script *redis.Script
	log    *slog.Logger
}

type breakerState struct {
	until     time.Time // end of the pause or the trial; zero without either
	onTrial   bool
	failures  int
	failedAt  time.Time
	failedKey string // of the look-up that failed last
}

// NewBreaker returns a Breaker for this process alone.
func NewBreaker(log *slog.Logger) *Breaker { return NewRedisBreaker(nil, log) }

// NewRedisBreaker returns a Breaker for all replicas that share client.
func NewRedisBreaker(client redis.Scripter, log *slog.Logger) *Breaker {
	return &Breaker{states: map[string]*breakerState{}, redis: client, script: redis.NewScript(breakerSource), log: log}
}

// Allow reports whether requests to name are allowed, and returns what is left of its
// pause. After a pause one caller at a time is allowed to try, until one reports success.
func (b *Breaker) Allow(ctx context.Context, name string) (rest time.Duration, ok bool) {
	if rest, ok := b.shared(ctx, name, "allow", 0, ""); ok {
		return rest, rest == 0
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

// Rest returns what is left of a pause of name, and zero during a trial. It begins no
// trial: a caller that was allowed calls it before sending the request.
func (b *Breaker) Rest(ctx context.Context, name string) time.Duration {
	if rest, ok := b.shared(ctx, name, "rest", 0, ""); ok {
		return rest
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.states[name]; s != nil && !s.onTrial {
		return max(time.Until(s.until), 0)
	}
	return 0
}

// Pause stops all requests to name for at least d.
func (b *Breaker) Pause(ctx context.Context, name string, d time.Duration) {
	b.shared(context.WithoutCancel(ctx), name, "pause", d, "")
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state(name).pause(d)
}

// Fail counts a failure of name. It pauses name after several in a row, or at once
// when name was on trial. Failures of one look-up, identified by key, count once: its
// query may be what the source fails on.
func (b *Breaker) Fail(ctx context.Context, name, key string) {
	b.shared(context.WithoutCancel(ctx), name, "fail", failurePause, key)
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
	if until := time.Now().Add(d); until.After(s.until) {
		s.until = until
	}
	s.onTrial = false
}

// Succeed forgets name's failures and ends its trial. A pause goes on, because what
// succeeded was sent before it began; rest is what is left of it.
func (b *Breaker) Succeed(ctx context.Context, name string) (rest time.Duration) {
	shared, ok := b.shared(context.WithoutCancel(ctx), name, "succeed", 0, "")
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

// shared runs one verb of the script and returns what is left of the pause. It is not
// ok without Redis or if that is unavailable.
func (b *Breaker) shared(ctx context.Context, name, verb string, d time.Duration, key string) (rest time.Duration, ok bool) {
	if b.redis == nil {
		return 0, false
	}
	if key != "" {
		key = hashed(key)
	}
	millis, err := b.script.Run(ctx, b.redis, []string{"hw:breaker:{" + name + "}"}, verb,
		d.Milliseconds(), failureLimit, failureMemory.Milliseconds(), trial.Milliseconds(), key).Int64()
	if err != nil {
		b.log.WarnContext(ctx, "shared breaker unavailable; using this process's own", "error", err)
	}
	return time.Duration(millis) * time.Millisecond, err == nil
}
