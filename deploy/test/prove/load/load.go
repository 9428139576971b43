// Package load sends requests at a steady rate, regardless of the response times, and counts
// the results. The caller judges each response.
package load

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Verdict is the caller's judgement of a response.
type Verdict int

// The verdicts.
const (
	Right   Verdict = iota
	Refused         // with Retry-After
	Wrong
)

// Request sends a request and judges the response. The error explains Wrong.
type Request func(ctx context.Context) (Verdict, error)

// Kind is a share of the traffic.
type Kind struct {
	Name  string // not unique
	Share int    // relative to the other kinds
	Send  Request
}

// Result of a run.
type Result struct {
	Sent, Right, Refused, Wrong int
	Skipped                     int             // due while Open requests were pending
	First                       error           // of the first wrong response
	Of                          map[string]int  // right answers by the name of their kind
	Latencies                   []time.Duration // of the right answers, sorted
	Took                        time.Duration
}

// Percentile returns the latency that p of 100 right answers stay below.
func (r *Result) Percentile(p int) time.Duration {
	if len(r.Latencies) == 0 {
		return 0
	}
	return r.Latencies[min(len(r.Latencies)*p/100, len(r.Latencies)-1)]
}

// PerSecond returns the rate of right answers.
func (r *Result) PerSecond() float64 { return float64(r.Right) / r.Took.Seconds() }

// Plan of a run.
type Plan struct {
	Kinds []Kind
	Rate  float64 // requests per second; if 0, Open callers send one after the other
	Open  int     // limit of pending requests
	Time  time.Duration
}

// Run sends requests according to the plan and returns when all are answered.
func Run(ctx context.Context, p Plan) *Result {
	ctx, cancel := context.WithTimeout(ctx, p.Time+time.Minute) // for the last answers
	defer cancel()
	c := &recorder{result: Result{Of: map[string]int{}}}
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
func (p *Plan) closed(ctx context.Context, c *recorder) {
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
func (p *Plan) paced(ctx context.Context, c *recorder) {
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

func (p *Plan) pick() Kind {
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
	return Kind{} // not reached: the shares sum up
}

type recorder struct {
	mu     sync.Mutex
	result Result
}

func (c *recorder) skip() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.result.Skipped++
}

func (c *recorder) send(ctx context.Context, k Kind) {
	begun := time.Now()
	verdict, err := k.Send(ctx)
	took := time.Since(begun)
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.result
	r.Sent++
	switch verdict {
	case Right:
		r.Right++
		r.Of[k.Name]++
		r.Latencies = append(r.Latencies, took)
	case Refused:
		r.Refused++
	default:
		r.Wrong++
		if r.First == nil {
			r.First = err
		}
	}
}
