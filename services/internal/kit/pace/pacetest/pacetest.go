// Package pacetest holds the cases that every pace.Clock passes. It is for tests alone.
package pacetest

import (
	"context"
	"testing"
	"time"

	"backend.example/services/internal/kit/pace"
)

// Clock is a pace.Clock under test.
type Clock interface {
	pace.Clock
	// Age moves what is stored for key into the past by d.
	Age(key string, d time.Duration)
}

// interval is so long that the duration of a test itself, at most tolerance, does not matter.
const (
	interval  = time.Hour
	tolerance = 30 * time.Second
)

// step is a call of Next after a pause, which is negative if the clock is set back.
type step struct {
	pause    time.Duration
	interval time.Duration
	burst    int
	want     time.Duration // from the call to the slot
}

// Run tests a clock. Each call of newClock returns one without keys.
func Run(t *testing.T, newClock func(t *testing.T) Clock) {
	tests := []struct {
		name  string
		steps []step
	}{
		{"an unknown key counts as just used", []step{{0, interval, 1, interval}}},
		{"slots are an interval apart", []step{
			{0, interval, 1, interval}, {0, interval, 1, 2 * interval}, {interval / 2, interval, 1, 5 * interval / 2},
		}},
		{"after a pause one slot is free", []step{
			{0, interval, 1, interval}, {9 * interval, interval, 1, 0}, {0, interval, 1, interval},
		}},
		{"after a pause as many as the burst are free", []step{
			{0, interval, 3, interval}, {9 * interval, interval, 3, 0}, {0, interval, 3, 0}, {0, interval, 3, 0},
			{0, interval, 3, interval},
		}},
		{"the largest interval of the last minute counts", []step{
			{0, 3 * interval, 1, 3 * interval}, {0, interval, 1, 6 * interval},
			{2 * time.Minute, interval, 1, 7*interval - 2*time.Minute},
		}},
		{"a clock that was set back does not stop requests", []step{
			{0, interval, 1, interval}, {-2000 * interval, interval, 1, interval},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			clock := newClock(t)
			for i, s := range test.steps {
				clock.Age("key", s.pause)
				at, err := clock.Next(context.Background(), "key", s.interval, s.burst)
				if err != nil {
					t.Fatal(err)
				}
				if got := time.Until(at); (got - s.want).Abs() > tolerance {
					t.Errorf("call %d: the slot is in %v, want %v", i+1, got, s.want)
				}
			}
		})
	}
	t.Run("keys are apart", func(t *testing.T) {
		clock := newClock(t)
		for _, key := range []string{"one", "two"} {
			at, err := clock.Next(context.Background(), key, interval, 1)
			if err != nil {
				t.Fatal(err)
			}
			if got := time.Until(at); got > interval {
				t.Errorf("the first slot of key %s is in %v, want %v at most", key, got, interval)
			}
		}
	})
}
