package throttle

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/internal/kit/fault"
)

func TestOutageKeepsTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, outage, share = 10, 30 * time.Minute, 10 * interval
		f := newFleet(n)
		f.run(t, 3, outage+time.Minute)
		defer f.callers.Wait()
		pass(30*time.Second + time.Millisecond)
		f.cut.Store(true)
		cut := time.Now()
		pass(outage)
		all := f.sent.asked(cut)
		if len(all) < int(outage/interval)*8/10 || len(all) > int(outage/interval)+n {
			t.Errorf("%d requests in the outage, want nearly the %d that were agreed", len(all), outage/interval)
		}
		if early := all[0].Sub(cut); early < interval {
			t.Errorf("the first request came %v after the last shared one", early)
		}
		firsts := map[time.Time]bool{}
		for _, r := range f.replicas {
			at := r.sent.asked(cut)
			wantApart(t, "one replica", at, share)
			firsts[at[0]] = true
		}
		if len(firsts) < n {
			t.Errorf("%d replicas began at %d moments", n, len(firsts))
		}
	})
}

// TestOutageEnds has more callers than turns when the shared slots come back: all
// keep to the interval, and those who still wait for a moment of their own get
// their turn among the others.
func TestOutageEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, outage, share = 10, 10 * time.Minute, 10 * interval
		f := newFleet(n)
		f.cut.Store(true)
		f.run(t, 3, outage+30*time.Minute)
		pass(outage)
		f.cut.Store(false)
		back := time.Now()
		var waits [n]time.Duration
		for i, r := range f.replicas {
			f.callers.Go(func() {
				if err := f.ask(t.Context(), r, true); err != nil {
					t.Error(err)
				}
				waits[i] = time.Since(back)
			})
		}
		f.callers.Wait()
		at := f.sent.asked(back)
		wantApart(t, "after the outage", at, interval)
		if possible := int(30 * time.Minute / interval); len(at) < possible*95/100 {
			t.Errorf("%d requests after the outage, want nearly %d", len(at), possible)
		}
		for i, r := range f.replicas {
			if waits[i] == 0 || waits[i] > maxWait+4*share {
				t.Errorf("replica %d waited %v for its first turn", i, waits[i])
			}
			if len(r.sent.asked(back)) == 0 {
				t.Errorf("replica %d never had a turn", i)
			}
		}
	})
}

// TestOutageWaiterJoinsTheQueue has one process wait for a moment of its own
// while the others use the shared slots again without a pause.
func TestOutageWaiterJoinsTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, share = 10, 10 * interval
		f := newFleet(n)
		f.cut.Store(true)
		var waited time.Duration
		f.callers.Go(func() {
			if err := f.ask(t.Context(), f.replicas[0], true); err != nil {
				t.Error(err)
			}
			waited = time.Since(f.began)
		})
		pass(crossing)
		f.cut.Store(false)
		f.run(t, 3, 10*time.Minute)
		f.callers.Wait()
		if waited > 2*share {
			t.Fatalf("the look-up waited %v, want at most its own moment and a few turns more", waited)
		}
		wantApart(t, "after the outage", f.sent.asked(f.began), interval)
	})
}

// TestOutageBeginsAnIntervalAway has a replica whose next moment, left from an
// outage just before, comes too soon after the last shared request.
func TestOutageBeginsAnIntervalAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, share = 3, 3 * interval
		f := newFleet(n)
		ask := func(replica int) {
			t.Helper()
			if err := f.ask(t.Context(), f.replicas[replica], false); err != nil {
				t.Fatal(err)
			}
		}
		f.cut.Store(true)
		ask(0)
		f.cut.Store(false)
		pass(share - 50*time.Millisecond)
		ask(1)
		f.cut.Store(true)
		ask(0)
		wantApart(t, "all replicas", f.sent.asked(f.began), interval)
	})
}

// TestOutagesInARow has Redis come and go. Each return may see one request too
// soon, for the shared slots do not know of the last one before it.
func TestOutagesInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, rounds, round = 5, 50, 24 * time.Second
		f := newFleet(n)
		f.run(t, 3, rounds*round)
		for range rounds {
			outage := rand.N(round)
			f.cut.Store(true)
			pass(outage)
			f.cut.Store(false)
			pass(round - outage)
		}
		f.callers.Wait()
		const agreed = int(rounds * round / interval)
		if all := len(f.sent.asked(f.began)); all > agreed+rounds || all < agreed/2 {
			t.Errorf("%d requests, want %d, at most %d more and not much less", all, agreed, rounds)
		}
	})
}

func TestOutageOfAnIdleReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const share = 3 * interval
		f := newFleet(3)
		f.cut.Store(true)
		r := f.replicas[0]
		for range 20 { // each time anew: a moment of its own, an interval away at least
			asked := time.Now()
			if err := f.ask(t.Context(), r, false); err != nil {
				t.Fatal(err)
			}
			if wait := time.Since(asked); wait < interval || wait > share+10*crossing {
				t.Fatalf("waited %v, want between %v and %v", wait, interval, share)
			}
			pass(share + time.Nanosecond)
		}
		wantApart(t, "one replica", r.sent.asked(f.began), share)
	})
}

func TestOutageOfAReplicaAlone(t *testing.T) {
	for _, replicas := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			f := &fleet{began: time.Now()}
			f.cut.Store(true)
			shared := link{newMemorySlots(interval, 0), &f.cut}
			r := &replica{Pacer: newPacer(shared, newOutageSlots(shared, options(replicas)), options(replicas))}
			for i := range 5 {
				if err := f.ask(t.Context(), r, false); err != nil {
					t.Fatal(err)
				}
				if got, want := time.Since(f.began), time.Duration(i+1)*interval; got < want || got > want+10*time.Duration(i+1)*crossing {
					t.Fatalf("request %d of %d replicas after %v, want %v", i, replicas, got, want)
				}
			}
		})
	}
}

func TestOutageIsNotACallerThatLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(1)
		f.cut.Store(true)
		ctx, leave := context.WithCancel(t.Context())
		leave()
		if err := f.ask(ctx, f.replicas[0], false); err == nil {
			t.Fatal("a caller that left had its turn")
		}
		if f.replicas[0].local.(*outageSlots).own != nil {
			t.Fatal("a caller that left began an outage")
		}
	})
}

func TestOutageQueueIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(10)
		f.cut.Store(true)
		r := f.replicas[0]
		for range 4 {
			f.callers.Go(func() {
				if err := f.ask(t.Context(), r, true); err != nil {
					t.Errorf("a look-up that had a turn already: %v", err)
				}
			})
		}
		pass(crossing)
		if err := f.ask(t.Context(), r, false); !fault.Is(err, "throttle_queue_full") {
			t.Fatalf("got %v, want throttle_queue_full", err)
		}
		f.callers.Wait()
		wantApart(t, "one replica", r.sent.asked(f.began), 10*interval)
	})
}
