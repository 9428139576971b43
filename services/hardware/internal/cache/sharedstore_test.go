package cache

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/hardware/internal/redistest"
	"backend.example/services/internal/kit/fault"
)

const (
	lease = time.Minute
	key   = "price:example:gpu:rtx 4070 super"
)

// TestSharedStore holds Redis in each of its forms to the same suite.
func TestSharedStore(t *testing.T) {
	suite := map[string]func(t *testing.T, r replicas){
		"a claim is one owner's":             testClaimIsExclusive,
		"a claim ends with its lease":        testLeaseEnds,
		"renewing prolongs a lease":          testRenew,
		"renewing is for the owner":          testRenewByOthers,
		"a lease that ended is not renewed":  testRenewTooLate,
		"an answer is kept until it expires": testAnswerIsKept,
		"other outcomes are not kept":        testOutcomeIsNotKept,
		"a late owner frees no claim":        testLateSettle,
		"keys are apart":                     testKeysAreApart,
		"every replica receives the outcome": testEveryReplicaReceives,
		"one of fifty gets the claim":        testOneOfFifty,
		"an answer may be too old to count":  testAnswerTooOld,
		"a released claim is free":           testRelease,
		"an answer is forgotten everywhere":  testForget,
	}
	run := func(t *testing.T, open func(t *testing.T) replicas) {
		for name, test := range suite {
			t.Run(name, func(t *testing.T) { test(t, open(t)) })
		}
	}
	t.Run("redis", func(t *testing.T) {
		client := redistest.Client(t)
		run(t, func(t *testing.T) replicas { return emptyReplicas(t, client) })
	})
	t.Run("cluster", func(t *testing.T) {
		client := newCluster(t)
		run(t, func(t *testing.T) replicas { return emptyReplicas(t, client) })
	})
}

// claim claims key for owner. The test fails unless the claim is what want says: "mine"
// for the owner's, "taken" for another owner's, "kept" where there is an answer.
func (r replicas) claim(t *testing.T, replica int, key, owner, want string) lookup.Claim[rankings.Ranking] {
	t.Helper()
	c, err := r.stores[replica].Claim(t.Context(), key, owner, lease, 0)
	if err != nil {
		t.Fatalf("claim of %s: %v", owner, err)
	}
	got := "taken"
	switch {
	case c.Mine && c.Kept != nil:
		got = "both"
	case c.Mine:
		got = "mine"
	case c.Kept != nil:
		got = "kept"
	}
	if got != want {
		t.Fatalf("claim of %s: got %s, want %s", owner, got, want)
	}
	return c
}

func (r replicas) settle(t *testing.T, owner string, o outcome) {
	t.Helper()
	if err := r.stores[0].Settle(t.Context(), key, owner, o); err != nil {
		t.Fatal(err)
	}
}

func (r replicas) renew(t *testing.T, owner string) {
	t.Helper()
	if err := r.stores[0].Renew(t.Context(), key, owner, lease); err != nil {
		t.Fatal(err)
	}
}

// answer is a success that expires after d.
func (r replicas) answer(d time.Duration) *rankings.Answer {
	a := *samples()["ranking"].Answer
	a.FetchedAt = r.now().UTC()
	a.ExpiresAt = a.FetchedAt.Add(d)
	return &a
}

func testClaimIsExclusive(t *testing.T, r replicas) {
	r.claim(t, 0, key, "one", "mine")
	r.claim(t, 1, key, "two", "taken")
	r.claim(t, 0, key, "three", "taken")
	r.claim(t, 0, key, "one", "mine")
}

func testLeaseEnds(t *testing.T, r replicas) {
	r.claim(t, 0, key, "one", "mine")
	r.advance(lease * 3 / 4)
	r.claim(t, 1, key, "two", "taken")
	r.advance(lease / 2)
	r.claim(t, 1, key, "two", "mine")
	r.claim(t, 0, key, "one", "taken")
}

func testRenew(t *testing.T, r replicas) {
	r.claim(t, 0, key, "one", "mine")
	for range 3 {
		r.advance(lease * 3 / 4)
		r.renew(t, "one")
	}
	r.claim(t, 1, key, "two", "taken")
}

func testRenewByOthers(t *testing.T, r replicas) {
	r.renew(t, "two") // of a claim that does not exist
	r.claim(t, 0, key, "one", "mine")
	r.advance(lease * 3 / 4)
	r.renew(t, "two")
	r.advance(lease / 2)
	r.claim(t, 1, key, "three", "mine")
}

func testRenewTooLate(t *testing.T, r replicas) {
	r.claim(t, 0, key, "one", "mine")
	r.advance(lease + time.Second)
	r.renew(t, "one")
	r.claim(t, 1, key, "two", "mine")
}

func testAnswerIsKept(t *testing.T, r replicas) {
	want := r.answer(24 * time.Hour)
	r.claim(t, 0, key, "one", "mine")
	r.settle(t, "one", outcome{Answer: want})
	if got := r.claim(t, 1, key, "two", "kept").Kept; !reflect.DeepEqual(got, want) {
		t.Fatalf("kept %+v, want %+v", got, want)
	}
	r.advance(24*time.Hour - time.Minute)
	r.claim(t, 1, key, "two", "kept")
	r.advance(2 * time.Minute)
	r.claim(t, 1, key, "two", "mine")
}

func testOutcomeIsNotKept(t *testing.T, r replicas) {
	unshareable, expired := r.answer(time.Hour), r.answer(-time.Second)
	unshareable.Shareable = false
	for _, o := range []outcome{{Answer: unshareable}, {Answer: expired}, samples()["not kept"], samples()["fault"]} {
		r.claim(t, 0, key, "one", "mine")
		r.settle(t, "one", o)
		r.claim(t, 1, key, "two", "mine") // the claim is given up all the same
		if err := r.stores[1].Settle(t.Context(), key, "two", o); err != nil {
			t.Fatal(err)
		}
	}
}

func testLateSettle(t *testing.T, r replicas) {
	r.claim(t, 0, key, "one", "mine")
	r.advance(lease + time.Second)
	r.claim(t, 1, key, "two", "mine")
	r.settle(t, "one", samples()["fault"])
	r.claim(t, 0, key, "three", "taken")
	r.claim(t, 1, key, "two", "mine")
	r.settle(t, "one", outcome{Answer: r.answer(time.Hour)}) // it is late, and still of use
	r.claim(t, 0, key, "three", "kept")
}

func testKeysAreApart(t *testing.T, r replicas) {
	r.claim(t, 0, key, "one", "mine")
	r.claim(t, 1, key+" ti", "two", "mine")
	r.settle(t, "one", outcome{Answer: r.answer(time.Hour)})
	r.claim(t, 0, key+" ti", "three", "taken")
	r.claim(t, 1, "", "four", "mine")
}

func testEveryReplicaReceives(t *testing.T, r replicas) {
	unshareable := r.answer(time.Minute)
	unshareable.Shareable = false
	for _, o := range []outcome{{Answer: r.answer(time.Hour)}, {Answer: unshareable}, samples()["fault"]} {
		r.settle(t, "one", o)
		for i, received := range r.received {
			wantReceived(t, i, received, func(m message) bool { return m.key == key && reflect.DeepEqual(m.outcome, o) })
		}
	}
	caused := outcome{Fault: fault.Wrap(context.DeadlineExceeded, fault.Timeout, lookup.CodeSlow, "Zbyt wolno.")}
	r.settle(t, "one", caused)
	for i, received := range r.received {
		wantReceived(t, i, received, func(m message) bool { return m.outcome.Fault != nil && m.outcome.Fault.Code == lookup.CodeSlow })
	}
}

func testAnswerTooOld(t *testing.T, r replicas) {
	r.settle(t, "one", outcome{Answer: r.answer(time.Hour)})
	for _, tt := range []struct {
		rest time.Duration
		mine bool
	}{{rest: time.Minute}, {rest: 59 * time.Minute}, {rest: 61 * time.Minute, mine: true}} {
		c, err := r.stores[1].Claim(t.Context(), key, "two", lease, tt.rest)
		if err != nil || c.Mine != tt.mine || (c.Kept == nil) != tt.mine {
			t.Errorf("an hour is left and must be more than %v: claim %+v, error %v", tt.rest, c, err)
		}
	}
	r.claim(t, 0, key, "three", "kept") // it still counts for others
}

func testRelease(t *testing.T, r replicas) {
	release := func(owner string) {
		t.Helper()
		if err := r.stores[1].Release(t.Context(), key, owner); err != nil {
			t.Fatal(err)
		}
	}
	r.claim(t, 0, key, "one", "mine")
	release("two")
	r.claim(t, 0, key, "two", "taken")
	release("one")
	r.claim(t, 0, key, "two", "mine")
}

func testForget(t *testing.T, r replicas) {
	forget := func(want *rankings.Answer) {
		t.Helper()
		got, err := r.stores[1].Forget(t.Context(), key)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("forgot %+v, error %v, want %+v", got, err, want)
		}
		for i, received := range r.received {
			wantReceived(t, i, received, func(m message) bool { return m.key == key && m.outcome.Forgotten })
		}
	}
	forget(nil)
	kept := r.answer(time.Hour)
	r.settle(t, "one", outcome{Answer: kept})
	for i, received := range r.received {
		wantReceived(t, i, received, func(m message) bool { return m.key == key && m.outcome.Answer != nil })
	}
	forget(kept)
	r.claim(t, 0, key, "one", "mine")
	forget(nil)
	r.claim(t, 1, key, "two", "taken") // a look-up under way is none of its concern
}

func testOneOfFifty(t *testing.T, r replicas) {
	var mine atomic.Int32
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			c, err := r.stores[i%2].Claim(t.Context(), key, fmt.Sprint("owner ", i), lease, 0)
			if err != nil {
				t.Error(err)
			}
			if c.Mine {
				mine.Add(1)
			}
		})
	}
	all.Wait()
	if n := mine.Load(); n != 1 {
		t.Fatalf("%d of 50 got the claim, want 1", n)
	}
}
