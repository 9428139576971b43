package cache

import (
	"context"
	_ "embed" // the script
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/prices"
)

//go:embed asked.lua
var askedSource string

// RedisAsked keeps what people asked for, for all replicas. It implements prices.SharedProducts.
type RedisAsked struct {
	client redis.UniversalClient
	script *redis.Script
	ttl    time.Duration
}

// NewRedisAsked returns RedisAsked on client. A category that is not merged for ttl is forgotten.
func NewRedisAsked(client redis.UniversalClient, ttl time.Duration) *RedisAsked {
	return &RedisAsked{client: client, script: redis.NewScript(askedSource), ttl: ttl}
}

// Merge implements prices.SharedProducts.
func (r *RedisAsked) Merge(ctx context.Context, category catalog.Category, added []prices.Asked, since time.Time) ([]prices.Asked, error) {
	prefix := "hw:{asked:" + string(category) + "}:"
	args := []any{since.UnixMilli(), prices.MaxRemembered, int(r.ttl.Seconds())}
	for _, a := range added {
		args = append(args, a.Key, a.Name, a.Times, a.At.UnixMilli())
	}
	found, err := r.script.Run(ctx, r.client, []string{prefix + "names", prefix + "times", prefix + "last"}, args...).StringSlice()
	if err != nil {
		return nil, fmt.Errorf("share what was asked for: %w", err)
	}
	var all []prices.Asked
	for i := 0; i+3 < len(found); i += 4 {
		times, timesErr := strconv.Atoi(found[i+2])
		last, lastErr := strconv.ParseFloat(found[i+3], 64)
		if timesErr != nil || lastErr != nil {
			continue // not ours
		}
		all = append(all, prices.Asked{Key: found[i], Name: found[i+1], Times: times, At: time.UnixMilli(int64(last))})
	}
	return all, nil
}
