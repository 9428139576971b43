package throttle

import (
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/lookup"
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
	const n = 12
	var bare time.Duration // how long as many pauses take on this machine now
	f.callers.Go(func() {
		for range n {
			time.Sleep(shortInterval + safetyMargin)
		}
		bare = time.Since(f.began)
	})
	for i := range n {
		f.callers.Go(func() {
			if err := f.send(t.Context(), i%3, lookup.Caller{Client: fmt.Sprint(i)}); err != nil {
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
	redis, _ := newMiniredis(t)
	p := NewRedisPacer(redis, "source", options(2))
	answer, err := p.shared.ask(t.Context(), newTicket(client("a"), "a/1", maxWait))
	if want := 1210 * time.Millisecond; err != nil || answer.again != want {
		t.Errorf("got %+v, error %v, want to ask again after %v", answer, err, want)
	}
}

// TestRedisPacersInAnOutage kills Redis under load, and starts an empty one.
func TestRedisPacersInAnOutage(t *testing.T) {
	server := redistest.Start(t)
	const n = 3
	f := newRedisFleet(server.Client(t), server.Client(t), server.Client(t))
	var stop atomic.Bool
	f.run(t, 2, func() bool { return !stop.Load() })
	f.runOthers(t, shortInterval/2, func() bool { return !stop.Load() })
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

// TestRedisIsUnavailable: every call says so, and the log why.
func TestRedisIsUnavailable(t *testing.T) {
	redis, _ := newMiniredis(t)
	_ = redis.Close()
	slots, tk := newRedisSlots(redis, "source", hour, openHours), newTicket(client("a"), "a/1", hour)
	tk.id = "1"
	_, asked := slots.ask(t.Context(), tk)
	_, raised := slots.raise(t.Context(), tk, "a/1")
	_, read := slots.queue(t.Context())
	for call, err := range map[string]error{
		"ask": asked, "raise": raised, "queue": read, "leave": slots.leave(t.Context(), tk), "sent": slots.sent(t.Context()),
	} {
		if err == nil {
			t.Errorf("%s: no error", call)
		}
	}
	var log strings.Builder
	NewRedisBreaker(redis, slog.New(slog.NewTextHandler(&log, nil))).Rest(t.Context(), site)
	if !strings.Contains(log.String(), `error="redis: client is closed"`) {
		t.Errorf("logged %s", &log)
	}
}

// TestWhoHasNoPlaceGivesNoneUp: not that of another ticket for the same look-up.
func TestWhoHasNoPlaceGivesNoneUp(t *testing.T) {
	redis, advance := newMiniredis(t)
	s := slotsUnderTest{slots: newRedisSlots(redis, "source", hour, openHours), advance: advance}
	s.run(t, "a/1 waits 1h")
	if err := s.leave(t.Context(), newTicket(client("refused"), "a/1", hour)); err != nil {
		t.Error(err)
	}
	s.step(t, strings.Fields("queue a/1 1h"))
}

// TestRedisSlotsAreLost: all wait an interval, and take their places again.
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
			s := slotsUnderTest{slots: newRedisSlots(client, "source", hour, openHours), advance: advance}
			s.run(t, "a/1 waits 1h; a/2 waits 1h; b/1 waits 1h; after 1h") // the turn of the first one
			if err := lose(client, advance); err != nil {
				t.Fatal(err)
			}
			for _, step := range []string{"a/2 waits 1h", "a/1 waits 1h", "b/1 waits 1h", "turns a/1 b/1 a/2"} {
				s.step(t, strings.Fields(step))
			}
		})
	}
}

// TestRedisSlotsForgetTheDead: a replica that ends leaves its tickets behind. One that a caller
// elsewhere raises lives no longer for that.
func TestRedisSlotsForgetTheDead(t *testing.T) {
	for name, open := range map[string]func(*testing.T) (*redis.Client, func(time.Duration)){"miniredis": newMiniredis, "redis": newRedis} {
		t.Run(name, func(t *testing.T) {
			client, advance := open(t)
			s := slotsUnderTest{slots: newRedisSlots(client, "source", hour, openHours), advance: advance, tolerance: time.Minute}
			s.run(t, "a/1 waits 1h; b/1+ waits 1h; b/2+ waits 1h; c/1 waits 1h; after 1h; c/1 waits 1h; d/x raises b/2+; after 1h; c/1 taken") // a and b no longer ask
			if n := client.ZCard(t.Context(), "hw:throttle:{source}:line").Val(); n != 0 {
				t.Errorf("%d tickets are left behind", n)
			}
		})
	}
}

// TestALateTicketKeepsItsPlace: one that asks again before others noticed that it was dead
// keeps its round.
func TestALateTicketKeepsItsPlace(t *testing.T) {
	client, advance := newMiniredis(t)
	s := slotsUnderTest{slots: newRedisSlots(client, "source", hour, openHours), advance: advance}
	s.run(t, "a/1 waits 1h; b/1 waits 1h;"+strings.Repeat("after 1h; sent; a/1 waits 1h; b/1 waits 1h;", 20)+
		"after 1h; sent; b/1 waits 1h; after 90m; a/1 taken")
}

// TestAdmittedLookupsStayAdmitted: what one queue has let in is in the other one, too, however
// full that is.
func TestAdmittedLookupsStayAdmitted(t *testing.T) {
	client, _ := newMiniredis(t)
	memory := func() slots { return newMemorySlots(hour, openHours, hour) }
	for name, queues := range map[string][2]slots{
		"from memory to Redis": {memory(), newRedisSlots(client, "a", hour, openHours)},
		"from Redis to memory": {newRedisSlots(client, "b", hour, openHours), memory()},
	} {
		tk := newTicket(lookup.Caller{Client: "a"}, "a/1", math.MaxInt64)
		if _, err := queues[0].ask(t.Context(), tk); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		tk.most = 0
		if _, err := queues[1].ask(t.Context(), tk); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMemorySlotsForgetClients after their round.
func TestMemorySlotsForgetClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := newMemorySlots(hour, openHours, 0)
		s := slotsUnderTest{slots: slots, advance: time.Sleep}
		for n := range 30 {
			s.run(t, fmt.Sprintf("%d/1 waits 1h; turns %d/1", n, n))
		}
		if n := len(slots.served); n > 2 {
			t.Errorf("%d clients are kept", n)
		}
	})
}

// TestRedisSlotsAreKept: the time of the last request without expiry, clients for no
// longer than the round.
func TestRedisSlotsAreKept(t *testing.T) {
	client, advance := newMiniredis(t)
	s := slotsUnderTest{slots: newRedisSlots(client, "source", hour, openHours), advance: advance}
	var steps strings.Builder
	for n := range 30 {
		fmt.Fprintf(&steps, "%d/1 waits 1h; turns %d/1;", n, n)
	}
	s.run(t, steps.String())
	if n := client.ZCard(t.Context(), "hw:throttle:{source}:served").Val(); n > 2 {
		t.Errorf("%d clients are kept", n)
	}
	if left := client.PTTL(t.Context(), "hw:throttle:{source}").Val(); left != -1 {
		t.Errorf("the slots have %v left, want no expiry", left)
	}
}

func TestRedisSlotsAreApartByName(t *testing.T) {
	client, advance := newMiniredis(t)
	for _, name := range []string{"one", "two"} {
		s := slotsUnderTest{slots: newRedisSlots(client, name, hour, openHours), advance: advance}
		s.run(t, "a/1 waits 1h; queue a/1 1h")
	}
}

// TestRedisSlotsHoldNoAddress: neither clients nor their questions are in Redis in the
// clear.
func TestRedisSlotsHoldNoAddress(t *testing.T) {
	client := redistest.Client(t)
	slots := newRedisSlots(client, "source", time.Microsecond, 0)
	for _, class := range []lookup.Class{lookup.Awaited, lookup.Listed} {
		tk := newTicket(lookup.Caller{Client: "198.51.100.7", Class: class}, "price:laptop", hour)
		if _, err := slots.ask(t.Context(), tk); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range client.Keys(t.Context(), "hw:*").Val() {
		if dump := key + client.Dump(t.Context(), key).Val(); strings.Contains(dump, "198.51") || strings.Contains(dump, "laptop") {
			t.Errorf("%s: %q", key, dump)
		}
	}
}
