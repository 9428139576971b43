// Package pace spaces the requests that a service sends to another system. A Clock, which all replicas share, gives
// out slots: the times at which a request may be sent. A Queue in each process decides which request gets the next
// slot. A process reserves only the slot of its next request, so replicas take turns.
package pace

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// Class says how urgent a request is. All requests of a class precede those of later ones.
type Class int

// The classes.
const (
	Begun  Class = iota - 1 // a further request of a task that has sent one
	Person                  // of a person who waits; the zero value
	Listed                  // one of several requested together
	Idle                    // work ahead of time, and scans
)

// Classes lists every Class.
func Classes() []Class { return []Class{Begun, Person, Listed, Idle} }

// String returns the name of the class in metrics.
func (c Class) String() string { return [...]string{"begun", "person", "listed", "idle"}[c-Begun] }

// Ticket describes a request that waits.
type Ticket struct {
	ID     string // of the task that sends it, for Place; may be empty
	Class  Class
	Client string // clients take turns within a class
}

// Rate is how often requests are sent.
type Rate struct {
	Interval time.Duration
	Burst    int // how many may be sent at once after a pause; at least 1
	Turns    int // how many requests a task needs, for estimates; at least 1
}

// PerMinute returns the rate with which no minute has more than n requests. A twentieth may be sent at once.
func PerMinute(n int) Rate {
	burst := max(1, n/20)
	return Rate{Interval: time.Minute / time.Duration(max(1, n-burst)), Burst: burst, Turns: 1}
}

// NoLimit as the longest wait lets a request wait until its turn comes.
const NoLimit time.Duration = math.MaxInt64

// Full is the error if the turn of a request is not expected, or does not come, within its longest wait.
type Full struct {
	Wait time.Duration // estimate of the wait until its turn
}

// Error implements error.
func (f Full) Error() string { return fmt.Sprintf("queue is full: the turn would come in %v", f.Wait) }

// Queue holds the requests of this process that wait for slots of one key. It is safe for concurrent use.
type Queue struct {
	clock Clock
	key   string

	mu       sync.Mutex
	rate     Rate
	waiting  []*waiter     // the next one first
	round    [Idle + 1]int // the current round of each class except Begun
	running  bool          // whether run reserves slots; it ends when no request waits
	slot     time.Time     // the last slot that this process reserved
	distance time.Duration // average time between its slots, for estimates
}

// waiter is a ticket in the queue. A class is served in rounds: in a round, each client has one ticket, and tickets
// are in order of arrival.
type waiter struct {
	Ticket
	round int
	turn  chan turn
}

type turn struct {
	until time.Time // when the slot expires
	err   error
}

// NewQueue returns the Queue for the slots of key.
func NewQueue(clock Clock, key string, rate Rate) *Queue {
	return &Queue{clock: clock, key: key, rate: rate, distance: rate.Interval}
}

// Wait blocks until the request of t may be sent, and returns the time before which it must be sent. A process that
// was frozen past that time calls Wait again.
//
// Wait returns Full if the turn is not expected, or does not come, within longest. Otherwise its error is that of
// ctx, that of the clock, or the one given to Drop.
func (q *Queue) Wait(ctx context.Context, t Ticket, longest time.Duration) (until time.Time, err error) {
	w, err := q.join(t, longest)
	if err != nil {
		return time.Time{}, err
	}
	timer := time.NewTimer(longest)
	defer timer.Stop()
	select {
	case got := <-w.turn:
		return got.until, got.err
	case <-timer.C:
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, w)
	if i < 0 { // the turn came while this select returned
		got := <-w.turn
		return got.until, got.err
	}
	wait := q.waitAt(i)
	q.waiting = slices.Delete(q.waiting, i, i+1)
	if ctx.Err() != nil {
		return time.Time{}, ctx.Err()
	}
	return time.Time{}, Full{Wait: wait}
}

func (q *Queue) join(t Ticket, longest time.Duration) (*waiter, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := &waiter{Ticket: t, turn: make(chan turn, 1)}
	if t.Class != Begun {
		w.round = q.round[t.Class] + 1
		for _, other := range q.waiting {
			if other.Class == t.Class && other.Client == t.Client {
				w.round = max(w.round, other.round+1)
			}
		}
	}
	compare := func(other, w *waiter) int {
		const earlierFirst = -1 // within a class and round
		return cmp.Or(cmp.Compare(other.Class, w.Class), cmp.Compare(other.round, w.round), earlierFirst)
	}
	i, _ := slices.BinarySearchFunc(q.waiting, w, compare)
	if wait := q.waitAt(i); wait > longest {
		return nil, Full{Wait: wait}
	}
	q.waiting = slices.Insert(q.waiting, i, w)
	if !q.running {
		q.running = true
		go q.run()
	}
	return w, nil
}

// run reserves slots one after another while requests wait.
func (q *Queue) run() {
	for following := false; ; following = true {
		rate, wanted := q.next()
		if !wanted {
			return
		}
		slot, err := q.clock.Next(context.Background(), q.key, rate.Interval, rate.Burst)
		if err != nil {
			q.Drop(fmt.Errorf("reserve a slot: %w", err))
			continue
		}
		q.noteSlot(slot, following)
		time.Sleep(time.Until(slot))
		if q.clock.IsValid(context.Background(), q.key) {
			q.Pass(slot.Add(rate.tolerance()))
		}
	}
}

func (q *Queue) next() (rate Rate, wanted bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running = len(q.waiting) > 0
	return q.rate, q.running
}

// tolerance returns how long after its time a slot may be used.
func (r Rate) tolerance() time.Duration {
	return max(r.Interval*time.Duration(r.Burst)/20, 50*time.Millisecond)
}

// noteSlot records a slot. Within a run it also updates distance, a moving average.
func (q *Queue) noteSlot(slot time.Time, following bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if following {
		q.distance = (3*q.distance + slot.Sub(q.slot)) / 4
	}
	q.slot = slot
}

// Pass gives a slot, which expires at until, to the first request that waits.
func (q *Queue) Pass(until time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 || !time.Now().Before(until) {
		return
	}
	first := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	if first.Class != Begun {
		q.round[first.Class] = first.round
	}
	first.turn <- turn{until: until}
}

// Drop removes all requests that wait. Their calls of Wait return err.
func (q *Queue) Drop(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range q.waiting {
		w.turn <- turn{err: err}
	}
	q.waiting = nil
}

// Widen sets the interval of the rate to interval if that is longer.
func (q *Queue) Widen(interval time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.rate.Interval = max(q.rate.Interval, interval)
	q.distance = max(q.distance, interval)
}

// Place is a position in the queue of this process. The wait is an estimate.
type Place struct {
	Number int // 1 is next
	Wait   time.Duration
}

// Place returns the place of the task with that ID, or zero if it does not wait.
func (q *Queue) Place(id string) Place {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.waiting, func(w *waiter) bool { return w.ID == id })
	if i < 0 {
		return Place{}
	}
	return Place{i + 1, q.waitAt(i)}
}

// Waiting returns how many requests of each class wait.
func (q *Queue) Waiting() map[Class]int {
	q.mu.Lock()
	defer q.mu.Unlock()
	byClass := map[Class]int{}
	for _, w := range q.waiting {
		byClass[w.Class]++
	}
	return byClass
}

// waitAt estimates the wait of a request behind the first ahead requests. Each of them counts with all requests of
// its task, except that of a task that has begun.
func (q *Queue) waitAt(ahead int) time.Duration {
	turns := 0
	for _, w := range q.waiting[:ahead] {
		if w.Class == Begun {
			turns++
		} else {
			turns += q.rate.Turns
		}
	}
	first := q.slot
	if !q.running {
		first = q.slot.Add(q.rate.Interval)
	}
	return max(0, time.Until(first)) + time.Duration(turns)*q.distance
}
