package lookup_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

func TestAnotherTakesOverFromALeaderThatDied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w, start := newStore(), &work{ttl: day}, time.Now()
		s.claimElsewhere(timing.Lease)
		expectVia(t, get(s.replica(), w), "source")
		if d := time.Since(start); d < timing.Lease || d > timing.Lease+timing.Poll {
			t.Errorf("taken over after %v; the lease is %v, polls come every %v", d, timing.Lease, timing.Poll)
		}
	})
}

func TestALongLookupKeepsItsClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := newStore(), &work{takes: 4*timing.Lease + 1, ttl: day}
		leader, waiter := s.replica(), s.replica()
		go get(leader, w)
		synctest.Wait()
		expectVia(t, get(waiter, w), "collapsed")
		w.expect(t, 1)
		renewals := s.countOf("renew")
		time.Sleep(10 * timing.Lease)
		if n := s.countOf("renew"); renewals < 4 || n != renewals {
			t.Errorf("renewed %d times during the look-up and %d times after it", renewals, n-renewals)
		}
	})
}

func TestALostMessageCostsOnePoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := newStore(), &work{takes: 10*timing.Poll + 1, ttl: day}
		s.mute = true
		leader, waiter := s.replica(), s.replica()
		go get(leader, w)
		synctest.Wait()
		start, joined := time.Now(), make(chan string)
		go func() { joined <- get(waiter, w) }()
		expectVia(t, get(waiter, w), "shared")
		expectVia(t, <-joined, "shared")
		if late := time.Since(start) - w.takes; late > timing.Poll {
			t.Errorf("found %v after the look-up had ended", late)
		}
		expectVia(t, get(waiter, w), "local")
		w.expect(t, 1)
	})
}

func TestAnswersComeWithoutTheStore(t *testing.T) {
	for _, call := range []string{"claim", "renew", "settle"} {
		t.Run(call, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, w := newStore(), &work{takes: timing.Lease, ttl: day}
				s.fail(call)
				l := s.replica()
				expectVia(t, get(l, &work{err: lookup.Paused(time.Minute)}), "source_paused for 1m0s")
				expectVia(t, get(l, w), "source")
				expectVia(t, get(l, w), "local")
				w.expect(t, 1)
			})
		})
	}
	t.Run("claim while waiting", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, w := newStore(), &work{ttl: day}
			s.claimElsewhere(time.Hour)
			time.AfterFunc(3*time.Second+1, func() { s.fail("claim") })
			start := time.Now()
			expectVia(t, get(s.replica(), w), "source")
			if d := time.Since(start); d > 3*time.Second+timing.Poll {
				t.Errorf("waited for %v", d)
			}
		})
	})
	t.Run("settle, seen by a waiter", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, w := newStore(), &work{takes: time.Second, ttl: day}
			s.fail("settle")
			leader, waiter := s.replica(), s.replica()
			go get(leader, w)
			synctest.Wait()
			expectVia(t, get(waiter, w), "source") // once the lease has run out
		})
	})
}

func TestALookupHasATimeLimit(t *testing.T) {
	slow := func(t *testing.T, l *layers, w *work) {
		t.Helper()
		start := time.Now()
		_, _, err := l.Get(t.Context(), "key", lookup.Caller{}, w.load)
		if f := fault.From(err); f == nil || f.Code != "source_timeout" || f.Kind != fault.Timeout || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the fault source_timeout", err)
		}
		if d := time.Since(start); d != timing.Limit {
			t.Errorf("failed after %v, want %v", d, timing.Limit)
		}
	}
	t.Run("own", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, w := newStore(), &work{takes: time.Hour}
			slow(t, s.replica(), w)
			if s.isClaimed() {
				t.Error("the claim was left behind")
			}
		})
	})
	t.Run("wrapped by the adapter", func(t *testing.T) {
		w := &work{err: fmt.Errorf("get page: %w", context.DeadlineExceeded)}
		expectVia(t, get(newStore().replica(), w), "source_timeout")
	})
	for name, hang := range map[string]bool{"waiting for another": false, "waiting for the store": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, w := newStore(), &work{}
				s.claimElsewhere(time.Hour)
				s.hang = hang
				slow(t, s.replica(), w)
				w.expect(t, 0)
			})
		})
	}
}

func TestAWaiterHearsTheOutcomeOfItsKeyOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := newStore(), &work{}
		s.claimElsewhere(time.Hour)
		l := s.replica()
		time.AfterFunc(time.Second, func() {
			for range 3 { // must not block
				l.Deliver("other", outcome{Fault: fault.New(fault.Upstream, "source_changed", "")})
				l.Deliver("key", outcome{Answer: &answer{}})
			}
		})
		expectVia(t, get(l, w), "collapsed")
		w.expect(t, 0)
		if n := l.Waiting(); n != 0 {
			t.Errorf("%d keys are still waited for", n)
		}
	})
}
