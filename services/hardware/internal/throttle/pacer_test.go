package throttle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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

// A replica without Redis sees its own queue and its share of the rate.
func TestPacerShowsItsState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, ctx := newFleet(10), t.Context()
		taken := make(chan lookup.Class, 4)
		f.replicas[0].options.Taken = func(c lookup.Class) { taken <- c }
		f.replicas[0].KeepApart(3 * interval)
		for n := range 3 {
			f.callers.Go(func() {
				_, _ = turnOf(ctx, f.replicas[0].Pacer, lookup.Caller{Client: fmt.Sprint(n), Class: lookup.Listed})
			})
		}
		pass(time.Second)
		expect := func(waiting int, interval time.Duration) {
			t.Helper()
			if n, d := f.replicas[0].State(ctx); n != waiting || d != interval {
				t.Errorf("%d wait, %v apart, want %d, %v", n, d, waiting, interval)
			}
		}
		expect(3, 3*interval)
		f.down.Store(true)
		expect(0, 30*interval)
		f.down.Store(false)
		f.callers.Wait()
		if len(taken) != 3 {
			t.Errorf("%d turns", len(taken))
		}
		for range len(taken) {
			if c := <-taken; c != lookup.Listed {
				t.Errorf("a turn of class %v", c)
			}
		}
	})
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
			if f == nil || f.Kind != fault.Unavailable || f.Code != "throttle_queue_full" || f.Message != "Sprawdzamy teraz wiele cen. Spróbuj ponownie za chwilę." {
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

// A refusal asks for no less than a second, the unit of Retry-After.
func TestPacerRefusesForASecondAtLeast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPacer(Options{Interval: 100 * time.Millisecond, MaxWait: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler)})
		if err := send(t.Context(), p, client("a"), 0, &recorder{}); err != nil {
			t.Fatal(err)
		}
		if _, err := turnOf(t.Context(), p, client("b")); fault.From(err) == nil || fault.From(err).RetryAfter != time.Second {
			t.Errorf("got %+v, want a second", err)
		}
	})
}

// TestPacerCountsTheWaitBefore checks that a caller who has waited for another step, or for the
// look-up of another caller, has only the rest of the longest wait for its own turn.
func TestPacerCountsTheWaitBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPacer(options(1))
		for n := range 6 { // one has its turn at once, five wait: the next one for 12 s
			go func() { _, _ = p.Turn(t.Context(), &lookup.Request{Caller: client(fmt.Sprint(n)), Key: fmt.Sprint(n)}) }()
			synctest.Wait()
		}
		waited := func(name string, d time.Duration) lookup.Caller {
			return lookup.Caller{Client: name, AskedAt: time.Now().Add(-d)}
		}
		for before, want := range map[time.Duration]string{10 * time.Second: "", 20 * time.Second: "throttle_queue_full", time.Hour: "throttle_queue_full"} {
			ctx, leave := context.WithTimeout(t.Context(), time.Millisecond)
			if _, err := turnOf(ctx, p, waited("late", before)); fault.Is(err, "throttle_queue_full") != (want != "") {
				t.Errorf("%v before its own look-up: %v, want %q", before, err, want)
			}
			leave()
			again, err := p.Join(t.Context(), waited("5", before+2*interval), "5") // waits for four others
			if fault.Is(err, "throttle_queue_full") != (want != "") || errors.Is(err, lookup.ErrNotAsked) || want == "" && again < 8*interval {
				t.Errorf("%v before it joined: %v, %v, want %q", before, again, err, want)
			}
		}
		for _, c := range []lookup.Caller{{AskedAt: time.Now().Add(-time.Hour), Begun: true}, {AskedAt: time.Now().Add(-time.Hour), Class: lookup.Listed}} {
			if _, err := p.Join(t.Context(), c, "5"); err != nil {
				t.Errorf("%+v: %v", c, err)
			}
		}
		if again, err := p.Join(t.Context(), waited("late", time.Hour), "under way"); again != 0 || err != nil {
			t.Errorf("the turn has come: %v, %v", again, err)
		}
		pass(time.Minute)
	})
}

// TestPacerFinishesWhatHasBegun: the second turn of a look-up is the next one, though others
// wait for longer than the longest wait.
func TestPacerFinishesWhatHasBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, r, began := NewPacer(options(1)), &lookup.Request{Caller: client("a"), Key: "a"}, time.Now()
		if _, err := p.Turn(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		for n := range 11 {
			go func() { _, _ = turnOf(t.Context(), p, client(fmt.Sprint(n))) }()
			synctest.Wait()
		}
		if _, err := p.Turn(t.Context(), r); err != nil || time.Since(began) != interval {
			t.Errorf("the second turn came after %v, error %v, want it after %v", time.Since(began), err, interval)
		}
		pass(time.Minute)
	})
}

// TestPacerKeepsARoundOpen: newcomers go before the second look-up of another client for half as
// long again as the longest wait, so that who was refused can come back.
func TestPacerKeepsARoundOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, began := NewPacer(options(1)), time.Now()
		if err := send(t.Context(), p, client("first"), 0); err != nil {
			t.Fatal(err)
		}
		var waited time.Duration
		go func() {
			for range 2 {
				_, _ = turnOf(t.Context(), p, lookup.Caller{Client: "a", Class: lookup.Listed})
			}
			waited = time.Since(began)
		}()
		synctest.Wait()
		for n := range 60 {
			go func() { _, _ = turnOf(t.Context(), p, client(fmt.Sprint(n))) }()
			if n > 1 { // there is always another one
				pass(interval)
			}
		}
		if open := maxWait * 3 / 2; waited < open || waited > open+6*interval {
			t.Errorf("the second look-up waited %v, want a little more than %v", waited, open)
		}
		pass(time.Minute)
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

// nothing is the value of a look-up.
type nothing struct{}

func (nothing) Size() int { return 0 }

// TestPacerDropsALookupWithoutCallers checks that a look-up leaves the queue with its last
// caller, unless it has begun.
func TestPacerDropsALookupWithoutCallers(t *testing.T) {
	for _, begun := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := NewPacer(options(1))
			layers := lookup.New(lookup.Options[nothing]{Local: lookup.NewLocal(1 << 20), Timing: lookup.DefaultTiming(), Now: time.Now})
			ctx, cancel := context.WithTimeout(t.Context(), interval/2)
			defer cancel()
			var first, ended error
			_, _, err := layers.Get(ctx, "key", lookup.Caller{}, func(ctx context.Context, r *lookup.Request) (*lookup.Answer[nothing], error) {
				if begun {
					_, first = p.Turn(ctx, r)
				} else {
					_, first = turnOf(ctx, p, client("another"))
				}
				_, ended = p.Turn(ctx, r)
				return &lookup.Answer[nothing]{}, errors.Join(first, ended)
			})
			pass(interval)
			if dropped := errors.Is(ended, lookup.ErrNotAsked); first != nil || dropped == begun || begun && ended != nil {
				t.Errorf("begun %t: the look-up ended with %v", begun, errors.Join(first, ended))
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the caller left with %v", err)
			}
		})
	}
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

// contextSlots note whether the contexts of sent and leave had ended.
type contextSlots struct {
	slots
	errs []error
}

func (c *contextSlots) sent(ctx context.Context) error {
	c.errs = append(c.errs, ctx.Err())
	return nil
}

func (c *contextSlots) leave(ctx context.Context, _ *ticket) error {
	c.errs = append(c.errs, ctx.Err())
	return nil
}

// TestPacerRecordsWhatACancelledCallerDid checks that its request is recorded and its next
// place given up, though its context has ended.
func TestPacerRecordsWhatACancelledCallerDid(t *testing.T) {
	s := &contextSlots{slots: newMemorySlots(interval, openFor(maxWait), 0)}
	p := &Pacer{shared: s, options: options(1)}
	ctx, cancel := context.WithCancel(t.Context())
	sent, err := turnOf(ctx, p, lookup.Caller{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	sent()
	if _, err := turnOf(ctx, p, lookup.Caller{}); err == nil {
		t.Error("a cancelled caller had a turn")
	}
	if !slices.Equal(s.errs, []error{nil, nil}) {
		t.Errorf("request and place were reported with contexts that had ended: %v", s.errs)
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

// TestPlacesInBothQueues: a look-up to which Redis was unavailable waits at its place in this
// process until it asks again.
func TestPlacesInBothQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := func() *memorySlots { return newMemorySlots(interval, openFor(maxWait), interval) }
		p := &Pacer{shared: s(), local: s(), options: options(1)}
		wanted := newTicket(client("b"), "b", maxWait)
		_, _ = p.shared.ask(t.Context(), newTicket(client("a"), "a", maxWait)) // memory never fails
		_, _ = p.shared.ask(t.Context(), wanted)
		_, _ = p.local.ask(t.Context(), wanted)
		places := p.Places(t.Context(), "a", "b")
		if want := []lookup.Place{{Number: 1, Wait: interval}, {Number: 1, Wait: interval}}; !slices.Equal(places, want) {
			t.Errorf("places %+v, want %+v", places, want)
		}
	})
}
