package throttle

import (
	"context"
	_ "embed" // the script
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed breaker.lua
var breakerSource string

// redisBreaker is the state of a Breaker that all replicas share.
type redisBreaker struct {
	client redis.Scripter
	script *redis.Script
}

func newRedisBreaker(client redis.Scripter) *redisBreaker {
	return &redisBreaker{client: client, script: redis.NewScript(breakerSource)}
}

// call runs one verb of the script and returns what is left of the pause.
func (r *redisBreaker) call(ctx context.Context, name, verb string, d time.Duration, key string) (time.Duration, error) {
	if key != "" {
		key = hashed(key)
	}
	millis, err := r.script.Run(ctx, r.client, []string{"hw:breaker:{" + name + "}"}, verb,
		d.Milliseconds(), failureLimit, failureMemory.Milliseconds(), trial.Milliseconds(), key).Int64()
	return time.Duration(millis) * time.Millisecond, err
}
