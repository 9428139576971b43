package throttle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

// TestPacerKeepsRequestsApart: the longer of the interval and the delay that was asked for
// counts, and no turn is lost.
func TestPacerKeepsRequestsApart(t *testing.T) {
	for delay, want := range map[time.Duration]time.Duration{0: interval, interval / 2: interval, 3 * interval: 3 * interval} {
		synctest.Test(t, func(t *testing.T) {
			const n = 100
			p, began := NewPacer(options(1)), time.Now()
			p.KeepApart(delay)
			var arrived recorder
			for range n {
				go func() {
					if err := send(t.Context(), p, hasBegun, 0, &arrived); err != nil {
						t.Error(err)
					}
				}()
			}
			pass(n * want)
			at := arrived.since(began)
			if len(at) != n || at[n-1].Sub(at[0]) > (n-1)*want {
				t.Fatalf("%d requests in %v with a delay of %v", len(at), at[len(at)-1].Sub(at[0]), delay)
			}
			wantApart(t, "one process", at, want)
		})
	}
}

// TestPacerRefusesWhenTheQueueIsFull: look-ups take two turns each, and none is let
// into the queue that would wait for more than 25 s.
func TestPacerRefusesWhenTheQueueIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, began := NewPacer(options(1)), time.Now()
		var arrived recorder
		for n := range 11 { // ten wait, the last one for 24 s
			go func() {
				c := client(fmt.Sprint(n))
				if err := errors.Join(send(t.Context(), p, c, 0, &arrived), send(t.Context(), p, hasBegun, 0, &arrived)); err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait()
		}
		wantFull := func(retryAfter time.Duration) {
			t.Helper()
			_, err := turnOf(t.Context(), p, client("late"))
			f := fault.From(err)
			if f == nil || f.Kind != fault.Unavailable || f.Code != "throttle_queue_full" || f.Message == "" {
				t.Fatalf("got %+v, want throttle_queue_full", err)
			}
			if off := f.RetryAfter - retryAfter; off.Abs() > interval {
				t.Fatalf("the turn would come after %v, want about %v", f.RetryAfter, retryAfter)
			}
			if !errors.Is(err, lookup.ErrNotAsked) {
				t.Error("the refusal concerns others too")
			}
		}
		wantFull(11 * 2 * interval)
		if took := time.Since(began); took > 0 {
			t.Fatalf("a refusal took %v", took)
		}
		time.Sleep(11 * 2 * interval) // as in Retry-After
		if err := send(t.Context(), p, client("late"), 0, &arrived); err != nil || time.Since(began) > 23*interval {
			t.Fatalf("error %v after %v", err, time.Since(began))
		}
		wantApart(t, "one process", arrived.since(began), interval)
	})
}

// TestPacerLetsCallersLeave: their places are given back at once.
func TestPacerLetsCallersLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, began := NewPacer(options(1)), time.Now()
		var arrived recorder
		for i := range 7 {
			ctx, cancel := context.WithTimeout(t.Context(), interval/2)
			defer cancel()
			if i%3 == 0 {
				ctx = t.Context()
			}
			go func() {
				err := send(ctx, p, client(fmt.Sprint(i)), 0, &arrived)
				if i%3 == 0 && err != nil || i%3 != 0 && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("caller %d: error %v", i, err)
				}
			}()
			synctest.Wait()
		}
		pass(2 * interval)
		if at := arrived.since(began); len(at) != 3 || at[2].Sub(began) != 2*interval {
			t.Fatalf("requests at %v, want those of the three that stayed, without a gap", at)
		}
	})
}

func TestPacerReportsAnAbandonedLookup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPacer(options(1))
		_, _ = turnOf(t.Context(), p, lookup.Caller{})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := turnOf(ctx, p, lookup.Caller{}); !errors.Is(err, lookup.ErrNotAsked) || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestPacerReportsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waits []time.Duration
		o := options(1)
		o.Waiting = func(d time.Duration) { waits = append(waits, d) }
		p := NewPacer(o)
		for range 3 {
			if _, err := turnOf(t.Context(), p, lookup.Caller{}); err != nil {
				t.Fatal(err)
			}
		}
		if want := []time.Duration{0, interval, interval}; !slices.Equal(waits, want) {
			t.Fatalf("waits %v, want %v", waits, want)
		}
	})
}

// TestPacerKeepsToMaxWait has more callers than turns for an hour, each of which
// takes a moment to send. None waits much longer than was accepted.
func TestPacerKeepsToMaxWait(t *testing.T) {
	const delay, length = 100 * time.Millisecond, time.Hour
	synctest.Test(t, func(t *testing.T) {
		p, began := NewPacer(options(1)), time.Now()
		var arrived recorder
		var longest time.Duration
		var mu sync.Mutex
		for n := range 30 {
			go func() {
				c := client(fmt.Sprint(n))
				for time.Since(began) < length {
					joined := time.Now()
					if err := send(t.Context(), p, c, delay, &arrived); err != nil {
						time.Sleep(fault.From(err).RetryAfter)
						continue
					}
					mu.Lock()
					longest = max(longest, time.Since(joined)-delay)
					mu.Unlock()
				}
			}()
		}
		pass(length + time.Minute)
		if longest > 3*maxWait {
			t.Errorf("a look-up waited %v, want no more than those who come back may add", longest)
		}
		if n, possible := len(arrived.since(began)), int(length/(interval+delay)); n < possible*95/100 {
			t.Errorf("%d requests, want nearly the %d that are possible", n, possible)
		}
		wantApart(t, "slow callers", arrived.since(began), interval)
	})
}

func TestPacerRefusesAtAPausedSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pause := time.Duration(0)
		o := options(1)
		o.Rest = func(context.Context) time.Duration { return pause }
		p := NewPacer(o)
		if _, err := turnOf(t.Context(), p, lookup.Caller{}); err != nil {
			t.Fatalf("first turn: %v", err)
		}
		pause = 7 * time.Minute
		_, err := turnOf(t.Context(), p, hasBegun)
		if f := fault.From(err); f == nil || f.Code != "source_paused" || f.RetryAfter != pause {
			t.Errorf("turn at a paused source: %v", err)
		}
	})
}

// contextSlots note whether the context of sent had ended.
type contextSlots struct {
	slots
	err error
}

func (c *contextSlots) sent(ctx context.Context) error {
	c.err = ctx.Err()
	return nil
}

func TestPacerCountsTheRequestOfACancelledCaller(t *testing.T) {
	s := &contextSlots{slots: newMemorySlots(interval, openFor(maxWait), 0)}
	ctx, cancel := context.WithCancel(t.Context())
	sent, err := turnOf(ctx, &Pacer{shared: s, options: options(1)}, lookup.Caller{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	sent()
	if s.err != nil {
		t.Errorf("the request was reported with a context that had ended: %v", s.err)
	}
}

func TestPlacesOfWaitingLookups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPacer(options(1))
		var turns sync.WaitGroup
		for _, key := range []string{"first", "second", "third"} {
			turns.Go(func() {
				if _, err := p.Turn(t.Context(), &lookup.Request{Caller: client(key), Key: key}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		places := p.Places(t.Context(), "third", "first", "unknown", "second")
		for i, number := range []int{2, 0, 0, 1} {
			if places[i].Number != number || (places[i].Wait > 0) != (number > 0) {
				t.Errorf("place %d of %+v, want number %d", i, places, number)
			}
		}
		if wait := places[3].Wait; wait != interval {
			t.Errorf("the next one waits %v", wait)
		}
		turns.Wait()
	})
}
