// Package cache keeps in Redis what all replicas share: answers and the claims on look-ups
// under way, the clock of requests, pauses of sources, builds, and the last good rankings,
// which are on disk, too.
//
// When an answer is fresh, and who may have it, is decided by package lookup.
package cache

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/lookup"
)

// Redis is the shared store of all replicas for one kind of values.
type Redis[V lookup.Value] struct {
	client redis.UniversalClient
	ttl    time.Duration // longest that an answer may be given out
	now    func() time.Time
	log    *slog.Logger
}

// NewRedis returns a Redis on client for values that are given out for ttl at most,
// whatever was stored.
func NewRedis[V lookup.Value](
	client redis.UniversalClient, ttl time.Duration, now func() time.Time, log *slog.Logger,
) *Redis[V] {
	return &Redis[V]{client: client, ttl: ttl, now: now, log: log}
}

// answerKey and claimKey are in one slot of a cluster. The key itself is hashed because it
// has the words of a query in it. Replicas of two versions share claims, but not answers that
// the other one cannot read.
func answerKey(key string) string { return fmt.Sprintf("%sanswer:%d", tag(key), format) }

func claimKey(key string) string { return tag(key) + "claim" }

func tag(key string) string { return "hw:{" + hashed(key) + "}:" }

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// Read implements lookup.SharedStore.
func (r *Redis[V]) Read(ctx context.Context, key string) (lookup.Outcome[V], error) {
	return r.decode(ctx, key, r.client.Get(ctx, answerKey(key)))
}

// Claim implements lookup.SharedStore. The claim is made before the answer is read, so that
// an answer which is stored in between is found.
func (r *Redis[V]) Claim(ctx context.Context, key string, lease time.Duration) (lookup.Outcome[V], bool, error) {
	pipe := r.client.TxPipeline()
	claim := pipe.SetNX(ctx, claimKey(key), 1, lease)
	answer := pipe.Get(ctx, answerKey(key))
	_, err := pipe.Exec(ctx)
	if err != nil && !errors.Is(err, redis.Nil) {
		return lookup.Outcome[V]{}, false, fmt.Errorf("claim: %w", err)
	}
	o, err := r.decode(ctx, key, answer)
	return o, claim.Val(), err
}

// decode reads an outcome, and removes one that is damaged.
func (r *Redis[V]) decode(ctx context.Context, key string, stored *redis.StringCmd) (lookup.Outcome[V], error) {
	data, err := stored.Bytes()
	if errors.Is(err, redis.Nil) {
		return lookup.Outcome[V]{}, nil
	}
	if err != nil {
		return lookup.Outcome[V]{}, fmt.Errorf("read answer: %w", err)
	}
	o, err := decodeOutcome[V](data)
	if err != nil { // damaged: no other format has this key
		r.log.WarnContext(ctx, "damaged answer removed", "error", err)
		r.client.Del(ctx, answerKey(key))
		return lookup.Outcome[V]{}, nil
	}
	if o.Answer != nil {
		r.bound(o.Answer)
	}
	return o, nil
}

// bound keeps an answer from being given out for longer than any is meant to be.
func (r *Redis[V]) bound(a *lookup.Answer[V]) {
	latest := r.now().Add(r.ttl)
	if own := a.FetchedAt.Add(r.ttl); a.Shareable && own.Before(latest) {
		latest = own
	}
	if a.ExpiresAt.After(latest) {
		a.ExpiresAt = latest
	}
}

// Settle implements lookup.SharedStore.
func (r *Redis[V]) Settle(ctx context.Context, key string, o lookup.Outcome[V]) error {
	data, err := encodeOutcome(o)
	if err != nil {
		return err
	}
	keep := lookup.Remembered
	if o.Answer != nil && o.Answer.Shareable {
		keep = o.Answer.ExpiresAt.Sub(r.now())
	}
	pipe := r.client.TxPipeline()
	if keep > 0 {
		pipe.Set(ctx, answerKey(key), data, keep)
	}
	pipe.Del(ctx, claimKey(key))
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	return nil
}

// Release implements lookup.SharedStore.
func (r *Redis[V]) Release(ctx context.Context, key string) error {
	if err := r.client.Del(ctx, claimKey(key)).Err(); err != nil {
		return fmt.Errorf("release claim: %w", err)
	}
	return nil
}

// Forget implements lookup.SharedStore.
func (r *Redis[V]) Forget(ctx context.Context, key string) (lookup.Outcome[V], error) {
	data, err := r.client.GetDel(ctx, answerKey(key)).Bytes()
	if err != nil && !errors.Is(err, redis.Nil) {
		return lookup.Outcome[V]{}, fmt.Errorf("forget: %w", err)
	}
	if err := r.client.Publish(ctx, forgetChannel(r.client), key).Err(); err != nil {
		return lookup.Outcome[V]{}, fmt.Errorf("forget: %w", err)
	}
	o, _ := decodeOutcome[V](data) // none, or one that no replica could read
	return o, nil
}

// forgetChannel carries the keys that replicas forget. Unlike keys, channels are common to
// all databases of a server. A cluster has one.
func forgetChannel(client redis.UniversalClient) string {
	database := 0
	if single, ok := client.(*redis.Client); ok {
		database = single.Options().DB
	}
	return fmt.Sprintf("hw:forget:%d", database)
}

// FollowForget removes from local what any replica forgets, until ctx ends. It connects
// again by itself if Redis was unavailable.
func FollowForget(ctx context.Context, client redis.UniversalClient, local *lookup.Local) {
	subscription := client.Subscribe(ctx, forgetChannel(client))
	defer func() { _ = subscription.Close() }()
	messages := subscription.Channel(redis.WithChannelHealthCheckInterval(3 * time.Second))
	for {
		select {
		case <-ctx.Done():
			return
		case m, open := <-messages:
			if !open {
				return
			}
			local.Remove(m.Payload)
		}
	}
}
