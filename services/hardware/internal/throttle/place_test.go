package throttle

import (
	"context"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/hardware"
)

// stands checks the place of a look-up; number 0 is of one that does not wait.
func (s slotsStand) stands(t *testing.T, lookup string, number int, wait time.Duration) {
	t.Helper()
	place, err := s.place(t.Context(), lookup)
	if err != nil || place.Number != number {
		t.Fatalf("%s: place %+v, error %v, want number %d", lookup, place, err, number)
	}
	s.near(t, "wait of "+lookup, place.Wait, wait)
}

func testPlace(t *testing.T, s slotsStand) {
	s.busy(t, 1)
	tickets := map[string]int64{}
	for _, lookup := range []string{"first", "second"} {
		ticket, _, err := s.reserve(hardware.WithLookup(t.Context(), lookup), math.MaxInt64)
		if err != nil {
			t.Fatal(err)
		}
		tickets[lookup] = ticket
	}
	s.stands(t, "nobody", 0, 0)
	s.stands(t, "first", 1, hour)
	s.stands(t, "second", 2, 2*hour)
	s.pass(hour / 2)
	s.stands(t, "first", 1, hour/2)
	s.left(t) // the one in front was late
	s.pass(hour / 2)
	s.stands(t, "first", 0, 0)
	rest, err := s.start(hardware.WithLookup(t.Context(), "first"), tickets["first"])
	if err != nil || rest == 0 {
		t.Fatalf("started with %v left, error %v", rest, err)
	}
	s.stands(t, "first", 1, hour/2)
}

func TestPlaceOfAWaitingLookUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPacer(options(1))
		var turns sync.WaitGroup
		for _, lookup := range []string{"first", "second", "third"} {
			turns.Go(func() {
				if _, err := p.Turn(hardware.WithLookup(t.Context(), lookup), false); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		for lookup, want := range map[string]int{"first": 0, "second": 1, "third": 2, "nobody": 0} {
			place, ok := p.Place(t.Context(), lookup)
			if place.Number != want || ok != (want > 0) || place.Wait != time.Duration(want)*interval {
				t.Errorf("%s: %+v, %v, want number %d", lookup, place, ok, want)
			}
		}
		turns.Wait()
	})
}

func TestPlaceDuringAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(2)
		p := f.replicas[0]
		f.cut.Store(true)
		if place, ok := p.Place(t.Context(), "it"); ok {
			t.Fatalf("a place before anybody waited: %+v", place)
		}
		ctx, leave := context.WithCancel(hardware.WithLookup(t.Context(), "it"))
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = p.Turn(ctx, false)
		}()
		time.Sleep(3 * crossing)
		place, ok := p.Place(t.Context(), "it")
		if !ok || place.Number < 1 || place.Wait <= 0 || place.Wait > 3*interval {
			t.Errorf("place %+v, %v", place, ok)
		}
		leave()
		<-done
	})
}
