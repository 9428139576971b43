package throttle

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"net/netip"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

// slots is the queue for the turns at a source. The first in the queue takes the next
// turn, an interval after the last request. Look-ups that have begun go before all
// others, and those in idle time after them. The others go by rounds: a network has one
// turn in each, and the clients of a network take its turns round-robin. In a round the
// order is that of arrival. A network that had no turn in the current round may still
// join it until it has been open for a while; to leave room for it, a network that has had
// its turn is let in again only if it waits for at most half the limit. The second half of
// the queue has room for one look-up of each client. The implementations share the test
// cases of TestSlots.
type slots interface {
	// ask takes t's turn if it has come. Otherwise t is in the queue and asks again. The
	// error is queueFull if t is not let into the queue.
	ask(ctx context.Context, t *ticket) (turn, error)
	// leave removes t from the queue.
	leave(ctx context.Context, t *ticket) error
	// raise moves those of the look-ups that wait to the place that t would have, if that is
	// further in front and t would be let in. It returns how many wait.
	raise(ctx context.Context, t *ticket, keys ...string) (waiting int, err error)
	// sent records that the request has left just now: the interval counts from here.
	sent(ctx context.Context) error
	// queue returns the waiting look-ups in order.
	queue(ctx context.Context) ([]waiter, error)
	// widen makes the interval longer by extra than it was at first.
	widen(extra time.Duration)
}

// ticket is for one turn of a look-up.
type ticket struct {
	key, client, network string
	round                int64         // begunRound, idleRound or byNetwork
	most                 int           // as many tickets of its client may wait
	limit                time.Duration // longest wait from now on
	admitted             bool          // it was let into the queue: most and limit no longer apply
	joined               time.Time
	id                   string    // its name in Redis
	alone                time.Time // since when the shared slots have been unavailable to it; zero if they are not
}

// The rounds of look-ups that do not wait for the turn of their network.
const (
	begunRound = 0
	byNetwork  = -1
	idleRound  = 1 << 52
)

const (
	// maxWaiting bounds the queue: each of its tickets asks once an interval.
	maxWaiting = 240
	// turnsPerLookup is how many turns a look-up takes: the search and the product's page.
	turnsPerLookup = 2
)

// openFor is how long networks without a turn in a round may join it: long enough for a
// client that was refused to come back, and short enough that an endless stream of new
// clients cannot keep the others waiting.
func openFor(maxWait time.Duration) time.Duration { return maxWait * 3 / 2 }

// turn is the answer to a ticket.
type turn struct {
	taken bool          // the request may be sent now
	again time.Duration // otherwise when to ask again
	wait  time.Duration // and the estimated time until the turn
}

// waiter is a look-up in the queue, by the hash of its key.
type waiter struct {
	key  string
	wait time.Duration
}

// queueFull refuses a ticket whose turn would come after wait.
type queueFull struct{ wait time.Duration }

func (queueFull) Error() string { return "throttle queue is full" }

// newTicket is for the next turn of a look-up.
func newTicket(c lookup.Caller, key string, maxWait time.Duration) *ticket {
	t := &ticket{
		key: key, client: c.Client, network: networkOf(c.Client), round: byNetwork,
		most: math.MaxInt32, limit: maxWait, admitted: c.Begun, joined: time.Now(),
	}
	if !c.AskedAt.IsZero() {
		t.limit = max(t.limit-time.Since(c.AskedAt), 0)
	}
	switch {
	case c.Class == lookup.Idle:
		t.round, t.limit = idleRound, 0
	case c.Begun:
		t.round = begunRound
	case c.Class == lookup.Listed:
		t.most, t.limit = lookup.MaxListed, math.MaxInt64
	}
	return t
}

// networkOf returns the /48 of a client that is an IPv6 network, and any other client
// itself.
func networkOf(client string) string {
	prefix, err := netip.ParsePrefix(client)
	if err != nil || prefix.Addr().Is4() {
		return client
	}
	return netip.PrefixFrom(prefix.Addr(), 48).Masked().String()
}

// hashed stands for a name in Redis, where keys contain the words of a query and clients
// are addresses.
func hashed(name string) string {
	sum := sha256.Sum256([]byte(name))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
