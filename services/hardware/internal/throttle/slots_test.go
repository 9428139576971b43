package throttle

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

// hour is the interval in these tests. It is long, so that the time which a real Redis
// takes does not matter.
const hour = time.Hour

// openHours is how long a round is open.
const openHours = 20 * hour

// slotsCases are the rules of the queue, which every implementation has to keep. A line
// is a step:
//
//	A waits 2h          A asks, and is to ask again after two hours
//	A taken             A asks, and takes its turn
//	A refused 6h        A asks, and is refused for six hours
//	turns A B           an hour passes before each turn; all in the queue ask, the last one first
//	after 2h            two hours pass
//	queue A 1h, B 2h    the places in the queue
//	A leaves, sent, widen 2h
//	A raises B          A's caller has joined B
//
// A ticket is client/look-up. A "+" marks one of a list, a "!" a look-up that has begun,
// a "~" idle work, and "<3h" a limit. Each case begins an hour before the next turn.
var slotsCases = map[string]string{
	"turns are an interval apart": `a/1 waits 1h; after 30m; a/1 waits 30m; sent; a/1 waits 1h; after 1h; a/1 taken; a/2 waits 1h`,
	"idle time is not saved up":   `after 100h; a/1 taken; a/2 waits 1h`,
	"turns go round the clients":  `a/1 waits 1h; a/2 waits 1h; b/1 waits 1h; c/1 waits 1h; b/2 waits 1h; turns a/1 b/1 c/1 a/2 b/2`,
	"eight look-ups of a client fall into later rounds": `
		a/1 waits 1h; a/2 waits 1h; a/3 waits 1h; a/4 waits 1h; a/5 waits 1h; a/6 waits 1h; a/7 waits 1h; a/8 waits 1h; b/1 waits 1h; c/1 waits 1h; b/2 waits 1h
		turns a/1 b/1 c/1 a/2 b/2 a/3 a/4 a/5 a/6 a/7 a/8`,
	"a list waits among the other look-ups of its client": `
		a/1+ waits 1h; a/2+ waits 1h; a/3+ waits 1h; b/1 waits 1h; c/1 waits 1h; b/2 waits 1h; turns a/1+ b/1 c/1 a/2+ b/2 a/3+`,
	"a network shares its turns between its clients": `
		2001:db8:1:1::/64/1 waits 1h; 2001:db8:1:1::/64/2 waits 1h; 2001:db8:1:1::/64/3 waits 1h; b/1 waits 1h; b/2 waits 1h
		2001:db8:1:2::/64/1 waits 1h; 2001:db8:1:3::/64/1 waits 1h; 2001:db8:1:2::/64/2 waits 1h; 2001:db8:2::/64/1 waits 1h
		turns 2001:db8:1:1::/64/1 b/1 2001:db8:2::/64/1 b/2 2001:db8:1:2::/64/1 2001:db8:1:3::/64/1 2001:db8:1:1::/64/2 2001:db8:1:2::/64/2 2001:db8:1:1::/64/3`,
	"a refused client leaves its network unchanged": `
		2001:db8:1:1::/64/1 waits 1h; 2001:db8:1:1::/64/2 waits 1h; 2001:db8:1:2::/64/1<1h refused 3h
		queue 2001:db8:1:1::/64/1 1h, 2001:db8:1:1::/64/2 3h`,
	"a look-up that has begun is finished first": `
		a/1 waits 1h; b/1 waits 1h; b/0! waits 1h; a/0! waits 1h; a/2 waits 1h; turns b/0! a/0! a/1 b/1 a/2`,
	"the next look-up of a client is in the next round": `a/1 waits 1h; a/2 waits 1h; b/1 waits 1h; turns a/1 b/1; b/2 waits 1h; turns a/2 b/2`,
	"a client without a turn in a round goes first": `
		a/1 waits 1h; b/1 waits 1h; after 1h; a/1 taken; b/1 waits 1h; a/2 waits 1h; c/1 waits 1h; turns b/1 c/1 a/2`,
	"a round ends when the queue is empty": `a/1 waits 1h; turns a/1; a/2<1h waits 1h; b/1 waits 1h; turns a/2<1h b/1`,
	"room is left for networks without a turn in a round": `
		a/1 waits 1h; b/1 waits 1h; after 1h; a/1 taken; b/1 waits 1h; a/2<5h refused 3h; c/1<5h waits 1h; a/3<6h refused 5h; a/4<10h waits 1h; a/5<8h waits 1h`,
	"a wait above the limit is refused": `a/1 waits 1h; b/1 waits 1h; c/1<4h refused 5h; c/2<5h waits 1h`,
	"the wait is that of the queue ahead": `
		a/1 waits 1h; a/2 waits 1h; a/3<4h refused 5h; b/0! waits 1h; b/1<3h refused 4h; turns b/0!; b/1<3h waits 1h; turns a/1; a/3<5h waits 1h`,
	"idle work is done if the queue is empty": `
		work/1~ refused 1h; a/1 waits 1h; after 1h; work/2~ refused 2h; a/1 taken; after 1h; work/3~ taken; a/2 waits 1h`,
	"idle work that has begun lets others pass": `work/0!~ waits 1h; a/1 waits 1h; a/2 waits 1h; b/0! waits 1h; turns b/0! a/1 a/2 work/0!~`,
	"idle work begins no round": `
		after 1h; work/1~ taken; work/0!~ waits 1h; a/1 waits 1h; a/2 waits 1h; b/1 waits 1h; turns a/1 b/1 a/2 work/0!~`,
	"a look-up that has begun takes no turn of its client": `
		a/1 waits 1h; b/1 waits 1h; after 1h; a/1 taken; b/1 waits 1h; a/1! waits 1h; after 1h; b/1 waits 1h; a/1! taken; b/1 waits 1h
		a/2 waits 1h; c/1 waits 1h; turns b/1 c/1 a/2`,
	"a place that is given up moves the others up": `
		a/1 waits 1h; a/2 waits 1h; b/1 waits 1h; queue a/1 1h, b/1 3h, a/2 5h; a/1 leaves; a/1 leaves; x/1 leaves
		queue b/1 1h, a/2 3h; a/3 waits 1h; turns b/1 a/2 a/3`,
	"places count a turn for what has begun and two for others": `a/1 waits 1h; a/2 waits 1h; b/0! waits 1h; queue b/0! 1h, a/1 2h, a/2 4h`,
	"a look-up has the best place of its callers": `
		a/1+ waits 1h; a/2+ waits 1h; a/3+ waits 1h; b/1 waits 1h; b/x raises a/3+; queue a/1+ 1h, b/1 3h, a/2+ 5h, a/3+ 7h
		c/x raises a/3+; queue a/1+ 1h, b/1 3h, a/3+ 5h, a/2+ 7h; c/1 waits 1h; turns a/1+ b/1 a/3+ a/2+ c/1`,
	"a caller in no better place raises nothing": `
		a/1 waits 1h; b/1 waits 1h; c/x raises b/1; b/x raises a/1; a/x raises b/1; d/x<1h raises b/1; queue a/1 1h, b/1 3h`,
	"a list raises the look-ups of others": `
		a/1+ waits 1h; a/2+ waits 1h; a/3+ waits 1h; a/4+ waits 1h; b/x+ raises a/3+; b/x+ raises a/4+; b/x+ raises a/4+
		queue a/1+ 1h, a/3+ 3h, a/2+ 5h, a/4+ 7h; a/3+ leaves; queue a/1+ 1h, a/2+ 3h, a/4+ 5h`,
	"a look-up of a caller who has begun goes first": `a/1 waits 1h; b/1 waits 1h; b/2 waits 1h; b/x! raises b/2; queue b/2 1h, a/1 2h, b/1 4h`,
	"a raised look-up is its caller's": `
		a/1+ waits 1h; a/2+ waits 1h; b/x raises a/2+; b/1 waits 1h; c/1 waits 1h; turns a/1+ a/2+ c/1 b/1`,
	"idle work that users want does not wait for them": `a/1 waits 1h; work/0!~ waits 1h; a/2 waits 1h; b/x raises work/0!~; turns a/1 work/0!~ a/2`,
	"the interval is widened and narrowed": `
		a/1 waits 1h; after 30m; widen 2h; a/1 waits 150m; after 150m; a/1 taken; a/2 waits 3h; after 3h; widen 0h; a/2 taken; a/3 waits 1h; widen 2h; a/3 waits 3h; widen 0h; a/3 waits 1h`,
}

// TestSlots runs the same cases against every implementation.
func TestSlots(t *testing.T) {
	for name, steps := range allSlotsCases() {
		t.Run("memory/"+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				(&slotsUnderTest{slots: newMemorySlots(hour, openHours, 0), advance: time.Sleep}).run(t, steps)
			})
		})
		t.Run("miniredis/"+name, func(t *testing.T) {
			client, advance := newMiniredis(t)
			(&slotsUnderTest{slots: newRedisSlots(client, "source", hour, openHours), advance: advance}).run(t, steps)
		})
		t.Run("redis/"+name, func(t *testing.T) {
			client, advance := newRedis(t)
			(&slotsUnderTest{slots: newRedisSlots(client, "source", hour, openHours), advance: advance, tolerance: time.Minute}).run(t, steps)
		})
	}
}

// allSlotsCases adds the cases that are too long to write down.
func allSlotsCases() map[string]string {
	repeat := func(n int, step string) (steps string) {
		for i := range n {
			steps += strings.ReplaceAll(step, "#", fmt.Sprint(i)) + ";"
		}
		return steps
	}
	all := map[string]string{
		"twenty look-ups of a list wait":                              repeat(lookup.MaxListed, "a/#+ waits 1h") + `a/x+ refused 41h; b/1 waits 1h; a/y<30h refused 43h`,
		"the second half of the queue is for clients without a place": repeat(maxWaiting/2, "#/1 waits 1h") + `0/2 refused 241h; last/1 waits 1h; last/2 refused 243h`,
		"the queue is bounded":                                        repeat(maxWaiting, "#/1 waits 1h") + `last/1 refused 481h; last/0! waits 1h`,
		// The second look-up of a client waits for no more newcomers than come while the round is open.
		"newcomers do not keep others waiting": `a/1 waits 1h; b/1 waits 1h; after 1h; a/1 taken; b/1 waits 1h; a/2 waits 1h; after 1h; b/1 taken;` +
			repeat(18, "n#/1 waits 1h; after 1h; a/2 waits 1h; n#/1 taken; a/2 waits 1h") + `late/1 waits 1h; turns a/2 late/1`,
	}
	for name, steps := range slotsCases {
		all[name] = steps
	}
	return all
}

// slotsUnderTest is an implementation of slots with the interval hour.
type slotsUnderTest struct {
	slots
	advance   func(d time.Duration)
	tolerance time.Duration // by which real time may shorten a wait
	tickets   map[string]*ticket
	waiting   []string
}

func (s *slotsUnderTest) run(t *testing.T, steps string) {
	t.Helper()
	s.tickets = map[string]*ticket{}
	if answer, _ := s.ask(t.Context(), s.ticket("first/0")); !answer.taken {
		s.advance(answer.again)
		s.step(t, []string{"first/0", "taken"})
	}
	for step := range strings.FieldsFuncSeq(steps, func(r rune) bool { return r == ';' || r == '\n' }) {
		if words := strings.Fields(step); len(words) > 0 {
			s.step(t, words)
		}
	}
}

// ticket returns the ticket of that name, which describes it.
func (s *slotsUnderTest) ticket(name string) *ticket {
	if s.tickets[name] == nil {
		plain, limit, limited := strings.Cut(name, "<")
		c := lookup.Caller{Client: plain[:strings.LastIndex(plain, "/")], Begun: strings.Contains(plain, "!")}
		switch plain[len(plain)-1] {
		case '+':
			c.Class = lookup.Listed
		case '~':
			c.Class = lookup.Idle
		}
		s.tickets[name] = newTicket(c, name, math.MaxInt64)
		if limited {
			s.tickets[name].limit = s.duration(limit)
		}
	}
	return s.tickets[name]
}

func (s *slotsUnderTest) duration(text string) time.Duration {
	d, err := time.ParseDuration(strings.TrimSuffix(text, ","))
	if err != nil {
		panic(err)
	}
	return d
}

func (s *slotsUnderTest) isAbout(got, want time.Duration) bool {
	return got <= want && got >= want-s.tolerance
}

func (s *slotsUnderTest) step(t *testing.T, words []string) {
	t.Helper()
	fail := func(got any, err error) {
		t.Helper()
		t.Fatalf("%s: got %+v, error %v", strings.Join(words, " "), got, err)
	}
	switch words[0] {
	case "after":
		s.advance(s.duration(words[1]))
		return
	case "sent":
		if err := s.sent(t.Context()); err != nil {
			fail(nil, err)
		}
		return
	case "widen":
		s.widen(s.duration(words[1]))
		return
	case "turns":
		if got := s.turns(t, len(words)-1); !slices.Equal(got, words[1:]) {
			fail(got, nil)
		}
		return
	case "queue":
		queue, err := s.queue(t.Context())
		if err != nil || len(queue) != len(words)/2 {
			fail(queue, err)
		}
		for i, w := range queue {
			if w.key != hashed(words[2*i+1]) || !s.isAbout(w.wait, s.duration(words[2*i+2])) {
				fail(queue, err)
			}
		}
		return
	}
	name := words[0]
	tk := s.ticket(name)
	if words[1] == "raises" {
		if n, err := s.raise(t.Context(), tk, words[2]); err != nil || n != 1 {
			fail(n, err)
		}
		return
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(other string) bool { return other == name })
	if words[1] == "leaves" {
		if err := s.leave(t.Context(), tk); err != nil {
			fail(nil, err)
		}
		return
	}
	answer, err := s.ask(t.Context(), tk)
	var full queueFull
	switch isFull := errors.As(err, &full); {
	case words[1] == "taken" && err == nil && answer.taken:
	case words[1] == "refused" && isFull && s.isAbout(full.wait, s.duration(words[2])):
	case words[1] == "waits" && err == nil && !answer.taken && s.isAbout(answer.again, s.duration(words[2])) && answer.wait >= answer.again:
		s.waiting = append(s.waiting, name)
	default:
		fail(answer, err)
	}
}

// turns lets n hours pass, in each of which all that wait ask, the last one first. It
// returns the order of their turns.
func (s *slotsUnderTest) turns(t *testing.T, n int) (got []string) {
	t.Helper()
	for range n {
		s.advance(hour)
		for _, name := range slices.Backward(slices.Clone(s.waiting)) {
			if answer, err := s.ask(t.Context(), s.tickets[name]); err != nil {
				t.Fatal(err)
			} else if answer.taken {
				got = append(got, name)
				s.waiting = slices.DeleteFunc(s.waiting, func(other string) bool { return other == name })
			}
		}
	}
	return got
}
