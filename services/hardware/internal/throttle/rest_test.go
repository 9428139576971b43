package throttle

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/internal/kit/fault"
)

func testRest(t *testing.T, s breakerStand) {
	look := func(want time.Duration) {
		t.Helper()
		for i, b := range s.breakers {
			if rest := b.Rest(t.Context(), site); rest > want || rest < want-s.slack {
				t.Fatalf("replica %d: %v left of the pause, want %v", i, rest, want)
			}
		}
	}
	look(0)
	s.breakers[0].Pause(t.Context(), site, time.Minute)
	look(time.Minute)
	s.pass(time.Minute + time.Second)
	look(0)
	s.allowed(t, 0) // nobody was let through by looking: this is the one on trial
	look(0)
	s.paused(t, trial)
}

func TestTurnAtASourceThatWasPausedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pause := time.Duration(0)
		o := options(1)
		o.Rest = func(context.Context) time.Duration { return pause }
		p := NewPacer(o)
		if _, err := p.Turn(t.Context(), false); err != nil {
			t.Fatalf("first turn: %v", err)
		}
		pause = 7 * time.Minute
		_, err := p.Turn(t.Context(), true)
		if f := fault.From(err); f == nil || f.Code != "source_paused" || f.RetryAfter != pause {
			t.Errorf("turn at a paused source: %v", err)
		}
	})
}
