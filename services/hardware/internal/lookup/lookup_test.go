package lookup_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

const day = 24 * time.Hour

// text is the value that these tests look up.
type text string

// Size implements lookup.Value.
func (t text) Size() int { return len(t) }

type (
	answer  = lookup.Answer[text]
	outcome = lookup.Outcome[text]
	layers  = lookup.Layers[text]
)

var timing = lookup.DefaultTiming()

// work is a look-up that takes a while, and counts how often it was begun.
type work struct {
	began atomic.Int32
	takes time.Duration
	ttl   time.Duration // zero: the answer is not kept
	own   bool          // the answer is not shareable
	err   error
}

func (w *work) load(ctx context.Context, _ *lookup.Request) (*answer, error) {
	w.began.Add(1)
	select {
	case <-time.After(w.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if w.err != nil {
		return nil, w.err
	}
	a := &answer{Value: "x", Lifetime: lookup.Lifetime{FetchedAt: time.Now(), Shareable: !w.own}}
	if w.ttl > 0 {
		a.ExpiresAt = time.Now().Add(w.ttl)
	}
	return a, nil
}

func (w *work) expect(t *testing.T, times int32) {
	t.Helper()
	if n := w.began.Load(); n != times {
		t.Errorf("looked up %d times, want %d", n, times)
	}
}

// get asks l and says where the answer came from, or how it failed.
func get(l *layers, w *work) string {
	a, via, err := l.Get(context.Background(), "key", lookup.Caller{}, w.load)
	if f := fault.From(err); f != nil && f.RetryAfter > 0 {
		return f.Code + " for " + f.RetryAfter.String()
	}
	if (a == nil) != (err != nil) {
		return "neither an answer nor an error, or both"
	}
	return string(via) + codeOf(err)
}

func expectVia(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("answered via %q, want %q", got, want)
	}
}

// Who has found nothing before another look-up ended gets its answer.
func TestALookupThatHasJustEndedIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, w := newStore().replica(), &work{ttl: day}
		_, ended := l.Look("key")
		expectVia(t, get(l, w), "source")
		if a, via, err := l.Find(t.Context(), "key", lookup.Caller{}, ended, w.load); a == nil || a.Value != "x" || via != lookup.ViaLocal || err != nil {
			t.Errorf("%+v via %q, %v", a, via, err)
		}
		w.expect(t, 1)
	})
}

func TestThreeReplicasLookUpOnceForAll(t *testing.T) {
	const refused = "source_blocked for 42s"
	for _, tt := range []struct {
		name           string
		work           *work
		leader, others string // what they get
		then, and      string // what the next callers get on the leader's replica and on another
		loads          int32  // in the end
	}{
		{"success", &work{ttl: day}, "source", "collapsed", "local", "local", 1},
		{"failure", &work{err: lookup.Blocked(errAway, 42*time.Second)}, refused, refused, refused, refused, 3},
		{"not shareable", &work{ttl: day, own: true}, "source", "collapsed", "local", "source", 2},
		{"not kept", &work{own: true}, "source", "collapsed", "source", "source", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, w := newStore(), tt.work
				w.takes = 30*time.Second + 1 // far beyond the first lease, and not when a poll is due
				replicas := []*layers{s.replica(), s.replica(), s.replica()}
				got := make([]string, 300)
				var all sync.WaitGroup
				for i := range got {
					all.Go(func() { got[i] = get(replicas[i%3], w) })
					synctest.Wait() // the first one leads
				}
				all.Wait()
				w.expect(t, 1)
				if want := append([]string{tt.leader}, slices.Repeat([]string{tt.others}, 299)...); !slices.Equal(got, want) {
					t.Errorf("%q, want %q", got, want)
				}
				expectVia(t, get(replicas[0], w), tt.then)
				expectVia(t, get(replicas[1], w), tt.and)
				w.expect(t, tt.loads)
			})
		})
	}
}

// TestAlone is a process without a shared store.
func TestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, w := newLayers(nil), &work{takes: time.Second, ttl: day}
		for range 50 {
			go get(l, w)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		expectVia(t, get(l, w), "local")
		w.expect(t, 1)
		time.Sleep(day)
		l.Join = func(context.Context, lookup.Caller, string) (time.Duration, error) { return 0, errAway } // for those who join
		expectVia(t, get(l, w), "source")
	})
}

func TestAnAnswerIsGivenOutUntilItExpires(t *testing.T) {
	for name, w := range map[string]*work{"shareable": {ttl: day}, "not shareable": {ttl: day, own: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newStore().replica()
				expectVia(t, get(l, w), "source")
				time.Sleep(day - 1)
				expectVia(t, get(l, w), "local")
				time.Sleep(time.Nanosecond)
				expectVia(t, get(l, w), "source")
				w.expect(t, 2)
			})
		})
	}
}

func TestTheNearestLayerAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := newStore(), &work{ttl: day}
		expectVia(t, get(s.replica(), w), "source")
		late := s.replica() // it has heard nothing of the answer
		expectVia(t, get(late, w), "shared")
		calls := s.countOf("claim")
		for _, call := range []string{"claim", "renew", "settle"} {
			s.fail(call)
		}
		expectVia(t, get(late, w), "local")
		if n := s.countOf("claim"); n != calls {
			t.Errorf("a local answer asked the store %d times", n-calls)
		}
		w.expect(t, 1)
	})
}

func TestAKeptAnswerNeedsNoWaiting(t *testing.T) {
	l, w := newStore().replica(), &work{ttl: day}
	expectVia(t, get(l, w), "source")
	ctx, leave := context.WithCancel(t.Context())
	leave()
	for range 100 {
		if _, via, err := l.Get(ctx, "key", lookup.Caller{}, w.load); via != "local" || err != nil {
			t.Fatalf("answered via %q, %v", via, err)
		}
	}
}

// TestAnAnswerThatCameMeanwhile: a look-up that ended after its caller found nothing is not
// repeated.
func TestAnAnswerThatCameMeanwhile(t *testing.T) {
	l, w := newStore().replica(), &work{ttl: day}
	_, ended := l.Look("key")
	expectVia(t, get(l, w), "source")
	_, via, err := l.Find(t.Context(), "key", lookup.Caller{}, ended, w.load)
	if via != lookup.ViaLocal || err != nil {
		t.Errorf("answered via %q, %v", via, err)
	}
	w.expect(t, 1)
}

// TestARefreshThatCameMeanwhile: one that ended while another caller found too old an answer is
// not repeated.
func TestARefreshThatCameMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, w := newLayers(nil), &work{ttl: day}
		refresh := func() {
			if _, err := l.Refresh(t.Context(), "key", lookup.Caller{}, time.Hour, w.load); err != nil {
				t.Error(err)
			}
		}
		refresh()
		time.Sleep(day - time.Minute)
		found := false
		l.Now = func() time.Time {
			now := time.Now()
			if !found {
				found = true
				refresh()
			}
			return now
		}
		refresh()
		w.expect(t, 2)
	})
}

// TestTheLogSaysWhatTheStoreDidNotTake, and nothing else.
func TestTheLogSaysWhatTheStoreDidNotTake(t *testing.T) {
	for call, want := range map[string]string{
		"": "", "claim": "shared store unavailable; looking up alone", "renew": "claim not renewed",
		"settle": "outcome not shared", "release": "claim not released",
	} {
		synctest.Test(t, func(t *testing.T) {
			s, w := newStore(), &work{takes: timing.Lease}
			s.fail(call)
			s.slowRenew = call == "" // a renewal that the end of the look-up interrupts is no failure
			l := s.replica()
			var log strings.Builder
			l.Log = slog.New(slog.NewTextHandler(&log, nil))
			for _, err := range []error{nil, lookup.Abandoned(errAway)} { // settled, and released
				w.err = err
				get(l, w)
				time.Sleep(2 * timing.Lease)
			}
			if !strings.Contains(log.String(), want) || (log.Len() > 0) != (call != "") ||
				strings.Count(log.String(), "msg=") != strings.Count(log.String(), `msg="`+want+`" error=away`) {
				t.Errorf("without %q: logged %s", call, &log)
			}
		})
	}
}

func TestAnAnswerCountsItsBytes(t *testing.T) {
	if bare, n := (&answer{}).Size(), (&answer{Value: "12345"}).Size(); bare <= 0 || n != bare+5 {
		t.Errorf("%d bytes, bare %d", n, bare)
	}
}

func TestDeliverKeepsWhatReplicasMayShare(t *testing.T) {
	for name, tt := range map[string]struct {
		outcome outcome
		via     string
	}{
		"shareable":     {outcome{Answer: &answer{Lifetime: lookup.Lifetime{Shareable: true, ExpiresAt: time.Now().Add(day)}}}, "local"},
		"not shareable": {outcome{Answer: &answer{Lifetime: lookup.Lifetime{ExpiresAt: time.Now().Add(day)}}}, "source"},
		"expired":       {outcome{Answer: &answer{Lifetime: lookup.Lifetime{Shareable: true, ExpiresAt: time.Now()}}}, "source"},
		"failure":       {outcome{Fault: fault.New(fault.Upstream, "source_blocked", "")}, "source"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newStore().replica()
			l.Deliver("key", tt.outcome)
			if _, ok := l.Local.Get("key"); ok != (tt.via == "local") {
				t.Errorf("put into the local cache: %v", ok)
			}
			expectVia(t, get(l, &work{ttl: day}), tt.via)
		})
	}
}

func TestALookupGoesOnWithoutItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, w := newStore().replica(), &work{takes: 10 * time.Second, ttl: day}
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		start := time.Now()
		if _, via, err := l.Get(ctx, "key", lookup.Caller{}, w.load); !errors.Is(err, context.DeadlineExceeded) || via != "" || time.Since(start) != time.Second {
			t.Errorf("the caller got %q, %v after %v", via, err, time.Since(start))
		}
		expectVia(t, get(l, w), "collapsed")
		expectVia(t, get(l, w), "local")
		w.expect(t, 1)
	})
}

func TestAPanicIsAFault(t *testing.T) {
	l := newStore().replica()
	_, _, err := l.Get(t.Context(), "key", lookup.Caller{}, func(context.Context, *lookup.Request) (*answer, error) { panic("parser") })
	if codeOf(err) != "internal" || !strings.Contains(err.Error(), "parser") || !strings.Contains(err.Error(), "lookup_test.go") {
		t.Errorf("%v, want an internal fault that names the place", err)
	}
	expectVia(t, get(l, &work{}), "source")
}

func TestAForgottenAnswerIsLookedUpAgainByAnyReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := newStore(), &work{ttl: day}
		replicas := []*layers{s.replica(), s.replica(), newLayers(nil)}
		for _, l := range replicas {
			get(l, w)
		}
		w.expect(t, 2) // the third is alone
		for _, forgetting := range []*layers{replicas[1], replicas[2]} {
			if a, err := forgetting.Forget(t.Context(), "key"); err != nil || a == nil || a.Value != "x" {
				t.Errorf("forgot %+v, %v", a, err)
			}
			if a, err := forgetting.Forget(t.Context(), "key"); err != nil || a != nil {
				t.Errorf("forgot %+v again, %v", a, err)
			}
		}
		for i, l := range replicas {
			if _, ok := l.Kept("key"); ok {
				t.Errorf("replica %d has it", i)
			}
		}
		if via := get(replicas[0], w); via != "source" {
			t.Errorf("via %s", via)
		}
		s.fail("forget")
		if _, err := replicas[0].Forget(t.Context(), "key"); !errors.Is(err, errAway) {
			t.Errorf("error %v", err)
		}
		if _, ok := replicas[0].Kept("key"); ok {
			t.Error("the replica that is to forget has it, because the store is away")
		}
	})
}

// One replica leads until it gives no sign of life for the length of the lease.
func TestOneReplicaLeads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		a, b, alone := s.replica(), s.replica(), newLayers(nil)
		expect := func(l *layers, owner string, want bool) {
			t.Helper()
			if got := l.Lead(t.Context(), "work", owner, time.Hour); got != want {
				t.Errorf("%s leads: %t", owner, got)
			}
		}
		expect(a, "a", true)
		for range 3 {
			time.Sleep(45 * time.Minute)
			expect(b, "b", false)
			expect(a, "a", true)
		}
		time.Sleep(75 * time.Minute)
		expect(b, "b", true)
		expect(a, "a", false)
		expect(alone, "c", true)
		s.fail("claim")
		expect(b, "b", false)
	})
}
