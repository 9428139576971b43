package throttle

import (
	"maps"
	"sync"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

// refusals remember for an interval who was refused, so that a flood of questions costs
// little: until the next turn is given out, the answer would hardly be another. One
// caller in every interval is let through to find out.
type refusals struct {
	interval time.Duration

	mu    sync.Mutex
	notes map[lookup.Caller]refused
}

type refused struct {
	until time.Time // when it may be tried again
	turn  time.Time // when the turn would have come
}

// maxNotes bounds the memory that a flood from many addresses takes.
const maxNotes = 10_000

func newRefusals(interval time.Duration) *refusals {
	return &refusals{interval: interval, notes: map[lookup.Caller]refused{}}
}

func (r *refusals) note(a lookup.Caller, wait time.Duration) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.notes) >= maxNotes {
		maps.DeleteFunc(r.notes, func(_ lookup.Caller, n refused) bool { return n.until.Before(now) })
	}
	if len(r.notes) < maxNotes {
		r.notes[a] = refused{until: now.Add(r.interval), turn: now.Add(wait)}
	}
}

// standing is the time until the turn that a was refused. It is not ok when nothing is
// remembered, or when a may be the one who is let through.
func (r *refusals) standing(a lookup.Caller) (wait time.Duration, ok bool) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.notes[a]
	switch since := now.Sub(n.until); {
	case !ok:
		return 0, false
	case since >= r.interval: // nobody has come for a while
		delete(r.notes, a)
		return 0, false
	case since >= 0:
		n.until = now.Add(r.interval)
		r.notes[a] = n
		return 0, false
	}
	return max(n.turn.Sub(now), 0), true
}
