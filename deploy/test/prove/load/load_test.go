package load

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// slow returns the verdict after 0.1 s.
func slow(verdict Verdict, err error) Request {
	return func(context.Context) (Verdict, error) {
		time.Sleep(100 * time.Millisecond)
		return verdict, err
	}
}

func TestPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		r := Run(t.Context(), Plan{Rate: 200, Open: 1000, Time: 10 * time.Second, Kinds: []Kind{
			{Name: "right", Share: 2, Send: slow(Right, nil)}, {Name: "refused", Share: 1, Send: slow(Refused, nil)}, {Name: "wrong", Share: 1, Send: slow(Wrong, broken)},
		}})
		if r.Sent < 1990 || r.Sent > 2010 || r.Sent != r.Right+r.Refused+r.Wrong || r.Skipped != 0 {
			t.Errorf("%+v", r)
		}
		if r.Right < 850 || r.Refused < 350 || r.Wrong < 350 || len(r.Of) != 1 || r.Of["right"] != r.Right || !errors.Is(r.First, broken) {
			t.Errorf("%d right, %d refused, %d wrong, %v", r.Right, r.Refused, r.Wrong, r.First)
		}
		if p := r.Percentile(99); p != 100*time.Millisecond {
			t.Errorf("p99 %s", p)
		}
	})
}

func TestPacedSkipsRequestsBeyondOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := Run(t.Context(), Plan{Rate: 1000, Open: 10, Time: 2 * time.Second, Kinds: []Kind{{Name: "right", Share: 1, Send: slow(Right, nil)}}})
		if r.Sent < 190 || r.Sent > 210 || r.Sent+r.Skipped < 1990 {
			t.Errorf("%d sent, %d skipped", r.Sent, r.Skipped)
		}
	})
}

func TestClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var under, most atomic.Int64
		r := Run(t.Context(), Plan{Open: 10, Time: 2 * time.Second, Kinds: []Kind{{Name: "right", Share: 1, Send: func(context.Context) (Verdict, error) {
			most.Store(max(most.Load(), under.Add(1)))
			time.Sleep(100 * time.Millisecond)
			under.Add(-1)
			return Right, nil
		}}}})
		if r.Sent != 200 || most.Load() != 10 || r.PerSecond() != 100 {
			t.Errorf("%d sent, %d at once, %f a second", r.Sent, most.Load(), r.PerSecond())
		}
	})
}

func TestNoLatency(t *testing.T) {
	if p := (&Result{}).Percentile(99); p != 0 {
		t.Errorf("p99 of nothing is %s", p)
	}
}
