// Package cache keeps answers in Redis for all replicas, together with the claims on
// look-ups under way, and the last good rankings in Redis and on disk.
//
// When an answer is fresh, and who may have it, is decided by package lookup.
package cache

import (
	"context"
	"crypto/sha256"
	_ "embed" // the scripts
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/lookup"
)

var (
	//go:embed claim.lua
	claimSource string
	//go:embed renew.lua
	renewSource string
	//go:embed settle.lua
	settleSource string
	//go:embed release.lua
	releaseSource string
)

// Redis is the shared store of all replicas for one kind of values.
type Redis[V lookup.Value] struct {
	client  redis.UniversalClient
	channel string // carries every outcome to every replica
	claim   *redis.Script
	renew   *redis.Script
	settle  *redis.Script
	release *redis.Script
	ttl     time.Duration // longest that an answer may be given out
	now     func() time.Time
	log     *slog.Logger
}

// NewRedis returns a Redis on client for values of that kind, such as "price", which are
// given out for ttl at most, whatever was stored.
func NewRedis[V lookup.Value](client redis.UniversalClient, kind string, ttl time.Duration, now func() time.Time, log *slog.Logger) *Redis[V] {
	return &Redis[V]{
		client: client, channel: channel(client, kind), ttl: ttl, now: now, log: log, claim: redis.NewScript(claimSource),
		renew: redis.NewScript(renewSource), settle: redis.NewScript(settleSource),
		release: redis.NewScript(releaseSource),
	}
}

// channel carries the outcomes of a kind in this format. Unlike keys, channels are common to
// all databases of a server. A cluster has one.
func channel(client redis.UniversalClient, kind string) string {
	database := 0
	if single, ok := client.(*redis.Client); ok {
		database = single.Options().DB
	}
	return fmt.Sprintf("hw:outcomes:%d:%s:%d", database, kind, format)
}

// keys are those of an answer and of the claim on it, in one slot of a cluster. The key
// itself is hashed because it has the words of a query in it. Replicas of two versions share
// claims, but not answers that the other one cannot read.
func keys(key string) []string {
	tag := tag(key)
	return []string{fmt.Sprintf("%sanswer:%d", tag, format), tag + "claim"}
}

func tag(key string) string {
	sum := sha256.Sum256([]byte(key))
	return "hw:{" + base64.RawURLEncoding.EncodeToString(sum[:16]) + "}:"
}

// Claim implements lookup.SharedStore.
func (r *Redis[V]) Claim(ctx context.Context, key, owner string, lease, rest time.Duration) (lookup.Claim[V], error) {
	v, err := r.claim.Run(ctx, r.client, keys(key), owner, lease.Milliseconds(), rest.Milliseconds()).Result()
	if err != nil {
		return lookup.Claim[V]{}, fmt.Errorf("claim: %w", err)
	}
	kept, ok := v.(string)
	if !ok {
		return lookup.Claim[V]{Mine: v == int64(1)}, nil
	}
	a, err := decodeAnswer[V]([]byte(kept))
	if err != nil { // damaged: no other format has this key
		r.log.WarnContext(ctx, "damaged answer removed", "error", err)
		r.client.Del(ctx, keys(key)[0])
		return lookup.Claim[V]{}, nil // the next claim finds none
	}
	r.bound(a)
	return lookup.Claim[V]{Kept: a}, nil
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

// Release implements lookup.SharedStore.
func (r *Redis[V]) Release(ctx context.Context, key, owner string) error {
	if err := r.release.Run(ctx, r.client, keys(key)[1:], owner).Err(); err != nil {
		return fmt.Errorf("release claim: %w", err)
	}
	return nil
}

// Renew implements lookup.SharedStore.
func (r *Redis[V]) Renew(ctx context.Context, key, owner string, lease time.Duration) error {
	if err := r.renew.Run(ctx, r.client, keys(key)[1:], owner, lease.Milliseconds()).Err(); err != nil {
		return fmt.Errorf("renew claim: %w", err)
	}
	return nil
}

// Settle implements lookup.SharedStore.
func (r *Redis[V]) Settle(ctx context.Context, key, owner string, o lookup.Outcome[V]) error {
	data, err := encodeOutcome(o)
	if err != nil {
		return err
	}
	keep := int64(0)
	if o.Answer != nil && o.Answer.Shareable {
		keep = max(o.Answer.ExpiresAt.Sub(r.now()).Milliseconds(), 0)
	}
	if err := r.settle.Run(ctx, r.client, keys(key), owner, keep, data, r.channel, messageHead(key)).Err(); err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	return nil
}

// Forget implements lookup.SharedStore.
func (r *Redis[V]) Forget(ctx context.Context, key string) (*lookup.Answer[V], error) {
	data, err := encodeOutcome(lookup.Outcome[V]{Forgotten: true})
	if err != nil {
		return nil, err
	}
	kept, err := r.client.GetDel(ctx, keys(key)[0]).Bytes()
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, fmt.Errorf("forget: %w", err)
	}
	if err := r.client.Publish(ctx, r.channel, append(messageHead(key), data...)).Err(); err != nil {
		return nil, fmt.Errorf("forget: %w", err)
	}
	a, _ := decodeAnswer[V](kept) // nil if there was none, or one that no replica could read
	return a, nil
}

// messageHead is what a message begins with: the length of the key (uvarint) and the key.
func messageHead(key string) []byte {
	return append(binary.AppendUvarint(nil, uint64(len(key))), key...)
}

// Follow passes the outcomes of all replicas to receive until ctx ends. It connects
// again by itself when Redis was unavailable.
func (r *Redis[V]) Follow(ctx context.Context, receive func(key string, o lookup.Outcome[V])) {
	subscription := r.client.Subscribe(ctx, r.channel)
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
			bounded := func(key string, o lookup.Outcome[V]) {
				if o.Answer != nil {
					r.bound(o.Answer)
				}
				receive(key, o)
			}
			if err := deliver([]byte(m.Payload), bounded); err != nil {
				r.log.WarnContext(ctx, "message not understood", "error", err)
			}
		}
	}
}

// deliver reads a message: messageHead, outcome.
func deliver[V lookup.Value](message []byte, receive func(string, lookup.Outcome[V])) error {
	key, encoded, ok := cutPrefixed(message)
	if !ok {
		return errFormat
	}
	o, err := decodeOutcome[V](encoded)
	if err != nil {
		return err
	}
	receive(string(key), o)
	return nil
}

// cutPrefixed cuts off what begins with its length (uvarint).
func cutPrefixed(data []byte) (head, rest []byte, ok bool) {
	length, n := binary.Uvarint(data)
	if n <= 0 {
		return nil, nil, false
	}
	rest = data[n:]
	if length > uint64(len(rest)) {
		return nil, nil, false
	}
	return rest[:length], rest[length:], true
}
