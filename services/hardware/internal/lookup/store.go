package lookup

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/redis/go-redis/v9"
)

// Store keeps in Redis what all replicas know of one kind of values. Without Redis it knows nothing, and grants
// every claim.
type Store[V any] struct {
	client redis.UniversalClient
	ttl    time.Duration
	log    *slog.Logger
}

// NewStore returns a Store of values that are given out for ttl at most, whatever was stored.
func NewStore[V any](client redis.UniversalClient, ttl time.Duration, log *slog.Logger) *Store[V] {
	return &Store[V]{client: client, ttl: ttl, log: log}
}

const lease = 30 * time.Second

// format changes with the fields of a value, so that replicas of two versions can share a Redis.
const format = 9

// answerKey and claimKey are in one slot of a cluster. Replicas of two versions share claims, but not answers.
func answerKey(key string) string { return fmt.Sprintf("%sanswer:%d", tag(key), format) }

func claimKey(key string) string { return tag(key) + "claim" }

func tag(key string) string { return "hw:{" + Hashed(key) + "}:" }

// Hashed stands for a text in the keys of Redis, as those of look-ups have the words of a query.
func Hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// Read returns the stored outcome: an answer until it expires, any other for Remembered. It is zero if there is
// none.
func (r *Store[V]) Read(ctx context.Context, key string, now time.Time) Outcome[V] {
	return r.decode(ctx, now, r.client.Get(ctx, answerKey(key)))
}

// Claim is Read, and makes this process the one that looks key up, unless another one does. The claim precedes the
// reading, so that an answer stored in between is found.
func (r *Store[V]) Claim(ctx context.Context, key string, now time.Time) (o Outcome[V], mine bool) {
	pipe := r.client.TxPipeline()
	claim := pipe.SetNX(ctx, claimKey(key), 1, lease)
	answer := pipe.Get(ctx, answerKey(key))
	_, err := pipe.Exec(ctx)
	if err != nil && !errors.Is(err, redis.Nil) {
		r.log.WarnContext(ctx, "shared store unavailable; looking up alone", "error", err)
		return Outcome[V]{}, true
	}
	return r.decode(ctx, now, answer), claim.Val()
}

func (r *Store[V]) decode(ctx context.Context, now time.Time, stored *redis.StringCmd) Outcome[V] {
	data, err := stored.Bytes()
	if err != nil {
		return Outcome[V]{}
	}
	var o Outcome[V]
	if err := json.Unmarshal(data, &o); err != nil { // no other format has this key
		r.log.WarnContext(ctx, "damaged answer ignored", "error", err)
		return Outcome[V]{}
	}
	if o.Answer != nil {
		r.bound(o.Answer, now)
	}
	return o
}

func (r *Store[V]) bound(a *Answer[V], now time.Time) {
	latest := now.Add(r.ttl)
	if own := a.FetchedAt.Add(r.ttl); a.Shareable && own.Before(latest) {
		latest = own
	}
	if a.ExpiresAt.After(latest) {
		a.ExpiresAt = latest
	}
}

// Settle ends the claim. It stores o unless that is zero.
func (r *Store[V]) Settle(ctx context.Context, key string, o Outcome[V], now time.Time) {
	keep := Remembered
	switch {
	case o == (Outcome[V]{}):
		keep = 0
	case o.Answer != nil && o.Answer.Shareable:
		keep = o.Answer.ExpiresAt.Sub(now)
	}
	data, err := json.Marshal(o)
	if err != nil {
		keep = 0
	}
	pipe := r.client.TxPipeline()
	if keep > 0 {
		pipe.Set(ctx, answerKey(key), data, keep)
	}
	pipe.Del(ctx, claimKey(key))
	_, failed := pipe.Exec(ctx)
	if err = errors.Join(err, failed); err != nil {
		r.log.WarnContext(ctx, "outcome not shared", "error", err)
	}
}

// Forget removes key, here and from the copies of all replicas.
func (r *Store[V]) Forget(ctx context.Context, key string) (Outcome[V], error) {
	data, err := r.client.GetDel(ctx, answerKey(key)).Bytes()
	if err != nil && !errors.Is(err, redis.Nil) {
		return Outcome[V]{}, fmt.Errorf("forget: %w", err)
	}
	if err := r.client.Publish(ctx, forgetChannel(r.client), key).Err(); err != nil {
		return Outcome[V]{}, fmt.Errorf("forget: %w", err)
	}
	var o Outcome[V]
	_ = json.Unmarshal(data, &o) // zero if nothing was kept
	return o, nil
}

// forgetChannel carries the keys that replicas forget. Channels are common to all databases of a server, of which a
// cluster has one.
func forgetChannel(client redis.UniversalClient) string {
	database := 0
	if single, ok := client.(*redis.Client); ok {
		database = single.Options().DB
	}
	return fmt.Sprintf("hw:forget:%d", database)
}

// FollowForget removes from local what any replica forgets, until ctx ends. It reconnects by itself.
func FollowForget(ctx context.Context, client redis.UniversalClient, local *Local) {
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

// Local is this process's own copy of what was looked up.
type Local struct{ entries *otter.Cache[string, entry] }

type entry struct {
	value any
	bytes int
}

// entryBytes is roughly the overhead of an entry.
const entryBytes = 256

// NewLocal returns a Local of about maxBytes, which keeps the keys that are read often.
func NewLocal(maxBytes uint64) *Local {
	return &Local{entries: otter.Must(&otter.Options[string, entry]{
		MaximumWeight: maxBytes,
		Weigher: func(key string, e entry) uint32 {
			return uint32(entryBytes + len(key) + e.bytes) // #nosec G115 -- bodies are capped far below 4 GiB
		},
	})}
}

// Get returns the value of key, expired or not, or nil.
func (l *Local) Get(key string) any {
	e, _ := l.entries.GetIfPresent(key)
	return e.value
}

// Put replaces the value of key, which takes about that many bytes.
func (l *Local) Put(key string, value any, bytes int) { l.entries.Set(key, entry{value, bytes}) }

// Remove removes the value of key.
func (l *Local) Remove(key string) { l.entries.Invalidate(key) }
