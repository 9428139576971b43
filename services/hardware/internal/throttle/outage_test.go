package throttle

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

func TestOutageKeepsTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, outage, ownInterval = 10, 30 * time.Minute, 10 * interval
		f := newFleet(n)
		f.run(t, 3, lasting(outage+time.Minute))
		defer f.callers.Wait()
		pass(30*time.Second + time.Millisecond)
		f.down.Store(true)
		down := time.Now()
		pass(outage)
		all := f.arrived.since(down)
		if len(all) < int(outage/interval)*8/10 || len(all) > int(outage/interval)+n {
			t.Errorf("%d requests in the outage, want nearly the %d that were agreed", len(all), outage/interval)
		}
		if early := all[0].Sub(down); early < interval {
			t.Errorf("the first request came %v after the last shared one", early)
		}
		for _, r := range f.replicas {
			wantApart(t, "one replica", r.arrived.since(down), ownInterval)
		}
	})
}

// TestOutageSpreadsTheReplicas has every replica notice an outage at the same time.
// Their first requests are spread far wider than the latency explains.
func TestOutageSpreadsTheReplicas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, ownInterval = 10, 10 * interval
		f := newFleet(n)
		f.down.Store(true)
		for i := range n {
			f.callers.Go(func() {
				if err := f.send(t.Context(), i, lookup.Caller{}); err != nil {
					t.Error(err)
				}
			})
		}
		f.callers.Wait()
		firsts := f.arrived.since(f.began)
		first, last := firsts[0].Sub(f.began), firsts[n-1].Sub(f.began)
		if first < interval || last > interval+ownInterval+10*maxLatency || last-first < 2*interval {
			t.Errorf("first requests between %v and %v, want them spread over %v", first, last, ownInterval)
		}
	})
}

// TestOutageEnds has more callers than turns when the shared slots come back. All
// keep to the interval, and those who still wait for a slot of their own get their
// turn among the others.
func TestOutageEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, outage, ownInterval = 10, 10 * time.Minute, 10 * interval
		f := newFleet(n)
		f.down.Store(true)
		f.run(t, 3, lasting(outage+30*time.Minute))
		pass(outage)
		f.down.Store(false)
		back := time.Now()
		var waits [n]time.Duration
		for i := range n {
			f.callers.Go(func() {
				if err := f.send(t.Context(), i, hasBegun); err != nil {
					t.Error(err)
				}
				waits[i] = time.Since(back)
			})
		}
		f.callers.Wait()
		at := f.arrived.since(back)
		wantApart(t, "after the outage", at, interval)
		if possible := int(30 * time.Minute / interval); len(at) < possible*95/100 {
			t.Errorf("%d requests after the outage, want nearly %d", len(at), possible)
		}
		if longest := slices.Max(waits[:]); longest > maxWait+4*ownInterval {
			t.Errorf("a replica waited %v for its first turn", longest)
		}
	})
}

// TestOutageWaiterJoinsTheQueue has one replica wait for a slot of its own while the
// others use the shared slots again without a pause.
func TestOutageWaiterJoinsTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, ownInterval = 10, 10 * interval
		f := newFleet(n)
		f.down.Store(true)
		var waited time.Duration
		f.callers.Go(func() {
			if err := f.send(t.Context(), 0, hasBegun); err != nil {
				t.Error(err)
			}
			waited = time.Since(f.began)
		})
		pass(maxLatency)
		f.down.Store(false)
		f.run(t, 3, lasting(10*time.Minute))
		f.callers.Wait()
		if waited > 2*ownInterval {
			t.Fatalf("the look-up waited %v, want at most its own slot and a few turns more", waited)
		}
		wantApart(t, "after the outage", f.arrived.since(f.began), interval)
	})
}

// TestOutageEndsWithARequestUnderWay: the shared slots record a request that had its
// turn in the outage.
func TestOutageEndsWithARequestUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(2)
		f.down.Store(true)
		sent, err := turnOf(t.Context(), f.replicas[0].Pacer, lookup.Caller{})
		if err != nil {
			t.Fatal(err)
		}
		f.down.Store(false)
		f.arrived.note()
		sent()
		if err := f.send(t.Context(), 1, lookup.Caller{}); err != nil {
			t.Fatal(err)
		}
		wantApart(t, "both replicas", f.arrived.since(f.began), interval)
	})
}

// TestOutageBeginsAnIntervalLater has a replica whose next slot, left from an outage
// just before, comes too soon after the last shared request.
func TestOutageBeginsAnIntervalLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, ownInterval = 3, 3 * interval
		f := newFleet(n)
		steps := []struct {
			down    bool
			replica int
			pause   time.Duration // afterwards
		}{
			{down: true, replica: 0, pause: ownInterval - 50*time.Millisecond},
			{down: false, replica: 1},
			{down: true, replica: 0},
		}
		for _, step := range steps {
			f.down.Store(step.down)
			if err := f.send(t.Context(), step.replica, lookup.Caller{}); err != nil {
				t.Fatal(err)
			}
			pass(step.pause)
		}
		wantApart(t, "all replicas", f.arrived.since(f.began), interval)
	})
}

// TestOutagesInARow has Redis come and go. Each return may see one request too soon,
// because the shared slots do not know of the last one before it.
func TestOutagesInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, rounds, round = 5, 50, 24 * time.Second
		f := newFleet(n)
		f.run(t, 3, lasting(rounds*round))
		for range rounds {
			outage := rand.N(round)
			f.down.Store(true)
			pass(outage)
			f.down.Store(false)
			pass(round - outage)
		}
		f.callers.Wait()
		const agreed = int(rounds * round / interval)
		if all := len(f.arrived.since(f.began)); all > agreed+rounds || all < agreed/2 {
			t.Errorf("%d requests, want %d, at most %d more and not much less", all, agreed, rounds)
		}
	})
}

func TestOutageOfAnIdleReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, ownInterval = 3, 3 * interval
		f := newFleet(n)
		f.down.Store(true)
		for range 20 { // every time with new slots, which begin an interval later at least
			asked := time.Now()
			if err := f.send(t.Context(), 0, lookup.Caller{}); err != nil {
				t.Fatal(err)
			}
			if wait := time.Since(asked); wait < interval || wait > ownInterval+10*maxLatency {
				t.Fatalf("waited %v, want between %v and %v", wait, interval, ownInterval)
			}
			pass(ownInterval + time.Nanosecond)
		}
		wantApart(t, "one replica", f.arrived.since(f.began), ownInterval)
	})
}

// TestOutageOfASingleReplica covers settings that name no or one replica, which then
// keeps to the interval itself.
func TestOutageOfASingleReplica(t *testing.T) {
	for _, replicas := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			f := &fleet{began: time.Now()}
			f.down.Store(true)
			shared := newRemoteSlots(&f.down)
			f.add(&Pacer{shared: shared, local: newOutageSlots(shared, options(replicas)), options: options(replicas)})
			for i := 1; i <= 5; i++ {
				if err := f.send(t.Context(), 0, lookup.Caller{}); err != nil {
					t.Fatal(err)
				}
				got, want := time.Since(f.began), time.Duration(i)*interval
				if got < want || got > want+10*time.Duration(i)*maxLatency {
					t.Fatalf("request %d with %d replicas after %v, want %v", i, replicas, got, want)
				}
			}
		})
	}
}

func TestOutageIsNotBegunByACancelledCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(1)
		f.down.Store(true)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := f.send(ctx, 0, lookup.Caller{}); err == nil {
			t.Fatal("a cancelled caller had its turn")
		}
		if f.replicas[0].local.(*outageSlots).own != nil {
			t.Fatal("a cancelled caller began an outage")
		}
	})
}

func TestOutageQueueIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(10)
		f.down.Store(true)
		for range 4 {
			f.callers.Go(func() {
				if err := f.send(t.Context(), 0, hasBegun); err != nil {
					t.Errorf("an admitted look-up: %v", err)
				}
			})
		}
		pass(maxLatency)
		if err := f.send(t.Context(), 0, lookup.Caller{}); !fault.Is(err, "throttle_queue_full") {
			t.Fatalf("got %v, want throttle_queue_full", err)
		}
		f.callers.Wait()
		wantApart(t, "one replica", f.arrived.since(f.began), 10*interval)
	})
}

func TestPlaceDuringAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(2)
		p := f.replicas[0]
		f.down.Store(true)
		if place := p.Places(t.Context(), "lookup")[0]; place != (lookup.Place{}) {
			t.Fatalf("a place before the look-up waited: %+v", place)
		}
		ctx, cancel := context.WithCancel(t.Context())
		f.callers.Go(func() { _, _ = p.Turn(ctx, &lookup.Request{Key: "lookup"}) })
		time.Sleep(3 * maxLatency)
		place := p.Places(t.Context(), "lookup")[0]
		if place.Number < 1 || place.Wait <= 0 || place.Wait > 3*interval {
			t.Errorf("place %+v", place)
		}
		cancel()
		f.callers.Wait()
	})
}
