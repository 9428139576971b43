// Package prices answers with the cheapest offers of a product at one price
// aggregator. A question is asked in two steps, the search for the product and the page
// with its offers, and what each of them returned is kept for a time of its own.
//
// How the aggregator is read is left to the adapter; the package decides how long an
// answer is kept, and what a failure means for the next look-up.
package prices

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/match"
)

// refusalPause follows a refusal that does not say how long it is meant to last.
const refusalPause = 10 * time.Minute

// Answer is a price together with how long it may be given out.
type Answer = lookup.Answer[Price]

// Source is the aggregator. Its errors are the faults of package lookup, the
// throttle's, or those of ctx.
type Source interface {
	// Search finds the product that q means. It returns the product's number and what
	// the search shows of it. Without a number the Finding is the whole answer. Where
	// the site names the product itself, the Finding has no name and is the answer
	// should the product turn out not to be meant.
	Search(ctx context.Context, r *lookup.Request, q catalog.Query) (number string, found Finding, err error)
	// Product reads the page of a product. shops is the number of offers to assume
	// when the page does not say.
	Product(ctx context.Context, r *lookup.Request, number string, shops int) (Finding, error)
}

// Options are what Prices need.
type Options struct {
	Aggregator string // its name in the address of the price endpoint
	Domain     string // its name in answers
	Host       string // where Source reads, with the port if there is one; part of every key
	Source     Source
	Matches    *lookup.Layers[Match]
	Offers     *lookup.Layers[Price]
	Breaker    lookup.Breaker
	TTL        time.Duration // how long prices are kept
	ProductTTL time.Duration // how long is remembered which product a query means
	// Answered and LookedUp are called with each answer and each look-up, for metrics.
	Answered func(via lookup.Via, err error)
	LookedUp func(outcome string, at time.Time)
	Now      func() time.Time
}

// Prices answers price queries.
type Prices struct {
	Options
	demand     demand
	remembered remembered
	userAsked  atomic.Int64 // when the source was last asked for a user, in Unix nanoseconds
}

// New returns Prices.
func New(o Options) *Prices {
	return &Prices{
		Options: o, demand: demand{wanted: map[string]*wanted{}},
		remembered: remembered{products: products{}},
	}
}

// Key names the search for q, the same in every replica and another one for each source and
// each version of the rules by which a product is chosen.
func (p *Prices) Key(q catalog.Query) string {
	return "price:" + p.Host + ":" + match.Version + ":" + string(q.Category) + ":" + q.Folded()
}

// Get returns the answer to q. Besides the faults of package lookup it may return
// throttle_queue_full. Both steps together take no longer than one look-up may; what has
// begun goes on for the cache.
func (p *Prices) Get(ctx context.Context, c lookup.Caller, q catalog.Query) (*Answer, lookup.Via, error) {
	c.AskedAt = time.Now()
	limited, cancel := context.WithTimeout(ctx, p.Matches.Timing.LimitOf(c.Class))
	defer cancel()
	a, via, err := p.find(limited, c, q, false)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = lookup.Slow(err)
	}
	p.Answered(via, err)
	return a, via, err
}

// Kept returns the answer to q that this process holds, if it does. Unlike Get it
// begins no look-up.
func (p *Prices) Kept(q catalog.Query) (*Answer, bool) {
	a, m := p.held(q)
	if a == nil {
		return nil, false
	}
	if m.Value.Number != "" {
		p.demand.note(m, a.Lifetime, p.Now())
	}
	p.Answered(lookup.ViaLocal, nil)
	return a, true
}

// Peek returns what Kept does for a list of products: it is no demand for them, so
// their offers are not fetched again before they expire.
func (p *Prices) Peek(q catalog.Query) (*Answer, bool) {
	a, _ := p.held(q)
	return a, a != nil
}

// held returns the answer to q that this process holds, or nil, and the product that it
// is about.
func (p *Prices) held(q catalog.Query) (*Answer, *lookup.Answer[Match]) {
	m, ok := p.Matches.Kept(p.Key(q))
	if !ok {
		return nil, nil
	}
	if m.Value.Number == "" {
		return AnswerOf(m), m
	}
	if a, ok := p.Offers.Kept(m.Value.Key); ok && a.Value.ProductName == m.Value.ProductName {
		return a, m
	}
	return nil, nil
}

// find takes the two steps, of which either may have been taken before. With again, the
// remembered product is not trusted.
func (p *Prices) find(ctx context.Context, c lookup.Caller, q catalog.Query, again bool) (*Answer, lookup.Via, error) {
	key, via := p.Key(q), lookup.ViaLocal
	m, ended := p.Matches.Look(key)
	if m == nil || again {
		var err error
		if m, via, err = p.match(ctx, c, q, key, ended, again); err != nil {
			return nil, "", err
		}
	}
	if m.Value.Number == "" {
		return AnswerOf(m), via, nil
	}
	searched := via == lookup.ViaSource || via == lookup.ViaCollapsed
	c.Begun = searched && c.Class != lookup.Idle // which never waits in the queue
	a, ended := p.Offers.Look(m.Value.Key)
	if a == nil {
		var offersVia lookup.Via
		var err error
		if a, offersVia, err = p.offers(ctx, c, m, ended); err != nil {
			return nil, "", err
		}
		via = slowestVia(via, offersVia)
	}
	switch p.judge(q, m, a.Value.ProductName, searched) {
	case meant:
		if a.Shareable && c.Class != lookup.Idle {
			p.demand.note(m, a.Lifetime, p.Now())
			p.remembered.note(q, m.Value.Key, a.Value.ProductName, p.Now())
		}
		return a, via, nil
	case notMeant:
		return &Answer{Value: m.Value.Price, Lifetime: lookup.Lifetime{FetchedAt: m.FetchedAt}}, lookup.ViaSource, nil
	default:
		c.Begun = c.Class != lookup.Idle
		return p.find(ctx, c, q, true)
	}
}

// match is the product that q means, remembered or searched for.
func (p *Prices) match(
	ctx context.Context, c lookup.Caller, q catalog.Query, key string, ended int64, again bool,
) (*lookup.Answer[Match], lookup.Via, error) {
	search := func(ctx context.Context, r *lookup.Request) (*lookup.Answer[Match], error) {
		return p.search(ctx, r, q)
	}
	if !again {
		return p.Matches.Find(ctx, key, c, ended, search)
	}
	m, err := p.Matches.Refresh(ctx, key, c, p.ProductTTL-searchedLately, search)
	return m, lookup.ViaSource, err
}

// offers are those of the product of m.
func (p *Prices) offers(ctx context.Context, c lookup.Caller, m *lookup.Answer[Match], ended int64) (*Answer, lookup.Via, error) {
	return p.Offers.Find(ctx, m.Value.Key, c, ended, func(ctx context.Context, r *lookup.Request) (*Answer, error) {
		return p.open(ctx, r, m)
	})
}

// searchedLately is the age of a search that is not worth repeating.
const searchedLately = time.Minute

// verdict is whether a product's page is about what a query means.
type verdict int

const (
	meant    verdict = iota
	notMeant         // the site itself named another product
	outdated         // the product was another one when it was remembered
)

// judge compares the name on a product's page with the one by which it was matched. A
// product that the search has just named is trusted, whatever its page calls it, and so
// is the one to which the site led from a bar code.
func (p *Prices) judge(q catalog.Query, m *lookup.Answer[Match], name string, searched bool) verdict {
	switch {
	case name == m.Value.ProductName:
		return meant
	case searched && (m.Value.ProductName != "" || match.IsBarCode(q)), match.Means(q, name):
		renamed := *m
		renamed.Value.ProductName = name
		p.Matches.Keep(p.Key(q), &renamed)
		return meant
	case searched:
		return notMeant
	}
	return outdated
}

// slowestVia is where an answer of two steps came from.
func slowestVia(a, b lookup.Via) lookup.Via {
	for _, via := range []lookup.Via{lookup.ViaSource, lookup.ViaCollapsed, lookup.ViaShared} {
		if a == via || b == via {
			return via
		}
	}
	return lookup.ViaLocal
}
