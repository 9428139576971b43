package throttle

import (
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/redistest"
)

// shortInterval is that of the tests that go by real time. It is well above the time
// for which a busy machine holds up a goroutine.
const shortInterval = 100 * time.Millisecond

// newRedisFleet has a replica for every client.
func newRedisFleet(clients ...*redis.Client) *fleet {
	o := options(len(clients))
	o.Interval, o.MaxWait = shortInterval, time.Minute
	f := &fleet{began: time.Now()}
	for _, client := range clients {
		f.add(NewRedisPacer(client, "source", o))
	}
	return f
}

// waitFor waits until n requests have arrived since a moment.
func (f *fleet) waitFor(t *testing.T, n int, since time.Time) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); len(f.arrived.since(since)) < n; <-time.After(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d requests in 20 s, want %d", len(f.arrived.since(since)), n)
		}
	}
}

func TestRedisPacersShareTheRate(t *testing.T) {
	client := redistest.Client(t)
	f := newRedisFleet(client, client, client)
	const n = 24
	var bare time.Duration // how long as many pauses take on this machine now
	f.callers.Go(func() {
		for range n {
			time.Sleep(shortInterval + safetyMargin)
		}
		bare = time.Since(f.began)
	})
	for i := range n {
		f.callers.Go(func() {
			if err := f.send(t.Context(), i%3, false); err != nil {
				t.Error(err)
			}
		})
	}
	f.callers.Wait()
	at := f.arrived.since(f.began)
	wantApart(t, "three replicas", at, shortInterval)
	if first := at[0].Sub(f.began); first < shortInterval {
		t.Errorf("the first request came after %v, though nothing is known of the time before", first)
	}
	if took := at[n-1].Sub(at[0]); took > bare*100/95 {
		t.Errorf("%d requests took %v, want nearly %v", n, took, bare)
	}
}

// TestRedisPacersAddASafetyMargin: replicas keep 10 ms more than the interval apart.
func TestRedisPacersAddASafetyMargin(t *testing.T) {
	client, _ := newMiniredis(t)
	p := NewRedisPacer(client, "source", options(2))
	for i := 1; i <= 3; i++ {
		_, wait, err := p.shared.reserve(t.Context(), math.MaxInt64)
		if want := time.Duration(i) * 1210 * time.Millisecond; err != nil || wait != want {
			t.Errorf("reservation %d: wait of %v, error %v, want %v", i, wait, err, want)
		}
	}
}

// TestRedisPacersInAnOutage kills Redis under load, and starts an empty one.
func TestRedisPacersInAnOutage(t *testing.T) {
	server := redistest.Start(t)
	const n = 3
	f := newRedisFleet(server.Client(t), server.Client(t), server.Client(t))
	var stop atomic.Bool
	f.run(t, 2, func() bool { return !stop.Load() })
	f.waitFor(t, 6, f.began)
	server.Kill()
	killed := time.Now()
	f.waitFor(t, 4*n, killed)
	server.Restart(t)
	back := time.Now()
	f.waitFor(t, 10, back)
	stop.Store(true)
	f.callers.Wait()

	wantApart(t, "before the outage", f.arrived.between(f.began, killed), shortInterval)
	wantApart(t, "after the outage", f.arrived.since(back), shortInterval)
	outage := f.arrived.between(killed, back)
	if most := int(back.Sub(killed)/shortInterval) + n; len(outage) > most {
		t.Errorf("%d requests in an outage of %v, want at most %d", len(outage), back.Sub(killed), most)
	}
	if outage[0].Sub(killed) < shortInterval { // it had its turn before
		outage = outage[1:]
	}
	if early := outage[0].Sub(killed); early < shortInterval {
		t.Errorf("the first request of the outage came after %v, want %v at least", early, shortInterval)
	}
	for i, r := range f.replicas {
		own := r.arrived.between(outage[0], back)
		if len(own) < 2 {
			t.Errorf("replica %d sent %d requests in the outage", i, len(own))
		}
		wantApart(t, "one replica in the outage", own, n*shortInterval)
	}
}

// TestRedisSlotsAreLost loses what Redis knows while one waits for its slot.
func TestRedisSlotsAreLost(t *testing.T) {
	losses := map[string]func(client *redis.Client, advance func(time.Duration)) error{
		"emptied": func(client *redis.Client, _ func(time.Duration)) error { return client.FlushDB(t.Context()).Err() },
		"clock back by a day": func(_ *redis.Client, advance func(time.Duration)) error {
			advance(-24 * time.Hour)
			return nil
		},
	}
	for name, lose := range losses {
		t.Run(name, func(t *testing.T) {
			client, advance := newMiniredis(t)
			s := slotsUnderTest{slots: newRedisSlots(client, "source", hour), firstWait: hour, advance: advance}
			waiter := s.reserveAndAdvance(t, 3)[1]
			s.wantStart(t, 1, 0)
			advance(hour) // the waiter's slot
			if err := lose(client, advance); err != nil {
				t.Fatal(err)
			}
			s.wantStart(t, waiter, hour)
			s.wantReserve(t, hour)
			advance(hour)
			s.wantStart(t, waiter, 0)
			s.noteSent(t)
			s.wantReserve(t, 2*hour)
		})
	}
}

// TestRedisSlotsAreLostForNewcomers has a limit below the wait after a loss: somebody
// is let in once an interval has passed.
func TestRedisSlotsAreLostForNewcomers(t *testing.T) {
	client, advance := newMiniredis(t)
	s := newRedisSlots(client, "source", hour)
	for range 2 {
		if _, _, err := s.reserve(t.Context(), hour/4); err == nil {
			t.Fatal("a slot was given out within an interval of the loss")
		}
		advance(hour / 2)
	}
	if _, wait, err := s.reserve(t.Context(), hour/4); err != nil || wait != 0 {
		t.Fatalf("got a wait of %v, error %v, want a slot at once", wait, err)
	}
}

func TestRedisSlotsNeverExpire(t *testing.T) {
	client := redistest.Client(t)
	s := slotsUnderTest{slots: newRedisSlots(client, "source", hour), tolerance: time.Minute}
	s.wantStart(t, s.wantReserve(t, hour), hour)
	if left := client.PTTL(t.Context(), "hw:throttle:{source}").Val(); left != -1 {
		t.Fatalf("the slots have %v left, want them kept for ever", left)
	}
}

func TestRedisSlotsAreApartByName(t *testing.T) {
	client, _ := newMiniredis(t)
	first, second := newRedisSlots(client, "one", hour), newRedisSlots(client, "two", hour)
	for _, s := range []slots{first, second, first, second} {
		if _, _, err := s.reserve(t.Context(), math.MaxInt64); err != nil {
			t.Fatal(err)
		}
	}
	if _, wait, _ := second.reserve(t.Context(), math.MaxInt64); wait != 3*hour {
		t.Fatalf("got a wait of %v, want that of a queue of its own", wait)
	}
}
