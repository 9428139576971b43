package throttle

import (
	"context"
	_ "embed" // the script
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed slots.lua
var slotsSource string

// safetyMargin is added to the interval between replicas, so that two requests arrive
// an interval apart even if the first one takes longer on its way.
const safetyMargin = 10 * time.Millisecond

// redisSlots are the slots of all replicas, by the clock of Redis. If their keys are
// missing, Redis has lost the time of the last request, and all wait a whole interval;
// waiting tickets take a place again when they ask the next time. The owner of a ticket
// that does not ask in time counts as dead.
type redisSlots struct {
	client         redis.Scripter
	script         *redis.Script
	keys           []string
	interval, open time.Duration
	extra          atomic.Int64 // by which the interval is longer now
}

// NewRedisPacer returns a Pacer over all replicas that share client and name. While
// Redis is unavailable, each of them keeps its requests Interval × Replicas apart and
// begins at a moment of its own, so that together they keep to the agreed rate.
func NewRedisPacer(client redis.Scripter, name string, o Options) *Pacer {
	shared := newRedisSlots(client, name, o.Interval+safetyMargin, openFor(o.MaxWait))
	return &Pacer{shared: shared, local: newOutageSlots(shared, o), options: o}
}

func newRedisSlots(client redis.Scripter, name string, interval, open time.Duration) *redisSlots {
	key := "hw:throttle:{" + name + "}"
	return &redisSlots{
		client: client, script: redis.NewScript(slotsSource), interval: interval, open: open,
		keys: []string{key, key + ":line", key + ":alive", key + ":served"},
	}
}

// request is the argument of the script. Times are in microseconds.
type request struct {
	Verb     string `json:"verb"` // ask, raise, leave, sent or queue
	Interval int64  `json:"interval"`
	Turns    int    `json:"turns"`  // that a look-up takes
	Ticket   string `json:"ticket"` // empty if it is new
	Lookup   string `json:"lookup"`
	// The rest is for ask and raise.
	Network  string   `json:"network"`
	Client   string   `json:"client"`
	Round    int64    `json:"round"`    // as in ticket
	Idle     int64    `json:"idle"`     // the round of idle work
	Admitted bool     `json:"admitted"` // it was let into the queue, which otherwise depends on the next three
	Most     int      `json:"most"`     // waiting tickets of the client
	Limit    int64    `json:"limit"`    // longest wait
	Waiting  int      `json:"waiting"`  // waiting tickets
	Open     int64    `json:"open"`     // how long networks may join a round
	Lookups  []string `json:"lookups"`  // to raise
}

func (r *redisSlots) request(verb string, t *ticket) request {
	return request{
		Verb: verb, Ticket: t.id, Network: hashed(t.network), Client: hashed(t.client), Lookup: hashed(t.key), Round: t.round,
		Idle: idleRound, Admitted: t.admitted, Most: t.most, Limit: t.limit.Microseconds(), Waiting: maxWaiting, Open: r.open.Microseconds(),
	}
}

func (r *redisSlots) ask(ctx context.Context, t *ticket) (turn, error) {
	text, err := r.run(ctx, r.request("ask", t)).Text()
	if err != nil {
		return turn{}, fmt.Errorf("ask for a turn: %w", err)
	}
	var answer struct {
		Ticket      string
		Taken       bool
		Again, Wait float64
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return turn{}, fmt.Errorf("ask for a turn: %w", err)
	}
	if answer.Ticket == "" {
		return turn{}, queueFull{micros(answer.Wait)}
	}
	t.id, t.admitted = answer.Ticket, true
	return turn{taken: answer.Taken, again: micros(answer.Again), wait: micros(answer.Wait)}, nil
}

func (r *redisSlots) raise(ctx context.Context, t *ticket, keys ...string) (waiting int, err error) {
	q := r.request("raise", t)
	for _, key := range keys {
		q.Lookups = append(q.Lookups, hashed(key))
	}
	if waiting, err = r.run(ctx, q).Int(); err != nil {
		return 0, fmt.Errorf("raise look-ups: %w", err)
	}
	return waiting, nil
}

func micros(n float64) time.Duration { return time.Duration(n) * time.Microsecond }

func (r *redisSlots) leave(ctx context.Context, t *ticket) error {
	if t.id == "" {
		return nil
	}
	if err := r.run(ctx, request{Verb: "leave", Ticket: t.id, Lookup: hashed(t.key)}).Err(); err != nil && !errors.Is(err, redis.Nil) {
		return fmt.Errorf("leave the queue: %w", err)
	}
	return nil
}

func (r *redisSlots) sent(ctx context.Context) error {
	if err := r.run(ctx, request{Verb: "sent"}).Err(); err != nil {
		return fmt.Errorf("record a request: %w", err)
	}
	return nil
}

func (r *redisSlots) queue(ctx context.Context) ([]waiter, error) {
	values, err := r.run(ctx, request{Verb: "queue"}).StringSlice()
	if err != nil {
		return nil, fmt.Errorf("read the queue: %w", err)
	}
	waiters := make([]waiter, 0, len(values)/2)
	for i := 0; i+1 < len(values); i += 2 {
		wait, err := strconv.ParseFloat(values[i+1], 64)
		if err != nil {
			return nil, fmt.Errorf("read the queue: %w", err)
		}
		waiters = append(waiters, waiter{values[i], micros(wait)})
	}
	return waiters, nil
}

func (r *redisSlots) widen(extra time.Duration) { r.extra.Store(int64(extra)) }

func (r *redisSlots) run(ctx context.Context, q request) *redis.Cmd {
	q.Interval, q.Turns = (r.interval + time.Duration(r.extra.Load())).Microseconds(), turnsPerLookup
	argument, _ := json.Marshal(q) // of numbers and texts
	return r.script.Run(ctx, r.client, r.keys, argument)
}
