package throttle

import (
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

// hour is the interval of the suite. It is long, so that the time which a real Redis
// takes does not matter.
const hour = time.Hour

// slotsUnderTest is an implementation of slots with the interval hour.
type slotsUnderTest struct {
	slots
	advance   func(d time.Duration)
	firstWait time.Duration // for the very first slot
	tolerance time.Duration // by which real time may shorten a wait
}

// TestSlots holds every implementation to the same suite.
func TestSlots(t *testing.T) {
	suite := map[string]func(*testing.T, slotsUnderTest){
		"slots are an interval apart":                   testSlotsApart,
		"a wait above the limit is refused":             testSlotsLimit,
		"requests are an interval apart":                testStartsApart,
		"a late request delays the next one":            testLateRequest,
		"a late request delays the whole queue":         testLateRequestDelaysTheQueue,
		"an abandoned ticket moves nobody up":           testAbandonedTicket,
		"idle time is not saved up":                     testIdleTime,
		"a request without a ticket counts too":         testNoTicket,
		"an overtaken ticket lengthens no queue":        testOvertakenTicket,
		"a ticket of other slots is ignored":            testForeignTicket,
		"a look-up has a place for as long as it waits": testPlace,
	}
	for name, test := range suite {
		t.Run("memory/"+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test(t, slotsUnderTest{slots: newMemorySlots(hour, 0), advance: time.Sleep})
			})
		})
		t.Run("miniredis/"+name, func(t *testing.T) {
			client, advance := newMiniredis(t)
			test(t, slotsUnderTest{slots: newRedisSlots(client, "source", hour), advance: advance, firstWait: hour})
		})
		t.Run("redis/"+name, func(t *testing.T) {
			client, advance := newRedis(t)
			test(t, slotsUnderTest{slots: newRedisSlots(client, "source", hour), advance: advance, firstWait: hour, tolerance: time.Minute})
		})
	}
}

func (s slotsUnderTest) wantWait(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if got > want || got < want-s.tolerance || want == 0 && got != 0 {
		t.Fatalf("%s: wait of %v, want %v", what, got, want)
	}
}

// wantReserve reserves a slot that comes after wait.
func (s slotsUnderTest) wantReserve(t *testing.T, wait time.Duration) (ticket int64) {
	t.Helper()
	ticket, got, err := s.reserve(t.Context(), math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	s.wantWait(t, "reserve", got, wait)
	return ticket
}

// wantStart starts a ticket's request, which has to wait or, with zero, is let go.
func (s slotsUnderTest) wantStart(t *testing.T, ticket int64, wait time.Duration) {
	t.Helper()
	got, err := s.start(t.Context(), ticket)
	if err != nil {
		t.Fatal(err)
	}
	s.wantWait(t, "start", got, wait)
}

func (s slotsUnderTest) noteSent(t *testing.T) {
	t.Helper()
	if err := s.sent(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (s slotsUnderTest) wantPlace(t *testing.T, key string, number int, wait time.Duration) {
	t.Helper()
	place, err := s.place(t.Context(), key)
	if err != nil || place.Number != number {
		t.Fatalf("%s: place %+v, error %v, want number %d", key, place, err, number)
	}
	s.wantWait(t, "place of "+key, place.Wait, wait)
}

// reserveAndAdvance reserves n slots and advances to the first one.
func (s slotsUnderTest) reserveAndAdvance(t *testing.T, n int) (tickets []int64) {
	t.Helper()
	for i := range n {
		tickets = append(tickets, s.wantReserve(t, s.firstWait+time.Duration(i)*hour))
	}
	s.advance(s.firstWait)
	return tickets
}

func testSlotsApart(t *testing.T, s slotsUnderTest) {
	for i := range 4 {
		if ticket := s.wantReserve(t, s.firstWait+time.Duration(i)*hour); ticket != int64(i+1) {
			t.Fatalf("got ticket %d, want %d", ticket, i+1)
		}
	}
	s.advance(hour / 2)
	s.wantReserve(t, s.firstWait+7*hour/2)
}

func testSlotsLimit(t *testing.T, s slotsUnderTest) {
	s.reserveAndAdvance(t, 3)
	for range 2 { // a refusal takes no slot
		_, _, err := s.reserve(t.Context(), 5*hour/2)
		var full queueFull
		if !errors.As(err, &full) {
			t.Fatalf("got error %v, want queueFull", err)
		}
		s.wantWait(t, "refused reserve", full.wait, 3*hour)
	}
	if _, _, err := s.reserve(t.Context(), 3*hour); err != nil {
		t.Fatalf("a wait as long as the limit: %v", err)
	}
}

func testStartsApart(t *testing.T, s slotsUnderTest) {
	tickets := s.reserveAndAdvance(t, 3)
	s.wantStart(t, tickets[0], 0)
	s.noteSent(t)
	s.wantStart(t, tickets[1], hour) // before its time
	s.advance(hour / 2)
	s.wantStart(t, tickets[1], hour/2)
	s.advance(hour / 2)
	s.wantStart(t, tickets[1], 0)
	s.advance(hour)
	s.wantStart(t, tickets[2], 0)
}

func testLateRequest(t *testing.T, s slotsUnderTest) {
	tickets := s.reserveAndAdvance(t, 2)
	s.wantStart(t, tickets[0], 0)
	s.advance(hour / 2)
	s.noteSent(t)
	s.advance(hour / 2) // the second slot
	s.wantStart(t, tickets[1], hour/2)
	s.advance(hour / 2)
	s.wantStart(t, tickets[1], 0)
}

func testLateRequestDelaysTheQueue(t *testing.T, s slotsUnderTest) {
	tickets := s.reserveAndAdvance(t, 3)
	s.advance(hour / 2)
	s.wantStart(t, tickets[0], 0)
	s.wantReserve(t, 3*hour)
	s.advance(hour / 2)
	s.noteSent(t)
	s.wantReserve(t, 4*hour)
}

func testAbandonedTicket(t *testing.T, s slotsUnderTest) {
	tickets := s.reserveAndAdvance(t, 3)
	s.wantStart(t, tickets[0], 0)
	s.noteSent(t)
	s.advance(2 * hour) // the second ticket is never used
	s.wantStart(t, tickets[2], 0)
	s.noteSent(t)
	s.wantReserve(t, hour)
}

func testIdleTime(t *testing.T, s slotsUnderTest) {
	s.wantStart(t, s.reserveAndAdvance(t, 1)[0], 0)
	s.noteSent(t)
	s.advance(100 * hour)
	s.wantReserve(t, 0)
	s.wantReserve(t, hour)
	s.wantReserve(t, 2*hour)
}

func testNoTicket(t *testing.T, s slotsUnderTest) {
	tickets := s.reserveAndAdvance(t, 1)
	s.wantStart(t, 0, 0)
	s.noteSent(t)
	s.wantStart(t, tickets[0], hour)
	s.wantReserve(t, 2*hour)
	s.wantStart(t, 0, hour)
}

func testOvertakenTicket(t *testing.T, s slotsUnderTest) {
	tickets := s.reserveAndAdvance(t, 3)
	s.advance(2 * hour)
	s.wantStart(t, tickets[2], 0)
	s.noteSent(t)
	s.wantReserve(t, hour)
	s.advance(hour)
	s.wantStart(t, tickets[0], 0) // three hours late
	s.noteSent(t)
	s.wantReserve(t, 2*hour)
}

func testForeignTicket(t *testing.T, s slotsUnderTest) {
	s.reserveAndAdvance(t, 1)
	s.wantStart(t, 1000, 0)
	s.noteSent(t)
	s.advance(hour)
	tickets := []int64{s.wantReserve(t, hour), s.wantReserve(t, 2*hour)}
	s.advance(3 * hour / 2)
	s.wantStart(t, tickets[0], 0)
	s.wantReserve(t, 2*hour)
}

func testPlace(t *testing.T, s slotsUnderTest) {
	s.reserveAndAdvance(t, 1)
	tickets := map[string]int64{}
	for _, key := range []string{"first", "second"} {
		ticket, _, err := s.reserve(lookup.WithKey(t.Context(), key), math.MaxInt64)
		if err != nil {
			t.Fatal(err)
		}
		tickets[key] = ticket
	}
	s.wantPlace(t, "unknown", 0, 0)
	s.wantPlace(t, "first", 1, hour)
	s.wantPlace(t, "second", 2, 2*hour)
	s.advance(hour / 2)
	s.wantPlace(t, "first", 1, hour/2)
	s.noteSent(t) // the request before it was late
	s.advance(hour / 2)
	s.wantPlace(t, "first", 0, 0)
	rest, err := s.start(lookup.WithKey(t.Context(), "first"), tickets["first"])
	if err != nil || rest == 0 {
		t.Fatalf("started with %v left, error %v", rest, err)
	}
	s.wantPlace(t, "first", 1, hour/2)
}

func TestMemorySlotsForgetTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemorySlots(hour, 0)
		for range 10 {
			if _, _, err := m.reserve(lookup.WithKey(t.Context(), time.Now().String()), math.MaxInt64); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * hour)
		}
		if n := len(m.turns); n > 1 {
			t.Errorf("%d turns are kept, want only the last", n)
		}
	})
}
