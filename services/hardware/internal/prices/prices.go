// Package prices returns the cheapest offers of a product at one price aggregator. A query takes two steps, the
// search for the product and the page with its offers. What each returned is kept for a time of its own.
package prices

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/match"
	"backend.example/services/hardware/internal/metrics"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/pace"
)

// Answer is a price and how long it may be given out.
type Answer = lookup.Answer[Price]

// Source is the aggregator. Its errors are the faults of package fetch, or those of ctx.
type Source interface {
	// Search finds the product that q means. Without a number the Finding is the whole answer. Where the site names
	// the product itself, the Finding has no name, and is the answer if the product is not meant.
	Search(ctx context.Context, r *fetch.Request, q catalog.Query) (number string, found Finding, err error)
	// Product reads the page of a product. shops is the number of offers if the page does not say.
	Product(ctx context.Context, r *fetch.Request, number string, shops int) (Finding, error)
	// List reads a page, from 0, of the products that are bought most first. It returns none if there is no such
	// page.
	List(ctx context.Context, r *fetch.Request, list List, page int) ([]Listed, error)
	// Lists returns the lists of the site.
	Lists() []List
	// SearchURL returns the page where a person can search for text.
	SearchURL(text string) string
	// Address returns that of a product's page.
	Address(number string) string
}

// Settings name the source and say how long what is kept.
type Settings struct {
	Aggregator string        // in the address of the endpoint
	Domain     string        // its name in answers
	Host       string        // with a port; part of every key
	TTL        time.Duration // how long prices are kept
	ProductTTL time.Duration // of which product a query means
	ListPages  int           // of each list
}

// Prices answers price queries.
type Prices struct {
	Settings
	source  Source
	gate    *fetch.Gate
	matches *lookup.Lookups[Match]
	offers  *lookup.Lookups[Price]
	pages   *lookup.Lookups[ListPage]
	metrics *metrics.Metrics
	log     *slog.Logger
	demand  demand
	lists   lists
}

// New returns Prices.
func New(
	s Settings, source Source, gate *fetch.Gate, matches *lookup.Lookups[Match], offers *lookup.Lookups[Price],
	pages *lookup.Lookups[ListPage], m *metrics.Metrics, log *slog.Logger,
) *Prices {
	return &Prices{
		Settings: s, source: source, gate: gate, matches: matches, offers: offers, pages: pages, metrics: m,
		log: log, demand: demand{wanted: map[string]*wanted{}},
	}
}

// Now returns the time by which prices expire.
func (p *Prices) Now() time.Time { return p.offers.Now() }

// Key names the search for q, the same in every replica, another one for each source and each version of the rules.
func (p *Prices) Key(q catalog.Query) string {
	return "price:" + p.Host + ":" + match.Version + ":" + string(q.Category) + ":" + q.Folded()
}

// Get returns the answer to q. Both steps together take no longer than one look-up may; what has begun goes on for
// the cache.
func (p *Prices) Get(ctx context.Context, c lookup.Caller, q catalog.Query) (*Answer, lookup.Via, error) {
	if !q.IsSearchable() {
		return p.unsearchable(q), lookup.ViaLocal, nil
	}
	c.Asked = time.Now()
	limited := ctx
	if c.Class == pace.Person {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, lookup.Limit)
		defer cancel()
	}
	a, via, err := p.find(limited, c, q, false)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fetch.Slow.Wrap(err)
	}
	p.metrics.Answered("price", via.String(), err)
	return a, via, err
}

// SearchURL returns the source's page where people can search for text. It is never requested.
func (p *Prices) SearchURL(text string) string { return p.source.SearchURL(text) }

func (p *Prices) unsearchable(q catalog.Query) *Answer {
	now := p.Now()
	found := Finding{ProductURL: p.source.SearchURL(q.Text)}
	return &Answer{Value: newPrice(p.Domain, found, now), Lifetime: lookup.Lifetime{FetchedAt: now}}
}

// Kept returns the answer to q that this process has. It begins no look-up.
func (p *Prices) Kept(q catalog.Query) (*Answer, bool) {
	a, m := p.held(q)
	if a == nil {
		return nil, false
	}
	if m.Value.Number != "" {
		p.demand.note(m, a.Lifetime, p.Now())
	}
	p.metrics.Answered("price", lookup.ViaLocal.String(), nil)
	return a, true
}

// Known returns what is known of the price of q for a ranking: kept offers, or else the lowest price of the listed
// product. It begins no look-up, and is no demand for the product.
func (p *Prices) Known(q catalog.Query) (*Answer, bool) {
	if a, _ := p.held(q); a != nil {
		return a, true
	}
	product, _, ok := p.Listed(q)
	if !ok || product.PriceLow == 0 {
		return nil, false
	}
	now := p.Now()
	found := Finding{
		ProductName: product.Name, ProductURL: p.source.Address(product.Number), PriceLow: product.PriceLow,
		OfferCount: product.Shops, Offers: []Offer{{Store: p.Domain, StoreLabel: p.Domain, Price: product.PriceLow}},
	}
	return &Answer{Value: newPrice(p.Domain, found, now), Lifetime: lookup.Lifetime{FetchedAt: now}}, true
}

func (p *Prices) held(q catalog.Query) (*Answer, *lookup.Answer[Match]) {
	m, ok := p.matches.Kept(p.Key(q))
	if !ok {
		return nil, nil
	}
	if m.Value.Number == "" {
		return answerOf(m), m
	}
	if a, ok := p.offers.Kept(m.Value.Key); ok && a.Value.ProductName == m.Value.ProductName {
		return a, m
	}
	return nil, nil
}

// find takes the two steps. With again, the remembered product is not trusted.
func (p *Prices) find(ctx context.Context, c lookup.Caller, q catalog.Query, again bool) (*Answer, lookup.Via, error) {
	m, via, err := p.match(ctx, c, q, again)
	if err != nil {
		return nil, 0, err
	}
	if m.Value.Number == "" {
		return answerOf(m), via, nil
	}
	searched := via == lookup.ViaSource || via == lookup.ViaCollapsed
	if searched && c.Class != pace.Idle {
		c.Class = pace.Begun
	}
	a, offersVia, err := p.offers.Get(ctx, m.Value.Key, c,
		func(ctx context.Context, r *fetch.Request) (*Answer, error) {
			return p.open(ctx, r, m)
		})
	if err != nil {
		return nil, 0, err
	}
	if name := a.Value.ProductName; name != m.Value.ProductName {
		// What the search has just named is trusted, and so is what the site led to from a bar code.
		isTrusted := searched && (m.Value.ProductName != "" || match.IsBarCode(q))
		switch {
		case isTrusted, match.Means(q, name):
			renamed := *m
			renamed.Value.ProductName = name
			p.matches.Keep(p.Key(q), &renamed)
		case searched: // the site itself named another product
			a = &Answer{Value: m.Value.Price, Lifetime: lookup.Lifetime{FetchedAt: m.FetchedAt}}
			return a, lookup.ViaSource, nil
		default: // it was another product when it was remembered
			return p.find(ctx, c, q, true)
		}
	}
	if a.Shareable && c.Class != pace.Idle {
		p.demand.note(m, a.Lifetime, p.Now())
	}
	return a, max(via, offersVia), nil
}

func (p *Prices) match(
	ctx context.Context, c lookup.Caller, q catalog.Query, again bool,
) (*lookup.Answer[Match], lookup.Via, error) {
	rest := time.Duration(0)
	if again {
		rest = p.ProductTTL - searchedLately
	} else if m, ok := p.matches.Kept(p.Key(q)); ok {
		return m, lookup.ViaLocal, nil
	} else if m := p.listedMatch(q); m != nil {
		return m, lookup.ViaLocal, nil
	}
	search := func(ctx context.Context, r *fetch.Request) (*lookup.Answer[Match], error) { return p.search(ctx, r, q) }
	return p.matches.Refresh(ctx, p.Key(q), c, rest, search)
}

const searchedLately = time.Minute

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
	m.Key = p.offersKey(number)
	return &lookup.Answer[Match]{Value: m, Lifetime: success(now, p.ProductTTL)}, nil
}

func (p *Prices) offersKey(number string) string { return "offers:" + p.Host + ":" + number }

// open reads the offers of a product. Its alternatives are those of the search, while their prices are fresh.
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

func (p *Prices) lifetime(f Finding, now time.Time) lookup.Lifetime {
	if len(f.Offers) == 0 {
		return lookup.Lifetime{FetchedAt: now}
	}
	return success(now, p.TTL)
}

func success(now time.Time, ttl time.Duration) lookup.Lifetime {
	return lookup.Lifetime{FetchedAt: now, ExpiresAt: now.Add(ttl), Shareable: true}
}

func outcomeOf(f Finding) string {
	if f.ProductName == "" {
		return "nothing_matched"
	}
	return "found"
}

// Forget makes every replica forget which product q means, and its offers. It reports whether anything was kept.
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

func answerOf(m *lookup.Answer[Match]) *Answer {
	return &Answer{Value: m.Value.Price, Lifetime: m.Lifetime}
}
