package throttle

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

// hour is the interval of the suite. It is long, so that the time which a real Redis
// takes does not matter.
const hour = time.Hour

// openHours is how long a round is open in the suite.
const openHours = 20 * hour

// slotsUnderTest is an implementation of slots with the interval hour.
type slotsUnderTest struct {
	slots
	advance   func(d time.Duration)
	tolerance time.Duration // by which real time may shorten a wait
}

// TestSlots holds every implementation to the same suite.
func TestSlots(t *testing.T) {
	suite := map[string]func(*testing.T, slotsUnderTest){
		"turns are an interval apart":                  testTurnsApart,
		"idle time is not saved up":                    testIdleTime,
		"turns go round the clients":                   testRoundRobin,
		"a list waits in the line of its client":       testList,
		"a look-up that has begun is finished first":   testBegunFirst,
		"who had no turn in a round goes first":        testComeBack,
		"newcomers do not keep others waiting":         testNewcomers,
		"two look-ups of a client wait":                testTwoOfAClient,
		"twenty look-ups of a list wait":               testTwentyOfAList,
		"a wait above the limit is refused":            testLimit,
		"a later round is joined for half the limit":   testHalfTheLimit,
		"a round ends when nobody waits":               testNewRound,
		"the line is bounded":                          testLineIsBounded,
		"idle work is done when nobody waits":          testIdleWork,
		"idle work that has begun lets others pass":    testIdleWorkWaits,
		"a place that is given up moves the others up": testLeave,
		"places tell who stands where":                 testPlaces,
	}
	for name, test := range suite {
		t.Run("memory/"+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test(t, slotsUnderTest{slots: newMemorySlots(hour, openHours, 0), advance: time.Sleep})
			})
		})
		t.Run("miniredis/"+name, func(t *testing.T) {
			client, advance := newMiniredis(t)
			test(t, slotsUnderTest{slots: newRedisSlots(client, "source", hour, openHours), advance: advance})
		})
		t.Run("redis/"+name, func(t *testing.T) {
			client, advance := newRedis(t)
			test(t, slotsUnderTest{slots: newRedisSlots(client, "source", hour, openHours), advance: advance, tolerance: time.Minute})
		})
	}
}

func testTurnsApart(t *testing.T, s slotsUnderTest) {
	s.begin(t)
	next := awaited("next/1")
	s.wantWait(t, next, hour)
	s.advance(hour / 2)
	s.wantWait(t, next, hour/2)
	if err := s.sent(t.Context()); err != nil { // the first request leaves late
		t.Fatal(err)
	}
	s.wantWait(t, next, hour)
	s.advance(hour)
	s.wantTaken(t, next)
	s.wantWait(t, awaited("next/2"), hour)
}

func testIdleTime(t *testing.T, s slotsUnderTest) {
	s.begin(t)
	s.advance(100 * hour)
	s.wantTaken(t, awaited("a/1"))
	s.wantWait(t, awaited("a/2"), hour)
}

func testRoundRobin(t *testing.T, s slotsUnderTest) {
	s.begin(t)
	line := s.join(t, awaited("a/1"), awaited("a/2"), awaited("b/1"), awaited("c/1"), awaited("b/2"))
	s.wantOrder(t, line, "a/1", "b/1", "c/1", "a/2", "b/2")
}

func testList(t *testing.T, s slotsUnderTest) {
	s.begin(t)
	line := s.join(t, listed("a/1"), listed("a/2"), listed("a/3"), listed("a/4"), awaited("b/1"), awaited("c/1"), awaited("b/2"))
	s.wantOrder(t, line, "a/1", "b/1", "c/1", "a/2", "b/2", "a/3", "a/4")
}

func testBegunFirst(t *testing.T, s slotsUnderTest) {
	s.begin(t)
	line := s.join(t, awaited("a/1"), awaited("b/1"), begun("b/0"), begun("a/0"))
	s.wantOrder(t, line, "b/0", "a/0", "a/1", "b/1")
}

func testComeBack(t *testing.T, s slotsUnderTest) {
	s.begin(t)
	line := s.join(t, awaited("a/1"), awaited("b/1"))
	s.wantOrder(t, line[:1], "a/1")
	s.wantWait(t, line[1], hour)
	s.wantOrder(t, append(s.join(t, awaited("a/2"), awaited("c/1")), line[1]), "b/1", "c/1", "a/2")
}

func testNewcomers(t *testing.T, s slotsUnderTest) {
	s.begin(t)
	line := s.join(t, awaited("a/1"), awaited("b/1"))
	s.wantOrder(t, line[:1], "a/1")
	s.wantWait(t, line[1], hour) // the round goes on
	second := s.join(t, awaited("a/2"))[0]
	s.advance(hour)
	s.wantTaken(t, line[1])
	s.wantWait(t, second, hour)
	for n := range int(openHours/hour) + 1 {
		newcomer := awaited(fmt.Sprintf("%d/1", n))
		s.wantWait(t, newcomer, hour)
		s.advance(hour)
		if s.ask(t, second).taken {
			return
		}
		s.wantTaken(t, newcomer)
	}
	t.Fatalf("newcomers went before the second look-up of a client for %v", openHours)
}

func testTwoOfAClient(t *testing.T, s slotsUnderTest) {
	s.begin(t)
	line := s.join(t, awaited("a/1"), begun("a/0"), awaited("a/2"), awaited("b/1"))
	third := awaited("a/3")
	// One turn of what has begun, then about two for each of a/1, b/1 and a/2.
	if wait := s.wantRefused(t, third); wait < 6*hour || wait > 8*hour {
		t.Errorf("refused for %v, want it to be until the turn of a third look-up", wait)
	}
	s.wantOrder(t, line[1:2], "a/0")
	s.wantRefused(t, third)
	s.wantOrder(t, line[:1], "a/1")
	s.wantWait(t, third, hour)
}

func testTwentyOfAList(t *testing.T, s slotsUnderTest) {
	s.begin(t)
	for n := range lookup.MaxListed {
		s.join(t, listed(fmt.Sprintf("a/%d", n)))
	}
	s.wantRefused(t, listed("a/20"))
	s.wantRefused(t, awaited("a/21"))
	s.join(t, awaited("b/1"))
}

func testLimit(t *testing.T, s slotsUnderTest) {
	s.begin(t)
	s.join(t, awaited("a/1"), awaited("b/1"))
	c := awaited("c/1")
	c.limit = 3 * hour
	if wait := s.wantRefused(t, c); wait <= c.limit || wait > 5*hour {
		t.Fatalf("refused for %v, want about two turns for each of those before", wait)
	}
	c.limit = 5 * hour
	s.join(t, c) // the refusal has left nothing behind
}

func testHalfTheLimit(t *testing.T, s slotsUnderTest) {
	s.begin(t)
	line := s.join(t, awaited("a/1"), awaited("b/1"))
	s.wantOrder(t, line[:1], "a/1")
	s.wantWait(t, line[1], hour)
	again, newcomer := awaited("a/2"), awaited("c/1")
	again.limit, newcomer.limit = 5*hour, 5*hour // two look-ups are before each
	s.wantRefused(t, again)
	s.join(t, newcomer)
}

func testNewRound(t *testing.T, s slotsUnderTest) {
	s.begin(t)
	s.wantOrder(t, s.join(t, awaited("a/1")), "a/1")
	again := awaited("a/2")
	again.limit = hour
	s.join(t, again)
}

func testLineIsBounded(t *testing.T, s slotsUnderTest) {
	s.begin(t)
	for n := range maxWaiting {
		s.join(t, awaited(fmt.Sprintf("%d/1", n)))
	}
	s.wantRefused(t, awaited("last/1"))
	s.join(t, begun("last/0"))
}

func testIdleWork(t *testing.T, s slotsUnderTest) {
	s.begin(t)
	s.wantRefused(t, idle("work/1")) // a turn is not free yet
	line := s.join(t, awaited("a/1"))
	s.advance(hour)
	s.wantRefused(t, idle("work/1")) // somebody waits
	s.wantTaken(t, line[0])
	s.advance(hour)
	s.wantTaken(t, idle("work/1"))
	s.wantWait(t, awaited("a/2"), hour)
}

func testIdleWorkWaits(t *testing.T, s slotsUnderTest) {
	s.begin(t)
	line := s.join(t, ticketOf("work/0", lookup.Idle, true), awaited("a/1"), awaited("a/2"), begun("b/0"))
	s.wantOrder(t, line, "b/0", "a/1", "a/2", "work/0")
}

func testLeave(t *testing.T, s slotsUnderTest) {
	s.begin(t)
	line := s.join(t, awaited("a/1"), awaited("a/2"), awaited("b/1"))
	before := s.ask(t, line[2]).wait
	for _, tk := range []*ticket{line[0], line[0], awaited("a/4")} { // not in line any more, or never
		if err := s.leave(t.Context(), tk); err != nil {
			t.Fatal(err)
		}
	}
	if after := s.ask(t, line[2]).wait; after >= before {
		t.Errorf("b/1 waits for %v, %v before somebody left", after, before)
	}
	s.wantOrder(t, append(s.join(t, awaited("a/3")), line[1:]...), "b/1", "a/2", "a/3")
}

func testPlaces(t *testing.T, s slotsUnderTest) {
	s.begin(t)
	s.join(t, awaited("a/1"), awaited("a/2"), begun("b/0"))
	line, err := s.line(t.Context())
	if err != nil || len(line) != 3 {
		t.Fatalf("%v, error %v", line, err)
	}
	for i, want := range []struct {
		key  string
		wait time.Duration
	}{{"b/0", hour}, {"a/1", 2 * hour}, {"a/2", 4 * hour}} {
		// A look-up is known to take about two turns.
		if got := line[i]; got.key != hashed(want.key) || math.Abs(float64(got.wait-want.wait)) > float64(hour/4) {
			t.Errorf("place %d is %+v, want %+v", i, got, want)
		}
	}
}
