package hardware

import (
	"context"
	"slices"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/upstream"
	"backend.example/services/internal/kit/fault"
)

// Aggregator finds a product's offers at one price aggregator. Its errors are
// the faults of outcome.go, the throttle's, or those of ctx.
type Aggregator interface {
	Name() string   // as in the address of the price endpoint
	Domain() string // as in the field source of a price response
	Find(ctx context.Context, q catalog.Query) (Finding, error)
}

// refusalPause follows a refusal that does not say how long it is meant to last.
const refusalPause = 10 * time.Minute

// Prices answers price queries.
type Prices struct {
	aggregator Aggregator
	lookups    *Lookups
	breaker    upstream.Breaker
	observer   Observer
	ttl        time.Duration
	now        func() time.Time
}

// NewPrices returns a Prices whose successes are kept for ttl.
func NewPrices(a Aggregator, l *Lookups, b upstream.Breaker, o Observer, ttl time.Duration, now func() time.Time) *Prices {
	return &Prices{aggregator: a, lookups: l, breaker: b, observer: o, ttl: ttl, now: now}
}

// Aggregators lists the names that Get accepts.
func (p *Prices) Aggregators() []string { return []string{p.aggregator.Name()} }

// CheckAggregator answers a name that is not in Aggregators with the fault
// unknown_aggregator.
func (p *Prices) CheckAggregator(name string) error {
	if !slices.Contains(p.Aggregators(), name) {
		return fault.New(fault.NotFound, "unknown_aggregator", "Nieznana porównywarka cen.")
	}
	return nil
}

// Get returns the encoded answer to q. Besides the faults of outcome.go it may
// return source_paused and throttle_queue_full.
func (p *Prices) Get(ctx context.Context, q catalog.Query) (*Answer, Via, error) {
	name := p.LookupName(q)
	if a, ok := p.lookups.kept(name); ok {
		p.observer.Answered("price", ViaLocal, nil)
		return a, ViaLocal, nil
	}
	a, via, err := p.lookups.Get(ctx, name, func(ctx context.Context) (*Answer, error) { return p.load(WithLookup(ctx, name), q) })
	p.observer.Answered("price", via, err)
	return a, via, err
}

// Kept returns the answer to q that this process holds, if it does. Unlike Get it
// begins no look-up.
func (p *Prices) Kept(q catalog.Query) (*Answer, bool) { return p.lookups.kept(p.LookupName(q)) }

func (p *Prices) load(ctx context.Context, q catalog.Query) (*Answer, error) {
	name := p.aggregator.Name()
	if rest, ok := p.breaker.Allow(ctx, name); !ok {
		return nil, upstream.Paused(rest)
	}
	f, err := p.aggregator.Find(ctx, q)
	p.report(ctx, name, f, err)
	if err != nil {
		return nil, err
	}
	at := p.now()
	a, err := EncodePrice(p.aggregator.Domain(), f, at)
	if err != nil {
		return nil, err
	}
	a.FetchedAt = at
	if len(f.Offers) > 0 {
		a.Shareable, a.ExpiresAt = true, at.Add(p.ttl)
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

// report tells the breaker and the metrics how the source did. A look-up that
// never reached it, because its turn did not come, says nothing about it.
func (p *Prices) report(ctx context.Context, name string, f Finding, err error) {
	outcome := "found"
	switch e := fault.From(err); {
	case e == nil && f.ProductName == "":
		outcome = "nothing_matched"
		p.breaker.Succeed(ctx, name)
	case e == nil:
		p.breaker.Succeed(ctx, name)
	case e.Code == upstream.CodeBlocked:
		outcome = e.Code
		p.breaker.Pause(ctx, name, pauseAfter(e))
	case e.Code == upstream.CodeChanged, e.Code == upstream.CodeUnavailable, e.Code == upstream.CodeSlow:
		outcome = e.Code
		p.breaker.Fail(ctx, name)
	default:
		outcome = e.Code
	}
	p.observer.LookedUp(name, outcome, p.now())
}
