package prices

import (
	"context"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

// search asks which product q means.
func (p *Prices) search(ctx context.Context, r *lookup.Request, q catalog.Query) (*lookup.Answer[Match], error) {
	var m Match
	found, err := p.ask(ctx, r, func() (found Finding, outcome string, err error) {
		m.Number, found, err = p.Source.Search(ctx, r, q)
		if m.Number != "" {
			return found, "", err // the page decides how the look-up ends
		}
		return found, outcomeOf(found), err
	})
	if err != nil {
		return nil, err
	}
	now := p.Now()
	m.Price = newPrice(p.Domain, found, now)
	if m.Number == "" {
		return &lookup.Answer[Match]{Value: m, Lifetime: p.lifetime(found, now)}, nil
	}
	m.Key = "offers:" + p.Host + ":" + m.Number
	return &lookup.Answer[Match]{Value: m, Lifetime: success(now, p.ProductTTL)}, nil
}

// open reads the offers of a product. Its alternatives are those of the search, as long as
// their prices are fresh.
func (p *Prices) open(ctx context.Context, r *lookup.Request, m *lookup.Answer[Match]) (*Answer, error) {
	f, err := p.ask(ctx, r, func() (Finding, string, error) {
		f, err := p.Source.Product(ctx, r, m.Value.Number, m.Value.OfferCount)
		return f, outcomeOf(f), err
	})
	if err != nil {
		return nil, err
	}
	now := p.Now()
	if now.Sub(m.FetchedAt) < p.TTL {
		f.Alternatives = m.Value.Alternatives
	}
	return &Answer{Value: newPrice(p.Domain, f, now), Lifetime: p.lifetime(f, now)}, nil
}

// lifetime is that of prices. An answer without offers is no success and not kept.
func (p *Prices) lifetime(f Finding, now time.Time) lookup.Lifetime {
	if len(f.Offers) == 0 {
		return lookup.Lifetime{FetchedAt: now}
	}
	return success(now, p.TTL)
}

func success(now time.Time, ttl time.Duration) lookup.Lifetime {
	return lookup.Lifetime{FetchedAt: now, ExpiresAt: now.Add(ttl), Shareable: true}
}

// outcomeOf names a finding for the metrics.
func outcomeOf(f Finding) string {
	if f.ProductName == "" {
		return "nothing_matched"
	}
	return "found"
}

// ask takes one step at the source, unless it is paused.
func (p *Prices) ask(ctx context.Context, r *lookup.Request, step func() (f Finding, outcome string, err error)) (Finding, error) {
	if rest, ok := p.Breaker.Allow(ctx, p.Aggregator); !ok {
		return Finding{}, lookup.Paused(rest)
	}
	if r.Class != lookup.Idle {
		p.userAsked.Store(p.Now().UnixNano())
	}
	f, outcome, err := step()
	if e := fault.From(err); e != nil {
		if outcome = e.Code; e.Code == lookup.CodeBlocked {
			err = e.After(pauseAfter(e)) // the caller that met the refusal gets Retry-After, too
		}
	}
	if outcome != "" {
		p.LookedUp(outcome, p.Now())
	}
	p.report(ctx, r.Key, f, err)
	return f, err
}

// pauseAfter is how long the aggregator is left alone after a refusal.
func pauseAfter(f *fault.Error) time.Duration {
	if f.RetryAfter <= 0 {
		return refusalPause
	}
	return min(f.RetryAfter, lookup.MaxPause)
}

// report reports the result to the breaker. What one query caused, such as a page
// that cannot be read, must not stop other queries. A look-up that never
// reached the source does not count.
func (p *Prices) report(ctx context.Context, key string, f Finding, err error) {
	switch e := fault.From(err); {
	case e == nil && f.NotAsked:
	case e == nil:
		p.Breaker.Succeed(ctx, p.Aggregator)
	case e.Code == lookup.CodeBlocked:
		p.Breaker.Pause(ctx, p.Aggregator, e.RetryAfter)
	case lookup.IsFailing(err):
		p.Breaker.Fail(ctx, p.Aggregator, key)
	}
}

// Forget forgets, in every replica, which product q means and the offers of that product. It
// reports whether anything was kept.
func (p *Prices) Forget(ctx context.Context, q catalog.Query) (forgotten bool, err error) {
	m, err := p.Matches.Forget(ctx, p.Key(q))
	if err != nil || m == nil {
		return false, err
	}
	if m.Value.Number != "" {
		_, err = p.Offers.Forget(ctx, m.Value.Key)
	}
	return true, err
}

// Match is what the search for a query led to. It is kept far longer than prices are,
// so that the same question later costs no search.
type Match struct {
	Number string `json:"number,omitempty"` // of the product whose page has the offers; empty if the search is the whole answer
	Key    string `json:"key,omitempty"`    // under which the product's offers are kept
	// Price is the answer when there is no Number, else what the search showed of the
	// product. Its name is the one by which the product was last found to be meant.
	Price
}

// matchBytes is what a match takes besides its price and its texts.
const matchBytes = 40

// Size implements lookup.Value.
func (m Match) Size() int { return m.Price.Size() + matchBytes + len(m.Number) + len(m.Key) }

// AnswerOf is the answer of a search that led to no product page.
func AnswerOf(m *lookup.Answer[Match]) *Answer {
	return &Answer{Value: m.Value.Price, Lifetime: m.Lifetime}
}
