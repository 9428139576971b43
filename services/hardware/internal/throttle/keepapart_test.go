package throttle

import (
	"testing"
	"testing/synctest"
	"time"
)

// A source may ask for more time between two requests than was configured, and for less
// again; all that wait for a turn learn it at once.
func TestSlotsAreWidened(t *testing.T) {
	test := func(t *testing.T, s slotsUnderTest) {
		s.begin(t)
		next := awaited("next/1")
		s.wantWait(t, next, hour)
		s.advance(hour / 2)
		s.widen(2 * hour)
		s.wantWait(t, next, 3*hour-hour/2)
		s.advance(3*hour - hour/2)
		s.wantTaken(t, next)
		second := awaited("next/2")
		s.wantWait(t, second, 3*hour)
		s.advance(3 * hour)
		s.widen(0)
		s.wantTaken(t, second)
		s.wantWait(t, awaited("next/3"), hour)
	}
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			test(t, slotsUnderTest{slots: newMemorySlots(hour, openHours, 0), advance: time.Sleep})
		})
	})
	t.Run("miniredis", func(t *testing.T) {
		client, advance := newMiniredis(t)
		test(t, slotsUnderTest{slots: newRedisSlots(client, "source", hour, openHours), advance: advance})
	})
}

// In an outage the replicas keep to it too, each with its share of the rate.
func TestPacersKeepRequestsApartAsTheSourceAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, asked = 3, 5 * time.Second
		f := newFleet(n)
		for _, r := range f.replicas {
			r.KeepApart(asked)
		}
		f.run(t, 2, lasting(20*time.Minute))
		defer f.callers.Wait()
		pass(10 * time.Minute)
		at := f.arrived.since(f.began)
		if wantApart(t, "all replicas", at, asked); len(at) < int(10*time.Minute/asked)*9/10 {
			t.Errorf("%d requests in ten minutes", len(at))
		}
		f.down.Store(true)
		down := time.Now()
		pass(9 * time.Minute)
		for _, r := range f.replicas {
			at := r.arrived.since(down)
			if wantApart(t, "one replica in an outage", at, n*asked); len(at) < int(9*time.Minute/(n*asked))*8/10 {
				t.Errorf("%d requests of one replica in nine minutes", len(at))
			}
		}
	})
}

func TestPacerIsNeverFasterThanConfigured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, began := NewPacer(options(1)), time.Now()
		p.KeepApart(time.Millisecond)
		for range 2 {
			if err := send(t.Context(), p, hasBegun, 0); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took != interval {
			t.Errorf("two requests in %v", took)
		}
	})
}
