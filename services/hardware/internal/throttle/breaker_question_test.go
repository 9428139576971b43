package throttle

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// failFor reports n failures of the look-up of a question.
func (b breakerUnderTest) failFor(t *testing.T, question string, n int) {
	t.Helper()
	for i := range n {
		b.replicas[i%2].Fail(t.Context(), site, question)
	}
}

// testOneQuestion: what the source fails at again and again may be the question.
func testOneQuestion(t *testing.T, b breakerUnderTest) {
	b.failFor(t, "price:a//", 10)
	b.wantClosed(t)
	for n := range 4 {
		b.wantClosed(t)
		b.failFor(t, fmt.Sprint("price:", n), 1)
	}
	b.wantPaused(t, 30*time.Second)
	b.advance(30*time.Second + b.tolerance)
	b.wantAllowed(t, 0)
	b.failFor(t, "price:3", 1) // on trial
	b.wantPaused(t, 30*time.Second)
}

// TestBreakerRemembersAPause for 5 s: a flood asks Redis no more than that.
func TestBreakerRemembersAPause(t *testing.T) {
	client, _ := newMiniredis(t)
	b := newRedisBreakers(client)[0]
	if rest := b.Told(site); rest != 0 {
		t.Errorf("nothing was told, and %v remembered", rest)
	}
	b.Pause(t.Context(), site, time.Minute)
	b.Allow(t.Context(), site)
	if rest := b.Told(site); rest < 50*time.Second || rest > time.Minute {
		t.Errorf("a pause of a minute is remembered as %v", rest)
	}
	synctest.Test(t, func(t *testing.T) {
		b := NewBreaker(nil)
		for _, pause := range []time.Duration{time.Minute, time.Second} {
			b.remember(site, pause)
			time.Sleep(min(pause, toldFor) - 1)
			if b.Told(site) == 0 {
				t.Errorf("a pause of %v was forgotten too soon", pause)
			}
			time.Sleep(time.Nanosecond)
			if rest := b.Told(site); rest != 0 {
				t.Errorf("a pause of %v is remembered too long: %v", pause, rest)
			}
		}
	})
}
