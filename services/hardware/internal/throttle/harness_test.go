package throttle

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/redistest"
)

const (
	interval = 1200 * time.Millisecond
	maxWait  = 25 * time.Second
)

func options(replicas int) Options {
	return Options{Interval: interval, MaxWait: maxWait, Replicas: replicas, Log: slog.New(slog.DiscardHandler)}
}

// client is the caller of a look-up that waits for its first turn, hasBegun one of a look-up
// that has had it.
func client(name string) lookup.Caller { return lookup.Caller{Client: name} }

var hasBegun = lookup.Caller{Begun: true}

// turnOf waits for a turn at p.
func turnOf(ctx context.Context, p *Pacer, c lookup.Caller) (sent func(), err error) {
	return p.Turn(ctx, &lookup.Request{Caller: c})
}

// recorder notes when requests arrive at a source.
type recorder struct {
	mu sync.Mutex
	at []time.Time
}

func (r *recorder) note() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = append(r.at, time.Now())
}

// between returns the sorted times of the requests from one moment until before
// another, which may be zero.
func (r *recorder) between(from, until time.Time) []time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := slices.DeleteFunc(slices.Clone(r.at), func(t time.Time) bool {
		return t.Before(from) || !until.IsZero() && !t.Before(until)
	})
	slices.SortFunc(at, time.Time.Compare)
	return at
}

func (r *recorder) since(from time.Time) []time.Time { return r.between(from, time.Time{}) }

// send waits for a turn and sends a request, which takes delay to leave.
func send(ctx context.Context, p *Pacer, c lookup.Caller, delay time.Duration, recorders ...*recorder) error {
	sent, err := turnOf(ctx, p, c)
	if err != nil {
		return err
	}
	time.Sleep(delay)
	for _, r := range recorders {
		r.note()
	}
	sent()
	return nil
}

func wantApart(t *testing.T, what string, at []time.Time, atLeast time.Duration) {
	t.Helper()
	for i := 1; i < len(at); i++ {
		if gap := at[i].Sub(at[i-1]); gap < atLeast {
			t.Errorf("%s: requests %d and %d are %v apart, want %v", what, i-1, i, gap, atLeast)
		}
	}
}

// newMiniredis starts a Redis in memory whose clock moves only with advance.
func newMiniredis(t *testing.T) (client *redis.Client, advance func(d time.Duration)) {
	t.Helper()
	server := miniredis.RunT(t)
	client = redis.NewClient(&redis.Options{Addr: server.Addr()})
	t.Cleanup(func() { _ = client.Close() })
	now := time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)
	server.SetTime(now)
	return client, func(d time.Duration) {
		now = now.Add(d)
		server.SetTime(now)
		server.FastForward(max(d, 0))
	}
}

// newRedis returns a real Redis. Its clock cannot be moved, so advance makes every
// stored time older instead.
func newRedis(t *testing.T) (client *redis.Client, advance func(d time.Duration)) {
	t.Helper()
	client = redistest.Client(t)
	units := map[string]time.Duration{
		"last": time.Microsecond, "opened": time.Microsecond, "until": time.Millisecond, "set": time.Millisecond,
	}
	return client, func(d time.Duration) {
		for _, key := range client.Keys(t.Context(), "hw:*").Val() {
			if strings.HasSuffix(key, ":alive") {
				for _, ticket := range client.ZRange(t.Context(), key, 0, -1).Val() {
					client.ZIncrBy(t.Context(), key, -float64(d.Microseconds()), ticket)
				}
			}
			for field, unit := range units {
				if client.HExists(t.Context(), key, field).Val() {
					client.HIncrBy(t.Context(), key, field, -int64(d/unit))
				}
			}
		}
		redistest.Age(t, client, d)
	}
}
