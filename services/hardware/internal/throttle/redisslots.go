package throttle

import (
	"context"
	"crypto/sha256"
	_ "embed" // the script
	"encoding/base64"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed slots.lua
var slotsSource string

// safetyMargin is added to the interval between replicas, so that two requests arrive
// an interval apart even when the first one takes longer on its way.
const safetyMargin = 10 * time.Millisecond

// redisSlots are the slots of all replicas, by the clock of Redis. When their keys are
// missing, Redis has lost when the last request was sent, and everybody waits a whole
// interval; who stands in line takes a place again when it asks the next time. Who
// does not ask in time is taken for dead.
type redisSlots struct {
	client   redis.Scripter
	script   *redis.Script
	keys     []string
	replicas int // how many there may be
	interval time.Duration
	extra    atomic.Int64  // by which the interval is longer now
	open     time.Duration // how long those who had no turn in a round may join it
}

// NewRedisPacer returns a Pacer over all replicas that share client and name. While
// Redis is unavailable, each of them keeps its requests Interval × Replicas apart and
// begins at a moment of its own, so that together they keep to the agreed rate.
func NewRedisPacer(client redis.Scripter, name string, o Options) *Pacer {
	shared := newRedisSlots(client, name, o.Interval+safetyMargin, openFor(o.MaxWait))
	shared.replicas = max(o.Replicas, 1)
	p := newPacer(shared, newOutageSlots(shared, o), o)
	p.presence = shared
	return p
}

func newRedisSlots(client redis.Scripter, name string, interval, open time.Duration) *redisSlots {
	key := "hw:throttle:{" + name + "}"
	return &redisSlots{
		client: client, script: redis.NewScript(slotsSource), replicas: 1, interval: interval, open: open,
		keys: []string{key, key + ":line", key + ":alive", key + ":served", key + ":present"},
	}
}

func (r *redisSlots) ask(ctx context.Context, t *ticket) (turn, error) {
	values, err := r.run(ctx, "ask", t.id, hashed(t.client), hashed(t.key), t.round, t.admitted,
		t.most, t.limit.Microseconds(), maxWaiting, int64(idleRound), r.open.Microseconds()).Slice()
	if err != nil {
		return turn{}, fmt.Errorf("ask for a turn: %w", err)
	}
	a, err := parseAnswer(values)
	switch {
	case err != nil:
		return turn{}, err
	case a.id == "":
		return turn{}, queueFull{a.wait}
	}
	t.id, t.admitted = a.id, true
	return a.turn, nil
}

// answer is what the script says of a ticket.
type answer struct {
	id string
	turn
}

func parseAnswer(values []any) (a answer, err error) {
	if len(values) != 4 {
		return a, fmt.Errorf("script answered %d values", len(values))
	}
	id, ok := values[0].(string)
	taken, ok1 := values[1].(int64)
	again, ok2 := values[2].(int64)
	wait, ok3 := values[3].(int64)
	if !ok || !ok1 || !ok2 || !ok3 {
		return a, errors.New("script answered values of another type")
	}
	return answer{id, turn{taken: taken == 1, again: micros(again), wait: micros(wait)}}, nil
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

func (r *redisSlots) leave(ctx context.Context, t *ticket) error {
	if t.id == "" {
		return nil
	}
	if err := r.run(ctx, "leave", t.id).Err(); err != nil && !errors.Is(err, redis.Nil) {
		return fmt.Errorf("leave the line: %w", err)
	}
	return nil
}

func (r *redisSlots) sent(ctx context.Context) error {
	if err := r.run(ctx, "sent").Err(); err != nil {
		return fmt.Errorf("note request: %w", err)
	}
	return nil
}

func (r *redisSlots) line(ctx context.Context) ([]waiter, error) {
	values, err := r.run(ctx, "line").Slice()
	if err != nil {
		return nil, fmt.Errorf("read the line: %w", err)
	}
	waiters := make([]waiter, 0, len(values)/2)
	for i := 0; i+1 < len(values); i += 2 {
		key, _ := values[i].(string)
		wait, _ := values[i+1].(int64)
		waiters = append(waiters, waiter{key, micros(wait)})
	}
	return waiters, nil
}

func (r *redisSlots) widen(extra time.Duration) { r.extra.Store(int64(extra)) }

func (r *redisSlots) run(ctx context.Context, verb string, args ...any) *redis.Cmd {
	interval := r.interval + time.Duration(r.extra.Load())
	return r.script.Run(ctx, r.client, r.keys, append([]any{verb, interval.Microseconds(), r.replicas}, args...)...)
}

// hashed stands for a name in Redis: that of a look-up has the words of a query in it,
// that of a client an address.
func hashed(name string) string {
	sum := sha256.Sum256([]byte(name))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
