package throttle

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

// awaited and the others make tickets whose key is "client/n".
func awaited(key string) *ticket { return ticketOf(key, lookup.Awaited, false) }
func listed(key string) *ticket  { return ticketOf(key, lookup.Listed, false) }
func idle(key string) *ticket    { return ticketOf(key, lookup.Idle, false) }
func begun(key string) *ticket   { return ticketOf(key, lookup.Awaited, true) }

func ticketOf(key string, class lookup.Class, begun bool) *ticket {
	client, _, _ := strings.Cut(key, "/")
	return newTicket(lookup.Caller{Client: client, Class: class, Begun: begun}, key, math.MaxInt64)
}

func (s slotsUnderTest) ask(t *testing.T, tk *ticket) turn {
	t.Helper()
	answer, err := s.slots.ask(t.Context(), tk)
	if err != nil {
		t.Fatalf("%s: %v", tk.key, err)
	}
	return answer
}

// wantWait has a ticket stand in line, to ask again after some time.
func (s slotsUnderTest) wantWait(t *testing.T, tk *ticket, again time.Duration) turn {
	t.Helper()
	answer := s.ask(t, tk)
	if answer.taken || answer.again > again || answer.again < again-s.tolerance || answer.wait < answer.again {
		t.Fatalf("%s: %+v, want it to ask again after %v", tk.key, answer, again)
	}
	return answer
}

func (s slotsUnderTest) wantTaken(t *testing.T, tk *ticket) {
	t.Helper()
	if answer := s.ask(t, tk); !answer.taken {
		t.Fatalf("%s: %+v, want the turn", tk.key, answer)
	}
}

// wantRefused returns how far away the turn would have been.
func (s slotsUnderTest) wantRefused(t *testing.T, tk *ticket) time.Duration {
	t.Helper()
	answer, err := s.slots.ask(t.Context(), tk)
	var full queueFull
	if !errors.As(err, &full) {
		t.Fatalf("%s: %+v, error %v, want queueFull", tk.key, answer, err)
	}
	return full.wait
}

// begin takes a turn, after which the next one comes an hour later.
func (s slotsUnderTest) begin(t *testing.T) {
	t.Helper()
	first := awaited("first/0")
	if answer := s.ask(t, first); !answer.taken {
		s.advance(answer.again)
		s.wantTaken(t, first)
	}
}

// join has tickets stand in line, in this order.
func (s slotsUnderTest) join(t *testing.T, tickets ...*ticket) []*ticket {
	t.Helper()
	for _, tk := range tickets {
		s.wantWait(t, tk, hour)
	}
	return tickets
}

// wantOrder lets every ticket ask in every slot, the last one first, and compares the
// order of their turns.
func (s slotsUnderTest) wantOrder(t *testing.T, tickets []*ticket, want ...string) {
	t.Helper()
	var got []string
	for range len(tickets) {
		s.advance(hour)
		for _, tk := range slices.Backward(slices.Clone(tickets)) {
			if s.ask(t, tk).taken {
				got = append(got, tk.key)
				tickets = slices.DeleteFunc(tickets, func(other *ticket) bool { return other == tk })
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("turns in the order %v, want %v", got, want)
	}
}
