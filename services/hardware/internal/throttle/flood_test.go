package throttle

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

// flood is many questions from one address, while ten others ask one at a time and come
// back after Retry-After. Every question takes two requests.
type flood struct {
	*fleet
	latency time.Duration // of the source
	end     time.Time

	mu      sync.Mutex
	answers map[string][]time.Duration // by client, when each question was answered
}

const (
	flooders = 30 // threads of one client
	honest   = 10 // clients
)

// ask asks one question by replica i, until it is answered or refused.
func (f *flood) ask(ctx context.Context, i int, client string) error {
	if err := f.send(ctx, i, lookup.Caller{Client: client}); err != nil {
		return err
	}
	time.Sleep(f.latency)
	if err := f.send(ctx, i, hasBegun); err != nil {
		return err
	}
	time.Sleep(f.latency)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[client] = append(f.answers[client], time.Since(f.began))
	return nil
}

// run lets all clients ask, and ends when f.end has come and all that began is answered.
// The flood comes back at once, the others after Retry-After.
func (f *flood) run(t *testing.T) {
	t.Helper()
	for n := range flooders + honest {
		name := "flood"
		if n >= flooders {
			name = fmt.Sprint("client ", n)
		}
		f.callers.Go(func() {
			for time.Now().Before(f.end) {
				err := f.ask(t.Context(), n%len(f.replicas), name)
				switch {
				case err == nil:
				case !fault.Is(err, "throttle_queue_full"):
					t.Error(err)
				case name == "flood":
					time.Sleep(50 * time.Millisecond)
				default:
					time.Sleep(fault.From(err).RetryAfter)
				}
			}
		})
	}
	f.callers.Wait()
}

// expectFair expects that the ten clients have their first answers within a minute, and 40%
// of all answers until the end.
func (f *flood) expectFair(t *testing.T) {
	t.Helper()
	all, theirs := 0, 0
	var firsts []time.Duration
	for client, at := range f.answers {
		at = slices.DeleteFunc(at, func(d time.Duration) bool { return d > f.end.Sub(f.began) })
		all += len(at)
		if client != "flood" && len(at) > 0 {
			theirs += len(at)
			firsts = append(firsts, at[0])
		}
	}
	if len(firsts) < honest || slices.Max(firsts) > time.Minute {
		t.Errorf("%d of %d clients have an answer, the last one after %v", len(firsts), honest, slices.Max(firsts))
	}
	if theirs*100 < 40*all {
		t.Errorf("the ten clients had %d of %d answers, want 40%%", theirs, all)
	}
}

func newFlood(replicas int) *flood {
	f := &flood{fleet: newFleet(replicas), latency: 300 * time.Millisecond, answers: map[string][]time.Duration{}}
	if replicas == 1 {
		f.replicas = nil
		f.add(NewPacer(options(1)))
	}
	return f
}

// TestEightLookupsOfOneClient are those of the parts of a build, all at once: each is of
// two requests, and all are answered within the longest wait.
func TestEightLookupsOfOneClient(t *testing.T) {
	for _, replicas := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) {
			f := newFlood(replicas)
			if err := f.send(t.Context(), 0, lookup.Caller{}); err != nil { // robots.txt
				t.Fatal(err)
			}
			for n := range 8 {
				f.callers.Go(func() {
					if err := f.ask(t.Context(), n%replicas, "client"); err != nil {
						t.Error(err)
					}
				})
			}
			f.callers.Wait()
			if at := f.answers["client"]; len(at) != 8 || slices.Max(at) > maxWait {
				t.Errorf("%d replicas: answers after %v, want all eight within %v", replicas, at, maxWait)
			}
			wantApart(t, "cold look-ups", f.arrived.since(f.began), interval)
		})
	}
}
