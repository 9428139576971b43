package lookup

import (
	"context"
	"sync"
	"time"
)

// Caller says for whom a look-up is made. A look-up with several callers at once has the
// first of them.
type Caller struct {
	Client string // turns are given round-robin by client
	Class  Class
	Begun  bool // an earlier step of the same look-up has had a turn
}

// Class says how a look-up waits for its first turn at a source. A look-up that has begun
// goes before all that have not.
type Class int

// The classes. A refusal is the fault throttle_queue_full, whose RetryAfter says when the
// turn would have come.
const (
	// Awaited is for a caller who waits for the answer. As many such look-ups of a client
	// wait as have their turn within the longest wait of the throttle.
	Awaited Class = iota
	// Listed is for one of several answers that a client requested at once and polls for.
	// At most MaxListed look-ups of a client wait, for as long as their context lasts, in
	// the order in which they were requested.
	Listed
	// Idle is for work ahead of time. It is refused at once unless the queue is empty and a
	// request may be sent now; its later requests let all others pass.
	Idle
)

// MaxListed is how many look-ups of one client may wait.
const MaxListed = 20

// Place is the position of a look-up in the queue for its next turn at a source. The wait
// is an estimate: it grows when those in front are late, and a look-up takes more than
// one turn.
type Place struct {
	Number int // 1 is next
	Wait   time.Duration
}

// Request is a look-up in progress, which Load passes on to the source and the throttle.
type Request struct {
	Caller
	Key string // identifies the look-up in the queue and to the breaker

	mu      sync.Mutex
	callers int  // that wait for the result
	queued  bool // the look-up waits for its first turn
	drop    context.CancelFunc
}

// AwaitTurn runs wait, which waits for the first turn of the look-up. During that time
// the context of the look-up is canceled once its last caller has left.
func (r *Request) AwaitTurn(wait func() error) error {
	r.setQueued(true)
	defer r.setQueued(false)
	return wait()
}

func (r *Request) setQueued(queued bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queued = queued
	r.dropIfUnwanted()
}

// addCallers adds n, which is negative for a caller that leaves.
func (r *Request) addCallers(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.callers += n
	r.dropIfUnwanted()
}

func (r *Request) dropIfUnwanted() {
	if r.queued && r.callers == 0 && r.drop != nil {
		r.drop()
	}
}
