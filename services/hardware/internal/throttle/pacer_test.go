package throttle

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/internal/kit/fault"
)

const (
	interval = 1200 * time.Millisecond
	maxWait  = 15 * time.Second
)

func options(replicas int) Options {
	return Options{Interval: interval, MaxWait: maxWait, Replicas: replicas, Log: slog.New(slog.DiscardHandler)}
}

// requestLog is a source that writes down when it was asked.
type requestLog struct {
	mu sync.Mutex
	at []time.Time
}

// ask sends one request, which leaves delay after its turn came.
func (u *requestLog) ask(ctx context.Context, p *Pacer, admitted bool, delay time.Duration) error {
	sent, err := p.Turn(ctx, admitted)
	if err != nil {
		return err
	}
	if delay > 0 {
		time.Sleep(delay)
	}
	u.note()
	sent()
	return nil
}

// note writes down that a request has arrived.
func (u *requestLog) note() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.at = append(u.at, time.Now())
}

// asked are the moments of the requests from a moment on, in their order.
func (u *requestLog) asked(from time.Time) []time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	at := slices.DeleteFunc(slices.Clone(u.at), func(t time.Time) bool { return t.Before(from) })
	slices.SortFunc(at, time.Time.Compare)
	return at
}

// wantApart fails the test when two consecutive moments are closer than least.
func wantApart(t *testing.T, what string, at []time.Time, least time.Duration) {
	t.Helper()
	for i := 1; i < len(at); i++ {
		if gap := at[i].Sub(at[i-1]); gap < least {
			t.Errorf("%s: requests %d and %d are %v apart, want %v", what, i-1, i, gap, least)
		}
	}
}

func TestPacerKeepsRequestsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 100
		p, began := NewPacer(options(1)), time.Now()
		var u requestLog
		for range n {
			go func() {
				if err := u.ask(t.Context(), p, true, 0); err != nil {
					t.Error(err)
				}
			}()
		}
		time.Sleep((n - 1) * interval)
		synctest.Wait()
		at := u.asked(began)
		if len(at) != n {
			t.Fatalf("%d requests in the time for %d", len(at), n)
		}
		wantApart(t, "one process", at, interval)
	})
}

func TestPacerRefusesWhenTheQueueIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, began := NewPacer(options(1)), time.Now()
		var u requestLog
		join := func(n int, admitted bool) {
			for range n {
				go func() {
					if err := u.ask(t.Context(), p, admitted, 0); err != nil {
						t.Error(err)
					}
				}()
			}
			synctest.Wait()
		}
		join(13, false) // the last one waits 14.4 s
		wantFull := func(after time.Duration) {
			t.Helper()
			_, err := p.Turn(t.Context(), false)
			var f *fault.Error
			if !errors.As(err, &f) || f.Kind != fault.Unavailable || f.Code != "throttle_queue_full" || f.Message == "" {
				t.Fatalf("got %v, want throttle_queue_full", err)
			}
			if f.RetryAfter != after {
				t.Fatalf("come again after %v, want %v", f.RetryAfter, after)
			}
		}
		wantFull(time.Second)
		join(10, true) // those that had a turn already are never refused
		wantFull(23*interval - maxWait)
		if time.Since(began) > 0 {
			t.Fatalf("it took %v to be told", time.Since(began))
		}
		time.Sleep(23*interval - maxWait)
		synctest.Wait()
		join(1, false) // came again when told to
		time.Sleep(maxWait)
		synctest.Wait()
		if at := u.asked(began); len(at) != 24 {
			t.Fatalf("%d requests, want 24", len(at))
		}
		wantApart(t, "one process", u.asked(began), interval)
	})
}

func TestPacerLetsCallersLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, began := NewPacer(options(1)), time.Now()
		var u requestLog
		for i := range 10 {
			ctx, leave := context.WithTimeout(t.Context(), interval/2)
			defer leave()
			if i%3 == 0 {
				ctx = t.Context()
			}
			go func() {
				err := u.ask(ctx, p, false, 0)
				if (err != nil) != (i != 0 && ctx.Err() != nil) || err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("caller %d: error %v", i, err)
				}
			}()
			synctest.Wait()
		}
		time.Sleep(9 * interval)
		synctest.Wait()
		at := u.asked(began)
		if len(at) != 4 || at[3].Sub(began) != 9*interval {
			t.Fatalf("requests at %v, want the four that stayed, in their own slots", at)
		}
		if err := u.ask(t.Context(), p, false, 0); err != nil {
			t.Fatal(err)
		}
		wantApart(t, "one process", u.asked(began), interval)
	})
}

func TestPacerTellsHowLongTheWaitIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []time.Duration
		o := options(1)
		o.Waiting = func(d time.Duration) { told = append(told, d) }
		p := NewPacer(o)
		for range 3 {
			if _, err := p.Turn(t.Context(), false); err != nil {
				t.Fatal(err)
			}
		}
		if want := []time.Duration{0, interval, interval}; !slices.Equal(told, want) {
			t.Fatalf("told %v, want %v", told, want)
		}
	})
}

// TestPacerQueueStaysHonest has more callers than turns for an hour, each of
// which takes a moment to send: the waits do not grow beyond what was accepted.
func TestPacerQueueStaysHonest(t *testing.T) {
	const delay, length = 100 * time.Millisecond, time.Hour
	synctest.Test(t, func(t *testing.T) {
		p, began := NewPacer(options(1)), time.Now()
		var u requestLog
		var longest time.Duration
		var mu sync.Mutex
		for range 30 {
			go func() {
				for time.Since(began) < length {
					joined := time.Now()
					if err := u.ask(t.Context(), p, false, delay); err != nil {
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
		if n, possible := len(u.asked(began)), int(length/(interval+delay)); n < possible*95/100 {
			t.Errorf("%d requests, want nearly the %d that are possible", n, possible)
		}
		wantApart(t, "slow callers", u.asked(began), interval)
	})
}
