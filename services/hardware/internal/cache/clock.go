// Package cache keeps in Redis what all replicas share besides answers: the clock of requests and what is known of
// sources.
package cache

import (
	"context"
	_ "embed" // the script
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed clock.lua
var clockSource string

// Clock is the pace.Clock of all replicas, by the time of Redis. While Redis is unavailable this process goes on
// alone with an interval as many times longer as there may be replicas.
type Clock struct {
	client   redis.UniversalClient
	script   *redis.Script
	replicas int
	log      *slog.Logger

	mu     sync.Mutex
	epochs map[string]string // of the last slot, by key
}

// NewClock returns the Clock of so many replicas at most.
func NewClock(client redis.UniversalClient, replicas int, log *slog.Logger) *Clock {
	return &Clock{
		client: client, script: redis.NewScript(clockSource), replicas: replicas, log: log, epochs: map[string]string{},
	}
}

const widestFor = time.Minute

// retryEvery is how often Redis is tried during the wait for an own slot. An attempt takes less, so none makes it
// late.
const retryEvery = time.Second

// Next implements pace.Clock. Without Redis the slot is counted from now. Next then returns only when it has come,
// and gives it up if Redis is back by then.
func (c *Clock) Next(ctx context.Context, key string, interval time.Duration, burst int) (time.Time, error) {
	at, err := c.shared(ctx, key, interval, burst)
	if err != nil {
		c.log.WarnContext(ctx, "clock of all replicas unavailable", "error", err)
		return c.nextAlone(ctx, key, interval, burst)
	}
	return at, nil
}

func (c *Clock) nextAlone(ctx context.Context, key string, interval time.Duration, burst int) (time.Time, error) {
	own := time.Now().Add(interval * time.Duration(c.replicas))
	for {
		pause := time.Until(own)
		isLast := pause < 2*retryEvery
		if !isLast {
			pause = retryEvery
		}
		select {
		case <-ctx.Done():
			return time.Time{}, ctx.Err()
		case <-time.After(pause):
		}
		if isLast {
			c.note(key, alone)
			return own, nil
		}
		at, err := c.shared(ctx, key, interval, burst)
		if err != nil {
			continue
		}
		return at, nil
	}
}

// IsValid implements pace.Clock: slots from before Redis lost its data may collide with those since.
func (c *Clock) IsValid(ctx context.Context, key string) bool {
	c.mu.Lock()
	given := c.epochs[key]
	c.mu.Unlock()
	if given == alone {
		return true
	}
	epoch, err := c.client.HGet(ctx, clockKey(key), "epoch").Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return true
	}
	return given == epoch
}

const alone = "alone"

func (c *Clock) note(key, epoch string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epochs[key] = epoch
}

func clockKey(key string) string { return "hw:clock:{" + key + "}" }

// shared takes the time of Redis to be that in the middle of the exchange.
func (c *Clock) shared(ctx context.Context, key string, interval time.Duration, burst int) (time.Time, error) {
	begin := time.Now()
	values, err := c.script.Run(ctx, c.client, []string{clockKey(key)},
		interval.Microseconds(), burst, widestFor.Microseconds()).StringSlice()
	if err != nil {
		return time.Time{}, fmt.Errorf("reserve a slot: %w", err)
	}
	middle := begin.Add(time.Since(begin) / 2)
	micros, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("reserve a slot: %w", err)
	}
	c.note(key, values[1])
	return middle.Add(time.Duration(micros) * time.Microsecond), nil
}
