package throttle

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

func TestPacerKeepsRequestsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 100
		p, began := NewPacer(options(1)), time.Now()
		var arrived recorder
		for range n {
			go func() {
				if err := send(t.Context(), p, true, 0, &arrived); err != nil {
					t.Error(err)
				}
			}()
		}
		time.Sleep((n - 1) * interval)
		synctest.Wait()
		at := arrived.since(began)
		if len(at) != n {
			t.Fatalf("%d requests in the time for %d", len(at), n)
		}
		wantApart(t, "one process", at, interval)
	})
}

func TestPacerRefusesWhenTheQueueIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, began := NewPacer(options(1)), time.Now()
		var arrived recorder
		join := func(n int, admitted bool) {
			for range n {
				go func() {
					if err := send(t.Context(), p, admitted, 0, &arrived); err != nil {
						t.Error(err)
					}
				}()
			}
			synctest.Wait()
		}
		wantFull := func(retryAfter time.Duration) {
			t.Helper()
			_, err := p.Turn(t.Context(), false)
			var f *fault.Error
			if !errors.As(err, &f) || f.Kind != fault.Unavailable || f.Code != "throttle_queue_full" || f.Message == "" || f.RetryAfter != retryAfter {
				t.Fatalf("got %+v, want throttle_queue_full with RetryAfter %v", f, retryAfter)
			}
		}
		join(13, false) // the last one waits 14.4 s
		wantFull(time.Second)
		join(10, true) // admitted look-ups are never refused
		wantFull(23*interval - maxWait)
		if took := time.Since(began); took > 0 {
			t.Fatalf("a refusal took %v", took)
		}
		time.Sleep(23*interval - maxWait)
		synctest.Wait()
		join(1, false) // retried when told to
		time.Sleep(maxWait)
		synctest.Wait()
		if at := arrived.since(began); len(at) != 24 {
			t.Fatalf("%d requests, want 24", len(at))
		}
		wantApart(t, "one process", arrived.since(began), interval)
	})
}

func TestPacerLetsCallersLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, began := NewPacer(options(1)), time.Now()
		var arrived recorder
		for i := range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), interval/2)
			defer cancel()
			if i%3 == 0 {
				ctx = t.Context()
			}
			go func() {
				err := send(ctx, p, false, 0, &arrived)
				if i%3 == 0 && err != nil || i%3 != 0 && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("caller %d: error %v", i, err)
				}
			}()
			synctest.Wait()
		}
		time.Sleep(9 * interval)
		synctest.Wait()
		at := arrived.since(began)
		if len(at) != 4 || at[3].Sub(began) != 9*interval {
			t.Fatalf("requests at %v, want the four that stayed, in their own slots", at)
		}
		if err := send(t.Context(), p, false, 0, &arrived); err != nil {
			t.Fatal(err)
		}
		wantApart(t, "one process", arrived.since(began), interval)
	})
}

func TestPacerReportsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waits []time.Duration
		o := options(1)
		o.Waiting = func(d time.Duration) { waits = append(waits, d) }
		p := NewPacer(o)
		for range 3 {
			if _, err := p.Turn(t.Context(), false); err != nil {
				t.Fatal(err)
			}
		}
		if want := []time.Duration{0, interval, interval}; !slices.Equal(waits, want) {
			t.Fatalf("waits %v, want %v", waits, want)
		}
	})
}

// TestPacerKeepsToMaxWait has more callers than turns for an hour, each of which
// takes a moment to send. Nobody waits longer than was accepted.
func TestPacerKeepsToMaxWait(t *testing.T) {
	const delay, length = 100 * time.Millisecond, time.Hour
	synctest.Test(t, func(t *testing.T) {
		p, began := NewPacer(options(1)), time.Now()
		var arrived recorder
		var longest time.Duration
		var mu sync.Mutex
		for range 30 {
			go func() {
				for time.Since(began) < length {
					joined := time.Now()
					if err := send(t.Context(), p, false, delay, &arrived); err != nil {
						time.Sleep(fault.From(err).RetryAfter)
						continue
					}
					mu.Lock()
					longest = max(longest, time.Since(joined)-delay)
					mu.Unlock()
				}
			}()
		}
		time.Sleep(length + time.Minute)
		synctest.Wait()
		if longest > maxWait+2*interval {
			t.Errorf("a look-up waited %v, want about %v at most", longest, maxWait)
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
		if _, err := p.Turn(t.Context(), false); err != nil {
			t.Fatalf("first turn: %v", err)
		}
		pause = 7 * time.Minute
		_, err := p.Turn(t.Context(), true)
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
	s := &contextSlots{slots: newMemorySlots(interval, 0)}
	ctx, cancel := context.WithCancel(t.Context())
	sent, err := newPacer(s, nil, options(1)).Turn(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	sent()
	if s.err != nil {
		t.Errorf("the request was reported with a context that had ended: %v", s.err)
	}
}

func TestPlaceOfAWaitingLookup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPacer(options(1))
		var turns sync.WaitGroup
		for _, key := range []string{"first", "second", "third"} {
			turns.Go(func() {
				if _, err := p.Turn(lookup.WithKey(t.Context(), key), false); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		for key, want := range map[string]int{"first": 0, "second": 1, "third": 2, "unknown": 0} {
			place, ok := p.Place(t.Context(), key)
			if place.Number != want || ok != (want > 0) || place.Wait != time.Duration(want)*interval {
				t.Errorf("%s: place %+v, %t, want number %d", key, place, ok, want)
			}
		}
		turns.Wait()
	})
}
