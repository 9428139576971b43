package throttle

import (
	"context"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

// slots gives out the moments at which requests may be sent.
type slots interface {
	// reserve takes the next free slot. It returns its ticket, numbered from 1 in the
	// order of the slots, and the time left until it, or a queueFull error when that
	// is longer than limit.
	reserve(ctx context.Context, limit time.Duration) (ticket int64, wait time.Duration, err error)
	// start returns zero when the ticket's request may be sent now. Else the request
	// before it was late, and it returns how long this one still has to wait. Ticket 0
	// stands for a request without a reservation.
	start(ctx context.Context, ticket int64) (time.Duration, error)
	// sent notes that the request has left just now. The interval counts from here.
	sent(ctx context.Context) error
	// place tells where in the queue a look-up stands, whose name was in the context
	// of its reservation. It is zero when the look-up does not wait.
	place(ctx context.Context, key string) (lookup.Place, error)
}

// queueFull is the refusal of a reservation whose turn would come after wait.
type queueFull struct{ wait time.Duration }

func (queueFull) Error() string { return "throttle queue is full" }

// placeAfter is the place of a look-up whose turn comes after wait, as the turns
// before it are an interval apart.
func placeAfter(wait, interval time.Duration) lookup.Place {
	if wait <= 0 {
		return lookup.Place{}
	}
	return lookup.Place{Number: int((wait + interval - 1) / interval), Wait: wait}
}
