package prove

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// verdict is the caller's judgement of a response.
type verdict int

// The verdicts.
const (
	right   verdict = iota
	refused         // with Retry-After
	wrong
)

// sender sends a request and judges the response. The error explains a wrong response.
type sender func(ctx context.Context) (verdict, error)

// kind is a share of the traffic.
type kind struct {
	Name  string // not unique
	Share int    // relative to the other kinds
	Send  sender
}

// loadResult of a run.
type loadResult struct {
	Sent, Right, Refused, Wrong int
	Skipped                     int             // due while Open requests were pending
	First                       error           // of the first wrong response
	Of                          map[string]int  // right answers by the name of their kind
	Latencies                   []time.Duration // of the right answers, sorted
	Took                        time.Duration
}

// Percentile returns the latency that p of 100 right answers stay below.
func (r *loadResult) Percentile(p int) time.Duration {
	if len(r.Latencies) == 0 {
		return 0
	}
	return r.Latencies[min(len(r.Latencies)*p/100, len(r.Latencies)-1)]
}

// PerSecond returns the rate of right answers.
func (r *loadResult) PerSecond() float64 { return float64(r.Right) / r.Took.Seconds() }

// plan of a run.
type plan struct {
	Kinds []kind
	Rate  float64 // requests per second; if 0, Open callers send one after the other
	Open  int     // limit of pending requests
	Time  time.Duration
}

// runLoad sends requests according to the plan and returns when all are answered.
func runLoad(ctx context.Context, p plan) *loadResult {
	ctx, cancel := context.WithTimeout(ctx, p.Time+time.Minute) // for the last answers
	defer cancel()
	c := &recorder{result: loadResult{Of: map[string]int{}}}
	begun := time.Now()
	if p.Rate == 0 {
		p.closed(ctx, c)
	} else {
		p.paced(ctx, c)
	}
	slices.Sort(c.result.Latencies)
	c.result.Took = time.Since(begun)
	return &c.result
}

// closed sends requests with Open callers, each of which waits for its response.
func (p *plan) closed(ctx context.Context, c *recorder) {
	var callers sync.WaitGroup
	end := time.Now().Add(p.Time)
	for range p.Open {
		callers.Go(func() {
			for time.Now().Before(end) && ctx.Err() == nil {
				c.send(ctx, p.pick())
			}
		})
	}
	callers.Wait()
}

// paced sends at the rate of the plan, a few requests every few milliseconds.
func (p *plan) paced(ctx context.Context, c *recorder) {
	const step = 5 * time.Millisecond
	tick := time.NewTicker(step)
	defer tick.Stop()
	open := make(chan struct{}, p.Open)
	var under sync.WaitGroup
	begun, due := time.Now(), 0.0
	for now := begun; now.Sub(begun) < p.Time && ctx.Err() == nil; now = <-tick.C {
		for due < now.Sub(begun).Seconds()*p.Rate {
			due++
			select {
			case open <- struct{}{}:
				under.Go(func() { c.send(ctx, p.pick()); <-open })
			default:
				c.skip()
			}
		}
	}
	under.Wait()
}

func (p *plan) pick() kind {
	all := 0
	for _, k := range p.Kinds {
		all += k.Share
	}
	n := rand.N(all) // #nosec G404 -- mixes traffic
	for _, k := range p.Kinds {
		if n -= k.Share; n < 0 {
			return k
		}
	}
	return kind{} // not reached: the shares sum up
}

type recorder struct {
	mu     sync.Mutex
	result loadResult
}

func (c *recorder) skip() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.result.Skipped++
}

func (c *recorder) send(ctx context.Context, k kind) {
	begun := time.Now()
	how, err := k.Send(ctx)
	took := time.Since(begun)
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.result
	r.Sent++
	switch how {
	case right:
		r.Right++
		r.Of[k.Name]++
		r.Latencies = append(r.Latencies, took)
	case refused:
		r.Refused++
	default:
		r.Wrong++
		if r.First == nil {
			r.First = err
		}
	}
}

// slow returns the verdict after 0.1 s.
func slow(how verdict, err error) sender {
	return func(context.Context) (verdict, error) {
		time.Sleep(100 * time.Millisecond)
		return how, err
	}
}

func TestPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		r := runLoad(t.Context(), plan{Rate: 200, Open: 1000, Time: 10 * time.Second, Kinds: []kind{
			{Name: "right", Share: 2, Send: slow(right, nil)}, {Name: "refused", Share: 1, Send: slow(refused, nil)}, {Name: "wrong", Share: 1, Send: slow(wrong, broken)},
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

func TestClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var under, most atomic.Int64
		r := runLoad(t.Context(), plan{Open: 10, Time: 2 * time.Second, Kinds: []kind{{Name: "right", Share: 1, Send: func(context.Context) (verdict, error) {
			most.Store(max(most.Load(), under.Add(1)))
			time.Sleep(100 * time.Millisecond)
			under.Add(-1)
			return right, nil
		}}}})
		if r.Sent != 200 || most.Load() != 10 || r.PerSecond() != 100 {
			t.Errorf("%d sent, %d at once, %f a second", r.Sent, most.Load(), r.PerSecond())
		}
	})
}
