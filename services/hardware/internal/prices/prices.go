// Package prices answers with the cheapest offers of a product at one price
// aggregator. Which product a query means, and what its offers are, is the
// aggregator's finding; the package decides how long it is kept, and what a failure
// means for the next look-up.
package prices

import (
	"context"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/upstream"
	"backend.example/services/internal/kit/fault"
)

// refusalPause follows a refusal that does not say how long it is meant to last.
const refusalPause = 10 * time.Minute

// Answer is a price together with how long it may be given out.
type Answer = lookup.Answer[Price]

// Options are what Prices need.
type Options struct {
	Aggregator string // its name in the address of the price endpoint
	Domain     string // its name in answers
	// Find asks the aggregator. Its errors are the faults of package upstream, the
	// throttle's, or those of ctx.
	Find    func(ctx context.Context, q catalog.Query) (Finding, error)
	Layers  *lookup.Layers[Price]
	Breaker upstream.Breaker
	TTL     time.Duration // how long a success is kept
	// Answered and LookedUp are told every answer and every look-up, for metrics.
	Answered func(via lookup.Via, err error)
	LookedUp func(outcome string, at time.Time)
	Now      func() time.Time
}

// Prices answers price queries.
type Prices struct{ Options }

// New returns Prices.
func New(o Options) *Prices { return &Prices{Options: o} }

// Key names the look-up of q, the same in every replica.
func (p *Prices) Key(q catalog.Query) string {
	return "price:" + p.Aggregator + ":" + string(q.Category) + ":" + q.Folded()
}

// Get returns the answer to q. Besides the faults of package upstream it may return
// throttle_queue_full.
func (p *Prices) Get(ctx context.Context, q catalog.Query) (*Answer, lookup.Via, error) {
	key := p.Key(q)
	if a, ok := p.Layers.Kept(key); ok {
		p.Answered(lookup.ViaLocal, nil)
		return a, lookup.ViaLocal, nil
	}
	a, via, err := p.Layers.Get(ctx, key, func(ctx context.Context) (*Answer, error) { return p.load(ctx, q) })
	p.Answered(via, err)
	return a, via, err
}

// Kept returns the answer to q that this process holds, if it does. Unlike Get it
// begins no look-up.
func (p *Prices) Kept(q catalog.Query) (*Answer, bool) { return p.Layers.Kept(p.Key(q)) }

func (p *Prices) load(ctx context.Context, q catalog.Query) (*Answer, error) {
	if rest, ok := p.Breaker.Allow(ctx, p.Aggregator); !ok {
		return nil, upstream.Paused(rest)
	}
	f, err := p.Find(ctx, q)
	p.report(ctx, f, err)
	if err != nil {
		return nil, err
	}
	now := p.Now()
	a := &Answer{Value: newPrice(p.Domain, f, now), Lifetime: lookup.Lifetime{FetchedAt: now}}
	if len(f.Offers) > 0 {
		a.Shareable, a.ExpiresAt = true, now.Add(p.TTL)
	}
	return a, nil
}

// pauseAfter is how long the aggregator is left alone after a refusal.
func pauseAfter(f *fault.Error) time.Duration {
	if f.RetryAfter <= 0 {
		return refusalPause
	}
	return min(f.RetryAfter, upstream.MaxPause)
}

// report tells the breaker and the metrics how the source did. What one question
// caused, such as a page that cannot be read, must not stop the questions of others.
// A look-up that never reached the source says nothing about it.
func (p *Prices) report(ctx context.Context, f Finding, err error) {
	outcome := "found"
	switch e := fault.From(err); {
	case e == nil && f.NotAsked:
		outcome = "nothing_matched"
	case e == nil && f.ProductName == "":
		outcome = "nothing_matched"
		p.Breaker.Succeed(ctx, p.Aggregator)
	case e == nil:
		p.Breaker.Succeed(ctx, p.Aggregator)
	case e.Code == upstream.CodeBlocked:
		outcome = e.Code
		p.Breaker.Pause(ctx, p.Aggregator, pauseAfter(e))
	case upstream.IsFailing(err):
		outcome = e.Code
		p.Breaker.Fail(ctx, p.Aggregator)
	default:
		outcome = e.Code
	}
	p.LookedUp(outcome, p.Now())
}
