package cache

import (
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"time"

	"backend.example/services/hardware/internal/redistest"
	"backend.example/services/internal/kit/pace/pacetest"
)

// agingClock lets tests move the stored times.
type agingClock struct {
	*Clock
	t *testing.T
}

func (c agingClock) Age(key string, d time.Duration) {
	name := "hw:clock:{" + key + "}"
	for field, text := range c.client.HGetAll(c.t.Context(), name).Val() {
		micros, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			c.t.Fatal(err)
		}
		if field == "last" || field == "given" {
			c.client.HSet(c.t.Context(), name, field, micros-d.Microseconds())
		}
	}
}

func TestClock(t *testing.T) {
	pacetest.Run(t, func(t *testing.T) pacetest.Clock {
		return agingClock{NewClock(redistest.Client(t), 3, slog.New(slog.DiscardHandler)), t}
	})
}

// TestClockWithoutRedis: a replica goes on at its share, counted from the last slot with Redis,
// and takes slots of Redis again as soon as it is back.
func TestClockWithoutRedis(t *testing.T) {
	server := redistest.Start(t)
	clock := NewClock(server.Client(t), 4, slog.New(slog.DiscardHandler))
	next := func(interval time.Duration) time.Duration {
		begin := time.Now()
		at, err := clock.Next(t.Context(), "key", interval, 1)
		if err != nil {
			t.Fatal(err)
		}
		return at.Sub(begin)
	}
	const interval = 50 * time.Millisecond
	next(interval)
	server.Kill()
	for range 2 {
		wait := next(interval)
		if wait < 4*interval-10*time.Millisecond {
			t.Errorf("a slot after %v, want one in four intervals", wait)
		}
	}
	var restarted sync.WaitGroup
	defer restarted.Wait()
	restarted.Go(func() { server.Restart(t) })
	if wait := next(time.Minute); wait > time.Minute+5*time.Second {
		t.Errorf("a slot in %v though Redis is back", wait)
	}
}

// TestSlotsBeforeALoss: a slot that was given out before Redis lost its data is not used.
func TestSlotsBeforeALoss(t *testing.T) {
	client := redistest.Client(t)
	clock := NewClock(client, 4, slog.New(slog.DiscardHandler))
	if _, err := clock.Next(t.Context(), "key", time.Second, 1); err != nil {
		t.Fatal(err)
	}
	if !clock.IsValid(t.Context(), "key") {
		t.Error("a slot is not valid though nothing was lost")
	}
	client.Del(t.Context(), clockKey("key"))
	other := NewClock(client, 4, slog.New(slog.DiscardHandler))
	for range 2 {
		if clock.IsValid(t.Context(), "key") {
			t.Error("the slot is still valid")
		}
		if _, err := other.Next(t.Context(), "key", time.Second, 1); err != nil {
			t.Fatal(err)
		}
	}
}
