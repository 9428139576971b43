package lookup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/redis/go-redis/v9"
)

// Store keeps in Redis what all replicas know of one kind of values. While Redis is unavailable
// it knows nothing, and every claim is granted.
type Store[V Value] struct {
	client redis.UniversalClient
	ttl    time.Duration // longest that an answer may be given out
	log    *slog.Logger
}

// NewStore returns a Store on client for values that are given out for ttl at most,
// whatever was stored.
func NewStore[V Value](client redis.UniversalClient, ttl time.Duration, log *slog.Logger) *Store[V] {
	return &Store[V]{client: client, ttl: ttl, log: log}
}

// lease is how long a claim lasts. If its owner dies, the look-up is free after it.
const lease = 30 * time.Second

// answerKey and claimKey are in one slot of a cluster. The key itself is hashed because it
// has the words of a query in it. Replicas of two versions share claims, but not answers that
// the other one cannot read.
func answerKey(key string) string { return fmt.Sprintf("%sanswer:%d", tag(key), format) }

func claimKey(key string) string { return tag(key) + "claim" }

func tag(key string) string { return "hw:{" + Hashed(key) + "}:" }

// Hashed stands for a text in the keys of Redis, because look-ups have the words of a query in
// their names.
func Hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// Read returns the outcome that is stored under key: an answer until it expires, any other
// outcome for Remembered. The zero Outcome means that there is none.
func (r *Store[V]) Read(ctx context.Context, key string, now time.Time) Outcome[V] {
	return r.decode(ctx, key, now, r.client.Get(ctx, answerKey(key)))
}

// Claim is Read, which also makes this process the one that looks key up, unless another one
// is. The claim is made before the answer is read, so that an answer which is stored in between
// is found.
func (r *Store[V]) Claim(ctx context.Context, key string, now time.Time) (o Outcome[V], mine bool) {
	pipe := r.client.TxPipeline()
	claim := pipe.SetNX(ctx, claimKey(key), 1, lease)
	answer := pipe.Get(ctx, answerKey(key))
	_, err := pipe.Exec(ctx)
	if err != nil && !errors.Is(err, redis.Nil) {
		r.log.WarnContext(ctx, "shared store unavailable; looking up alone", "error", err)
		return Outcome[V]{}, true
	}
	return r.decode(ctx, key, now, answer), claim.Val()
}

// decode reads an outcome, and removes one that is damaged.
func (r *Store[V]) decode(ctx context.Context, key string, now time.Time, stored *redis.StringCmd) Outcome[V] {
	data, err := stored.Bytes()
	if err != nil {
		return Outcome[V]{} // there is none, or Redis is unavailable
	}
	o, err := decodeOutcome[V](data)
	if err != nil { // damaged: no other format has this key
		r.log.WarnContext(ctx, "damaged answer removed", "error", err)
		r.client.Del(ctx, answerKey(key))
		return Outcome[V]{}
	}
	if o.Answer != nil {
		r.bound(o.Answer, now)
	}
	return o
}

// bound keeps an answer from being given out for longer than any is meant to be.
func (r *Store[V]) bound(a *Answer[V], now time.Time) {
	latest := now.Add(r.ttl)
	if own := a.FetchedAt.Add(r.ttl); a.Shareable && own.Before(latest) {
		latest = own
	}
	if a.ExpiresAt.After(latest) {
		a.ExpiresAt = latest
	}
}

// Settle ends the claim. It stores o unless that is the zero Outcome.
func (r *Store[V]) Settle(ctx context.Context, key string, o Outcome[V], now time.Time) {
	keep := Remembered
	switch {
	case o == (Outcome[V]{}):
		keep = 0
	case o.Answer != nil && o.Answer.Shareable:
		keep = o.Answer.ExpiresAt.Sub(now)
	}
	data, err := encodeOutcome(o)
	pipe := r.client.TxPipeline()
	if err == nil && keep > 0 {
		pipe.Set(ctx, answerKey(key), data, keep)
	}
	pipe.Del(ctx, claimKey(key))
	_, failed := pipe.Exec(ctx)
	if err = errors.Join(err, failed); err != nil {
		r.log.WarnContext(ctx, "outcome not shared", "error", err)
	}
}

// Forget removes what is stored under key, here and from the copies of all replicas.
func (r *Store[V]) Forget(ctx context.Context, key string) (Outcome[V], error) {
	data, err := r.client.GetDel(ctx, answerKey(key)).Bytes()
	if err != nil && !errors.Is(err, redis.Nil) {
		return Outcome[V]{}, fmt.Errorf("forget: %w", err)
	}
	if err := r.client.Publish(ctx, forgetChannel(r.client), key).Err(); err != nil {
		return Outcome[V]{}, fmt.Errorf("forget: %w", err)
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

// ErrFormat is returned for bytes that this version of the codec did not write,
// or that were cut or changed since.
var ErrFormat = errors.New("unknown format of a kept answer")

// format is the first byte of everything that the codec writes. A change of the layout,
// or of a value's fields, needs a new one, so that replicas of two versions can share a
// Redis.
const format = 8

// prefixLength is that of the format and the checksum of all that follows.
const prefixLength = 1 + crc32.Size

// encodeOutcome writes: format, CRC-32 of the rest (big endian), JSON. The cause of a fault is
// only logged, by the replica that saw it.
func encodeOutcome[V Value](o Outcome[V]) ([]byte, error) {
	if o.Fault != nil {
		f := *o.Fault
		f.Err = nil
		o.Fault = &f
	}
	out := bytes.NewBuffer(make([]byte, prefixLength))
	if err := json.NewEncoder(out).Encode(o); err != nil {
		return nil, fmt.Errorf("encode outcome: %w", err)
	}
	data := out.Bytes()
	data[0] = format
	binary.BigEndian.PutUint32(data[1:], crc32.ChecksumIEEE(data[prefixLength:]))
	return data, nil
}

func decodeOutcome[V Value](data []byte) (o Outcome[V], err error) {
	if len(data) < prefixLength || data[0] != format {
		return o, ErrFormat
	}
	if binary.BigEndian.Uint32(data[1:]) != crc32.ChecksumIEEE(data[prefixLength:]) {
		return o, ErrFormat
	}
	if err := json.Unmarshal(data[prefixLength:], &o); err != nil {
		return o, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return o, nil
}

// EncodeAnswer returns an answer as bytes, with a checksum.
func EncodeAnswer[V Value](a *Answer[V]) ([]byte, error) {
	return encodeOutcome(Outcome[V]{Answer: a})
}

// DecodeAnswer reads what EncodeAnswer of this version has returned.
func DecodeAnswer[V Value](data []byte) (*Answer[V], error) {
	o, err := decodeOutcome[V](data)
	if err != nil {
		return o.Answer, err
	}
	if o.Answer == nil {
		return o.Answer, ErrFormat
	}
	return o.Answer, nil
}

// Local is this process's own copy of what was looked up.
type Local struct{ entries *otter.Cache[string, Value] }

// NewLocal returns a Local of about maxBytes at most, in which the keys that are read
// often stay.
func NewLocal(maxBytes uint64) *Local {
	return &Local{entries: otter.Must(&otter.Options[string, Value]{
		MaximumWeight: maxBytes,
		Weigher: func(key string, v Value) uint32 {
			return uint32(len(key) + v.Size()) // #nosec G115 -- bodies are capped far below 4 GiB
		},
	})}
}

// Get returns the value of key, expired or not; nil if there is none.
func (l *Local) Get(key string) Value {
	v, _ := l.entries.GetIfPresent(key)
	return v
}

// Put keeps v in the place of any other value of key.
func (l *Local) Put(key string, v Value) { l.entries.Set(key, v) }

// Remove removes the value of key.
func (l *Local) Remove(key string) { l.entries.Invalidate(key) }
