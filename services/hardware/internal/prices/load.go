package prices

import (
	"context"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

// search asks which product q means.
func (p *Prices) search(ctx context.Context, r *fetch.Request, q catalog.Query) (*lookup.Answer[Match], error) {
	number, found, err := p.source.Search(ctx, r, q)
	if err != nil {
		p.metrics.LookedUp(p.Aggregator, fault.From(err).Code)
		return nil, err
	}
	now := p.Now()
	m := Match{Number: number, Price: newPrice(p.Domain, found, now)}
	if number == "" {
		p.metrics.LookedUp(p.Aggregator, outcomeOf(found))
		return &lookup.Answer[Match]{Value: m, Lifetime: p.lifetime(found, now)}, nil
	}
	m.Key = p.offersKey(number) // the page decides how the look-up ends
	return &lookup.Answer[Match]{Value: m, Lifetime: success(now, p.ProductTTL)}, nil
}

func (p *Prices) offersKey(number string) string { return "offers:" + p.Host + ":" + number }

// open reads the offers of a product. Its alternatives are those of the search, as long as
// their prices are fresh.
func (p *Prices) open(ctx context.Context, r *fetch.Request, m *lookup.Answer[Match]) (*Answer, error) {
	f, err := p.source.Product(ctx, r, m.Value.Number, m.Value.OfferCount)
	if err != nil {
		p.metrics.LookedUp(p.Aggregator, fault.From(err).Code)
		return nil, err
	}
	p.metrics.LookedUp(p.Aggregator, outcomeOf(f))
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

// Forget forgets, in every replica, which product q means and the offers of that product. It
// reports whether anything was kept.
func (p *Prices) Forget(ctx context.Context, q catalog.Query) (forgotten bool, err error) {
	m, err := p.matches.Forget(ctx, p.Key(q))
	if err != nil || m == nil {
		return false, err
	}
	if m.Value.Number != "" {
		_, err = p.offers.Forget(ctx, m.Value.Key)
	}
	return true, err
}

// Match is what the search for a query led to. It is kept far longer than prices are,
// so that the same question later costs no search.
type Match struct {
	// Number is that of the product whose page has the offers. It is empty if the search is
	// the whole answer.
	Number string `json:"number,omitempty"`
	Key    string `json:"key,omitempty"` // under which the product's offers are kept
	// Price is the answer when there is no Number, else what the search showed of the
	// product. Its name is the one by which the product was last found to be meant.
	Price
}

// matchBytes is what a match takes besides its price and its texts.
const matchBytes = 40

// Size implements lookup.Value.
func (m Match) Size() int { return m.Price.Size() + matchBytes + len(m.Number) + len(m.Key) }

// answerOf is the answer of a search that led to no product page.
func answerOf(m *lookup.Answer[Match]) *Answer {
	return &Answer{Value: m.Value.Price, Lifetime: m.Lifetime}
}
