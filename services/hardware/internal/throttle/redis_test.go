package throttle

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/redistest"
)

// brief is the interval of the tests that go by real time. It is well above what
// a busy machine holds a goroutine up for.
const brief = 100 * time.Millisecond

// team is some processes on one Redis, all of which may share the source.
type team struct {
	pacers  []*Pacer
	own     []requestLog // what each of them has sent
	all     requestLog
	callers sync.WaitGroup
}

// newTeam has as many replicas as there are clients.
func newTeam(clients ...*redis.Client) *team {
	o := options(len(clients))
	o.Interval, o.MaxWait = brief, time.Minute
	tm := &team{own: make([]requestLog, len(clients))}
	for _, client := range clients {
		tm.pacers = append(tm.pacers, NewRedisPacer(client, "source", o))
	}
	return tm
}

// ask sends a request by replica i.
func (tm *team) ask(t *testing.T, i int) {
	t.Helper()
	sent, err := tm.pacers[i].Turn(t.Context(), false)
	if err != nil {
		t.Error(err)
		return
	}
	tm.all.note()
	tm.own[i].note()
	sent()
}

// run has every replica ask, by two callers at a time, until stop is closed.
func (tm *team) run(t *testing.T, stop <-chan struct{}) {
	for i := range tm.pacers {
		for range 2 {
			tm.callers.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						tm.ask(t, i)
					}
				}
			})
		}
	}
}

func TestRedisPacersShareTheRate(t *testing.T) {
	client := redistest.Client(t)
	tm, began := newTeam(client, client, client), time.Now()
	const n = 24
	var bare time.Duration // what as many pauses take on this machine, now
	tm.callers.Go(func() {
		for range n {
			time.Sleep(brief + safetyMargin)
		}
		bare = time.Since(began)
	})
	for i := range n {
		tm.callers.Go(func() { tm.ask(t, i%3) })
	}
	tm.callers.Wait()
	at := tm.all.asked(began)
	wantApart(t, "three replicas", at, brief)
	if first := at[0].Sub(began); first < brief {
		t.Errorf("the first request came after %v: nothing is known of the time before", first)
	}
	if took := at[n-1].Sub(at[0]); took > bare*100/95 {
		t.Errorf("%d requests took %v, want nearly %v", n, took, bare)
	}
}

// TestRedisPacersInAnOutage kills Redis under load, and starts an empty one.
func TestRedisPacersInAnOutage(t *testing.T) {
	server := redistest.Start(t)
	const n = 3
	tm := newTeam(server.Client(t), server.Client(t), server.Client(t))
	began, stop := time.Now(), make(chan struct{})
	tm.run(t, stop)
	tm.wait(t, began, 6)
	server.Kill()
	killed := time.Now()
	tm.wait(t, killed, 4*n)
	server.Restart(t)
	back := time.Now()
	tm.wait(t, back, 10)
	close(stop)
	tm.callers.Wait()

	before := tm.all.asked(began)
	wantApart(t, "before the outage", before[:len(before)-len(tm.all.asked(killed))], brief)
	wantApart(t, "after the outage", tm.all.asked(back), brief)
	outage := tm.all.asked(killed)
	outage = outage[:len(outage)-len(tm.all.asked(back))]
	if most := int(back.Sub(killed)/brief) + n; len(outage) > most {
		t.Errorf("%d requests in an outage of %v, want at most %d", len(outage), back.Sub(killed), most)
	}
	if outage[0].Sub(killed) < brief { // it had its turn before
		outage = outage[1:]
	}
	if early := outage[0].Sub(killed); early < brief {
		t.Errorf("the first request of the outage came after %v, want %v at least", early, brief)
	}
	for i := range tm.own {
		own := tm.own[i].asked(outage[0])
		own = own[:len(own)-len(tm.own[i].asked(back))]
		if len(own) < 2 {
			t.Errorf("replica %d sent %d requests in the outage", i, len(own))
		}
		wantApart(t, "one replica in the outage", own, n*brief)
	}
}

// wait waits until the source was asked n times since a moment.
func (tm *team) wait(t *testing.T, since time.Time, n int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); len(tm.all.asked(since)) < n; <-time.After(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d requests in 20 s, want %d", len(tm.all.asked(since)), n)
		}
	}
}

// TestRedisSlotsAreLost empties Redis while one waits for its slot.
func TestRedisSlotsAreLost(t *testing.T) {
	for name, lose := range map[string]func(client *redis.Client, pass func(time.Duration)) error{
		"emptied": func(client *redis.Client, _ func(time.Duration)) error {
			return client.FlushDB(t.Context()).Err()
		},
		"clock back by a day": func(_ *redis.Client, pass func(time.Duration)) error {
			pass(-24 * time.Hour)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			client, pass := mini(t)
			s := slotsStand{slots: newRedisSlots(client, "source", hour), first: hour, pass: pass}
			waiter := s.busy(t, 3)[1]
			s.begin(t, 1, 0)
			pass(hour) // the waiter's slot
			if err := lose(client, pass); err != nil {
				t.Fatal(err)
			}
			s.begin(t, waiter, hour)
			s.take(t, hour)
			pass(hour)
			s.begin(t, waiter, 0)
			s.left(t)
			s.take(t, 2*hour)
		})
	}
}

// TestRedisSlotsAreLostForNewcomers has a limit that the wait after a loss is
// above: once an interval has passed, somebody is let in.
func TestRedisSlotsAreLostForNewcomers(t *testing.T) {
	client, pass := mini(t)
	s := newRedisSlots(client, "source", hour)
	for range 2 {
		if _, _, err := s.reserve(t.Context(), hour/4); err == nil {
			t.Fatal("a slot was given out within an interval of the loss")
		}
		pass(hour / 2)
	}
	if _, wait, err := s.reserve(t.Context(), hour/4); err != nil || wait != 0 {
		t.Fatalf("got a wait of %v, error %v, want a slot at once", wait, err)
	}
}

func TestRedisSlotsNeverExpire(t *testing.T) {
	client := redistest.Client(t)
	s := newRedisSlots(client, "source", hour)
	ticket, _, err := s.reserve(t.Context(), math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.start(t.Context(), ticket); err != nil {
		t.Fatal(err)
	}
	if left := client.PTTL(t.Context(), "hw:throttle:{source}").Val(); left != -1 {
		t.Fatalf("the slots have %v left, want them kept for ever", left)
	}
}

func TestRedisSlotsAreApartByName(t *testing.T) {
	client, _ := mini(t)
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
