package throttle

import (
	"context"
	"crypto/sha256"
	_ "embed" // the script
	"encoding/base64"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/lookup"
)

//go:embed slots.lua
var slotsSource string

// safetyMargin is added to the interval between replicas, so that two requests arrive
// an interval apart even when the first one takes longer on its way.
const safetyMargin = 10 * time.Millisecond

// redisSlots keeps the requests of all replicas an interval apart, by the clock of
// Redis. Its key never expires. When it is missing, Redis has lost when the last
// request was sent, and everybody waits a whole interval.
type redisSlots struct {
	client   redis.Scripter
	script   *redis.Script
	key      string
	interval time.Duration
}

// NewRedisPacer returns a Pacer over all replicas that share client and name. While
// Redis is unavailable, each of them keeps its requests Interval × Replicas apart and
// begins at a moment of its own, so that together they keep to the agreed rate.
func NewRedisPacer(client redis.Scripter, name string, o Options) *Pacer {
	shared := newRedisSlots(client, name, o.Interval+safetyMargin)
	return newPacer(shared, newOutageSlots(shared, o), o)
}

func newRedisSlots(client redis.Scripter, name string, interval time.Duration) *redisSlots {
	return &redisSlots{
		client: client, script: redis.NewScript(slotsSource),
		key: "hw:throttle:{" + name + "}", interval: interval,
	}
}

func (r *redisSlots) reserve(ctx context.Context, limit time.Duration) (ticket int64, wait time.Duration, err error) {
	ticket, wait, err = r.call(ctx, "reserve", limit.Microseconds())
	switch {
	case err != nil:
		return 0, 0, fmt.Errorf("reserve turn: %w", err)
	case ticket == 0:
		return 0, 0, queueFull{wait}
	}
	return ticket, wait, nil
}

func (r *redisSlots) start(ctx context.Context, ticket int64) (time.Duration, error) {
	_, wait, err := r.call(ctx, "start", ticket)
	if err != nil {
		return 0, fmt.Errorf("take turn: %w", err)
	}
	return wait, nil
}

func (r *redisSlots) sent(ctx context.Context) error {
	if _, _, err := r.call(ctx, "sent", 0); err != nil {
		return fmt.Errorf("note request: %w", err)
	}
	return nil
}

func (r *redisSlots) place(ctx context.Context, key string) (lookup.Place, error) {
	_, wait, err := r.run(ctx, "place", 0, key)
	if err != nil {
		return lookup.Place{}, fmt.Errorf("look up place: %w", err)
	}
	return placeAfter(wait, r.interval), nil
}

func (r *redisSlots) call(ctx context.Context, verb string, arg int64) (ticket int64, wait time.Duration, err error) {
	return r.run(ctx, verb, arg, lookup.KeyOf(ctx))
}

func (r *redisSlots) run(ctx context.Context, verb string, arg int64, key string) (ticket int64, wait time.Duration, err error) {
	keys := []string{r.key}
	if key != "" {
		keys = append(keys, r.turnKey(key))
	}
	v, err := r.script.Run(ctx, r.client, keys, verb, r.interval.Microseconds(), arg).Int64Slice()
	switch {
	case err != nil:
		return 0, 0, err
	case len(v) != 2:
		return 0, 0, fmt.Errorf("script %s answered %d values", verb, len(v))
	}
	return v[0], time.Duration(v[1]) * time.Microsecond, nil
}

// turnKey exists for as long as a look-up waits for its turn. The name is hashed
// because it has the words of a query in it.
func (r *redisSlots) turnKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return r.key + ":turn:" + base64.RawURLEncoding.EncodeToString(sum[:16])
}
