package throttle

import (
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/redistest"
)

// hour is the interval of the suite: long, so that the time which a real Redis
// takes does not show.
const hour = time.Hour

// slotsStand is an implementation of slots with the interval hour.
type slotsStand struct {
	slots
	pass  func(d time.Duration)
	first time.Duration // wait for the very first slot
	slack time.Duration // what real time may add
}

// slotsStands run a test on each implementation of slots.
func slotsStands() map[string]func(t *testing.T, test func(*testing.T, slotsStand)) {
	return map[string]func(t *testing.T, test func(*testing.T, slotsStand)){
		"memory": func(t *testing.T, test func(*testing.T, slotsStand)) {
			synctest.Test(t, func(t *testing.T) {
				test(t, slotsStand{slots: newMemorySlots(hour, 0), pass: time.Sleep})
			})
		},
		"miniredis": func(t *testing.T, test func(*testing.T, slotsStand)) {
			client, pass := mini(t)
			test(t, slotsStand{slots: newRedisSlots(client, "source", hour), pass: pass, first: hour})
		},
		"redis": func(t *testing.T, test func(*testing.T, slotsStand)) {
			client := redistest.Client(t)
			test(t, slotsStand{
				slots: newRedisSlots(client, "source", hour), first: hour, slack: time.Minute,
				pass: func(d time.Duration) { age(t, client, d) },
			})
		},
	}
}

// mini is an imitation of Redis whose clock moves only as it is told to.
func mini(t *testing.T) (*redis.Client, func(d time.Duration)) {
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr()})
	t.Cleanup(func() { _ = client.Close() })
	now := time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)
	server.SetTime(now)
	return client, func(d time.Duration) {
		now = now.Add(d)
		server.SetTime(now)
		server.FastForward(max(d, 0))
	}
}

// age makes everything in a real Redis, whose clock goes its own way, older by d.
func age(t *testing.T, client *redis.Client, d time.Duration) {
	t.Helper()
	ctx := t.Context()
	for _, key := range client.Keys(ctx, "hw:*").Val() {
		for field, unit := range map[string]time.Duration{"last": time.Microsecond, "next": time.Microsecond, "until": time.Millisecond, "set": time.Millisecond} {
			if client.HExists(ctx, key, field).Val() {
				client.HIncrBy(ctx, key, field, -int64(d/unit))
			}
		}
	}
	redistest.Age(t, client, d)
}

func TestSlots(t *testing.T) {
	suite := map[string]func(*testing.T, slotsStand){
		"slots are an interval apart":            testSlotsApart,
		"a wait above the limit is refused":      testSlotsLimit,
		"requests are an interval apart":         testStartsApart,
		"a late request delays the next one":     testLateRequest,
		"a late request delays the whole queue":  testLateRequestDelaysTheQueue,
		"who leaves frees nobody":                testLeaver,
		"idle time is not saved up":              testIdleTime,
		"a request without a ticket counts too":  testNoTicket,
		"a late ticket does not lengthen queues": testOvertakenTicket,
		"a ticket from other slots is ignored":   testForeignTicket,
		"a look-up has a place while it waits":   testPlace,
	}
	for implementation, on := range slotsStands() {
		for name, test := range suite {
			t.Run(implementation+"/"+name, func(t *testing.T) { on(t, test) })
		}
	}
}

func (s slotsStand) near(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if got > want || got < want-s.slack {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// take reserves a slot and checks the wait for it.
func (s slotsStand) take(t *testing.T, want time.Duration) (ticket int64) {
	t.Helper()
	ticket, wait, err := s.reserve(t.Context(), math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	s.near(t, "wait for a slot", wait, want)
	return ticket
}

// begin starts a ticket's request and checks how long it still has to wait.
func (s slotsStand) begin(t *testing.T, ticket int64, want time.Duration) {
	t.Helper()
	rest, err := s.start(t.Context(), ticket)
	if err != nil {
		t.Fatal(err)
	}
	if want == 0 && rest > 0 {
		t.Fatalf("the request has to wait %v, want it let go", rest)
	}
	s.near(t, "rest before the request", rest, want)
}

func (s slotsStand) left(t *testing.T) {
	t.Helper()
	if err := s.sent(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// busy reserves n slots and lets the first one's time come.
func (s slotsStand) busy(t *testing.T, n int) (tickets []int64) {
	t.Helper()
	for i := range n {
		tickets = append(tickets, s.take(t, s.first+time.Duration(i)*hour))
	}
	s.pass(s.first)
	return tickets
}

func testSlotsApart(t *testing.T, s slotsStand) {
	for i := range 4 {
		if ticket := s.take(t, s.first+time.Duration(i)*hour); ticket != int64(i+1) {
			t.Fatalf("got ticket %d, want %d", ticket, i+1)
		}
	}
	s.pass(hour / 2)
	s.take(t, s.first+7*hour/2)
}

func testSlotsLimit(t *testing.T, s slotsStand) {
	s.busy(t, 3)
	for range 2 { // a refusal takes no slot
		_, _, err := s.reserve(t.Context(), 5*hour/2)
		var full queueFull
		if !errors.As(err, &full) {
			t.Fatalf("got error %v, want the queue full", err)
		}
		s.near(t, "wait of the refused", full.wait, 3*hour)
	}
	if _, _, err := s.reserve(t.Context(), 3*hour); err != nil {
		t.Fatalf("a wait as long as the limit: %v", err)
	}
}

func testStartsApart(t *testing.T, s slotsStand) {
	tickets := s.busy(t, 3)
	s.begin(t, tickets[0], 0)
	s.left(t)
	s.begin(t, tickets[1], hour) // before its time
	s.pass(hour / 2)
	s.begin(t, tickets[1], hour/2)
	s.pass(hour / 2)
	s.begin(t, tickets[1], 0)
	s.pass(hour)
	s.begin(t, tickets[2], 0)
}

func testLateRequest(t *testing.T, s slotsStand) {
	tickets := s.busy(t, 2)
	s.begin(t, tickets[0], 0)
	s.pass(hour / 2)
	s.left(t)
	s.pass(hour / 2) // the second one's slot
	s.begin(t, tickets[1], hour/2)
	s.pass(hour / 2)
	s.begin(t, tickets[1], 0)
}

func testLateRequestDelaysTheQueue(t *testing.T, s slotsStand) {
	tickets := s.busy(t, 3)
	s.pass(hour / 2)
	s.begin(t, tickets[0], 0)
	s.take(t, 3*hour)
	s.pass(hour / 2)
	s.left(t)
	s.take(t, 4*hour)
}

func testLeaver(t *testing.T, s slotsStand) {
	tickets := s.busy(t, 3)
	s.begin(t, tickets[0], 0)
	s.left(t)
	s.pass(2 * hour) // the second one has left
	s.begin(t, tickets[2], 0)
	s.left(t)
	s.take(t, hour)
}

func testIdleTime(t *testing.T, s slotsStand) {
	s.begin(t, s.busy(t, 1)[0], 0)
	s.left(t)
	s.pass(100 * hour)
	s.take(t, 0)
	s.take(t, hour)
	s.take(t, 2*hour)
}

func testNoTicket(t *testing.T, s slotsStand) {
	tickets := s.busy(t, 1)
	s.begin(t, 0, 0)
	s.left(t)
	s.begin(t, tickets[0], hour)
	s.take(t, 2*hour)
	s.begin(t, 0, hour)
}

func testOvertakenTicket(t *testing.T, s slotsStand) {
	tickets := s.busy(t, 3)
	s.pass(2 * hour)
	s.begin(t, tickets[2], 0)
	s.left(t)
	s.take(t, hour)
	s.pass(hour)
	s.begin(t, tickets[0], 0) // held up for three hours
	s.left(t)
	s.take(t, 2*hour)
}

func testForeignTicket(t *testing.T, s slotsStand) {
	s.busy(t, 1)
	s.begin(t, 1000, 0)
	s.left(t)
	s.pass(hour)
	tickets := []int64{s.take(t, hour), s.take(t, 2*hour)}
	s.pass(3 * hour / 2)
	s.begin(t, tickets[0], 0)
	s.take(t, 2*hour)
}
