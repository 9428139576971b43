package throttle

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
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

// TestOutageSpreadsTheReplicas has every replica notice an outage at the same time, and a
// second one long after. Their first requests are spread far wider than the latency explains.
func TestOutageSpreadsTheReplicas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, ownInterval = 10, 10 * interval
		f := newFleet(n)
		f.down.Store(true)
		for range 2 {
			noticed := time.Now()
			for i := range n {
				f.callers.Go(func() {
					if err := f.send(t.Context(), i, lookup.Caller{}); err != nil {
						t.Error(err)
					}
				})
			}
			f.callers.Wait()
			firsts := f.arrived.since(noticed)
			first, last := firsts[0].Sub(noticed), firsts[n-1].Sub(noticed)
			if first < interval || last > interval+ownInterval+10*maxLatency || last-first < 2*interval {
				t.Errorf("first requests between %v and %v, want them spread over %v", first, last, ownInterval)
			}
			pass(time.Hour)
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

// TestOutageOfAnIdleReplica has a replica send a request whenever its slots are idle. Each
// time it begins with new ones. Settings that name no or one replica make it keep to the
// interval itself.
func TestOutageOfAnIdleReplica(t *testing.T) {
	for replicas, ownInterval := range map[int]time.Duration{0: interval, 1: interval, 3: 3 * interval} {
		synctest.Test(t, func(t *testing.T) {
			f := newFleet(1)
			f.replicas[0].local = newOutageSlots(f.replicas[0].shared, options(replicas))
			f.down.Store(true)
			for range 20 {
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
}

// TestOutageKeepsApartWhatTheSourceAsksFor, before the outage and while it lasts. Each replica
// has its share of that rate.
func TestOutageKeepsApartWhatTheSourceAsksFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 3
		f := newFleet(n)
		f.down.Store(true)
		for _, apart := range []time.Duration{3 * interval, interval, 2 * interval} {
			f.replicas[0].KeepApart(apart)
			began := time.Now()
			for range 3 {
				if err := f.send(t.Context(), 0, lookup.Caller{}); err != nil {
					t.Fatal(err)
				}
			}
			at := f.arrived.since(began)
			wantApart(t, "one replica", at, n*apart)
			if took := at[2].Sub(at[0]); took > 2*n*apart+interval {
				t.Errorf("three requests took %v, want them %v apart", took, n*apart)
			}
		}
	})
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

// TestOutagePlacesAreGivenUp: who leaves during an outage keeps nobody behind waiting. That Redis
// has not learned of it is logged.
func TestOutagePlacesAreGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(1)
		var log strings.Builder
		f.replicas[0].options.Log = slog.New(slog.NewTextHandler(&log, nil))
		for _, down := range []bool{false, true} {
			f.down.Store(down)
			if err := f.send(t.Context(), 0, hasBegun); err != nil {
				t.Fatal(err)
			}
			for _, c := range []lookup.Caller{client("leaves"), client("stays")} {
				ctx, leave := t.Context(), func() {}
				if c.Client == "leaves" {
					ctx, leave = context.WithTimeout(ctx, interval/2)
				}
				f.callers.Go(func() {
					defer leave()
					if err := f.send(ctx, 0, c); (err == nil) != (c.Client == "stays") {
						t.Errorf("in an outage %t: %s: %v", down, c.Client, err)
					}
				})
				pass(2 * maxLatency)
			}
			asked := time.Now()
			f.callers.Wait()
			if took := time.Since(asked); took > 2*interval {
				t.Errorf("in an outage %t: the turn of who stayed came after %v", down, took)
			}
			logged := strings.Contains(log.String(), `msg="place in the queue not given up" error=down`)
			if logged != down || !down && log.Len() > 0 {
				t.Errorf("in an outage %t: logged %s", down, &log)
			}
		}
	})
}

// TestReplicasShareTheQueue: a replica refuses whose turn would come after those of the others,
// and raises what waits in another one.
func TestReplicasShareTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(2)
		for n := range 11 { // ten wait
			f.callers.Go(func() {
				if _, err := f.replicas[0].Turn(t.Context(), &lookup.Request{Caller: client(fmt.Sprint(n)), Key: fmt.Sprint(n)}); err != nil {
					t.Error(err)
				}
			})
			pass(2 * maxLatency)
		}
		if err := f.send(t.Context(), 1, client("late")); !fault.Is(err, "throttle_queue_full") {
			t.Errorf("got %v, want throttle_queue_full", err)
		}
		if n := f.replicas[1].Raise(t.Context(), client("late"), "5", "7", "unknown"); n != 2 {
			t.Errorf("%d look-ups raised, want 2", n)
		}
		f.callers.Wait()
	})
}

func TestOutageQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(10)
		p := f.replicas[0]
		f.down.Store(true)
		if place := p.Places(t.Context(), "lookup")[0]; place != (lookup.Place{}) {
			t.Errorf("a place before the look-up waited: %+v", place)
		}
		if n := p.Raise(t.Context(), client("a"), "lookup"); n != 0 {
			t.Errorf("%d look-ups raised before one waited", n)
		}
		for range 4 {
			f.callers.Go(func() {
				if _, err := p.Turn(t.Context(), &lookup.Request{Caller: hasBegun, Key: "lookup"}); err != nil {
					t.Errorf("an admitted look-up: %v", err)
				}
			})
		}
		pass(maxLatency)
		if place := p.Places(t.Context(), "lookup")[0]; place.Number < 1 || place.Wait <= 0 {
			t.Errorf("place %+v", place)
		}
		if n := p.Raise(t.Context(), client("a"), "lookup"); n < 1 {
			t.Error("the look-up that waits was not raised")
		}
		if _, err := turnOf(t.Context(), p.Pacer, lookup.Caller{}); !fault.Is(err, "throttle_queue_full") || !strings.Contains(err.Error(), "throttle queue is full") {
			t.Errorf("got %v, want throttle_queue_full", err)
		}
		f.callers.Wait()
	})
}
