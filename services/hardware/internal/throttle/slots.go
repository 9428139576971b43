package throttle

import (
	"cmp"
	"context"
	"math"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

// slots gives out the turns at a source to those who stand in line for them. The first
// in line takes the next one, an interval after the last request. Look-ups that have
// begun stand before all others, those in idle time behind; the others go by rounds, in
// which each client has one turn, and in a round by arrival. A round ends when all who
// wait have had their turn in it; who was refused and comes back may still join it. For
// their sake those who wait for a later round are let in for half the longest wait.
type slots interface {
	// ask takes t's turn when it has come. Otherwise t stands in line and asks again. A
	// ticket that is not let into the line gets a queueFull error.
	ask(ctx context.Context, t *ticket) (turn, error)
	// leave gives up t's place in line.
	leave(ctx context.Context, t *ticket) error
	// sent notes that the request has left just now. The interval counts from here.
	sent(ctx context.Context) error
	// line tells who stands in line, in order.
	line(ctx context.Context) ([]waiter, error)
	// widen makes the interval longer by extra than it was at first.
	widen(extra time.Duration)
}

// ticket is for one turn of a look-up.
type ticket struct {
	key, client string
	round       int64         // begunRound, idleRound, or byClient
	most        int           // as many tickets of its client may wait
	limit       time.Duration // longest wait
	admitted    bool          // it was let into the line: most and limit hold no more
	id          string        // its name in Redis
	alone       time.Time     // since when the shared slots have not answered it; zero: they have
}

// The rounds of look-ups that wait for no turn of their client.
const (
	begunRound = 0
	byClient   = -1
	idleRound  = 1 << 52
)

// maxWaiting bounds the line: every replica asks once a slot for each of its tickets.
const maxWaiting = 240

// openFor is how long those who had no turn in a round may join it: long enough for who
// was refused to come back, and short enough that newcomers without end cannot keep
// everybody else waiting.
func openFor(maxWait time.Duration) time.Duration { return maxWait * 3 / 2 }

// turn is the answer to a ticket.
type turn struct {
	taken bool          // the request may be sent now
	again time.Duration // else when to ask again
	wait  time.Duration // and how long the turn is away, as far as is known
}

// waiter is a look-up in line, by the hash of its key.
type waiter struct {
	key  string
	wait time.Duration
}

// queueFull is the refusal of a ticket whose turn would come after wait.
type queueFull struct{ wait time.Duration }

func (queueFull) Error() string { return "throttle queue is full" }

// maxAwaited is how many look-ups of a client may wait whose callers wait for them.
const maxAwaited = 2

// newTicket is for the next turn of a look-up.
func newTicket(asker lookup.Caller, key string, maxWait time.Duration) *ticket {
	t := &ticket{key: key, client: asker.Client, round: byClient, most: maxAwaited, limit: maxWait, admitted: asker.Begun}
	switch {
	case asker.Class == lookup.Idle:
		t.round, t.limit = idleRound, 0
	case asker.Begun:
		t.round = begunRound
	case asker.Class == lookup.Listed:
		t.most, t.limit = lookup.MaxListed, math.MaxInt64
	}
	return t
}

// pace is how many turns a look-up takes on average, from the share of turns with which
// one began. It begins with two: the search and the product's page.
type pace struct{ firsts float64 }

func (p pace) turns() float64 { return 1 / max(cmp.Or(p.firsts, 0.5), 0.2) }

func (p *pace) note(first bool) {
	share := 0.0
	if first {
		share = 1
	}
	p.firsts = cmp.Or(p.firsts, 0.5)
	p.firsts += (share - p.firsts) / 16
}
