package prices

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/match"
	"backend.example/services/internal/kit/pace"
)

// List is a list of the products of a category, or of a part of it.
type List struct {
	Name     string // such as "ssd"
	Category catalog.Category
	Section  string // in the site's words
}

// Listed is a product on a list.
type Listed struct {
	Number   string  `json:"number"`
	Name     string  `json:"name"`
	PriceLow float64 `json:"priceLow,omitempty"` // zero if the list does not say
	Shops    int     `json:"shops,omitempty"`    // zero if the list does not say
}

// ListPage is a page of a list, without products if the site does not have it.
type ListPage struct {
	Products []Listed `json:"products"`
}

const (
	listsAfter = 2 * time.Second
	listsEvery = 10 * time.Minute
	maxMeant   = 20_000
)

type lists struct {
	mu       sync.Mutex
	products map[catalog.Category][]Listed
	expires  map[catalog.Category]time.Time // the first of the pages
	meant    map[string]*listedMeant        // by the key of the query; nil if none is meant
}

// KeepLists keeps the lists of all categories until ctx ends. Each page is read once a day in an idle slot, by one
// replica for all.
func (p *Prices) KeepLists(ctx context.Context) {
	for pause := listsAfter; ; pause = listsEvery {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		p.ReadLists(ctx)
	}
}

// ReadLists reads the pages that are due, the first ones of all lists before the second ones.
func (p *Prices) ReadLists(ctx context.Context) {
	known, missing := 0, 0
	for page := range p.ListPages {
		for _, list := range p.source.Lists() {
			a, err := p.listPage(ctx, list, page)
			if err != nil {
				p.log.WarnContext(ctx, "page of a list not read", "list", list.Name, "page", page, "error", err)
				continue
			}
			if known++; len(a.Value.Products) == 0 {
				missing++
			}
			p.showLists()
			p.metrics.ListPages(known-missing, missing)
		}
	}
	p.log.InfoContext(ctx, "lists read", "pages", known-missing, "missing", missing)
}

func (p *Prices) listKey(list List, page int) string {
	return "list:" + p.Host + ":" + list.Section + ":" + strconv.Itoa(page)
}

func (p *Prices) listPage(ctx context.Context, list List, page int) (*lookup.Answer[ListPage], error) {
	caller := lookup.Caller{Class: pace.Idle}
	load := func(ctx context.Context, r *fetch.Request) (*lookup.Answer[ListPage], error) {
		products, err := p.source.List(ctx, r, list, page)
		if err != nil {
			return nil, err
		}
		if len(products) == 0 && page == 0 {
			p.log.WarnContext(ctx, "the source does not have a list", "list", list.Name, "section", list.Section)
		}
		return &lookup.Answer[ListPage]{Value: ListPage{products}, Lifetime: success(p.Now(), p.TTL)}, nil
	}
	a, _, err := p.pages.Refresh(ctx, p.listKey(list, page), caller, p.ahead(), load)
	return a, err
}

func (p *Prices) showLists() {
	products, expires := map[catalog.Category][]Listed{}, map[catalog.Category]time.Time{}
	for _, list := range p.source.Lists() {
		for page := range p.ListPages {
			a, ok := p.pages.Kept(p.listKey(list, page))
			if !ok {
				continue
			}
			c := list.Category
			products[c] = append(products[c], a.Value.Products...)
			if at := expires[c]; at.IsZero() || a.ExpiresAt.Before(at) {
				expires[c] = a.ExpiresAt
			}
		}
	}
	p.lists.mu.Lock()
	defer p.lists.mu.Unlock()
	p.lists.products, p.lists.expires = products, expires
	p.lists.meant = map[string]*listedMeant{}
}

// Popular returns the listed products of a category, most bought first, and when the first page expires.
func (p *Prices) Popular(category catalog.Category) (products []Listed, expires time.Time) {
	p.lists.mu.Lock()
	defer p.lists.mu.Unlock()
	return p.lists.products[category], p.lists.expires[category]
}

// ProductURL returns the address of a listed product's page.
func (p *Prices) ProductURL(number string) string { return p.source.Address(number) }

// Listed returns the listed product that q means. It is the only one that q can mean if alone is true.
func (p *Prices) Listed(q catalog.Query) (product Listed, alone, ok bool) {
	category := q.Category
	if category == "" {
		category = match.Category(q)
	}
	key := p.Key(q)
	p.lists.mu.Lock()
	products, meant := p.lists.products[category], p.lists.meant // replaced, not changed, by newer lists
	m, known := meant[key]
	p.lists.mu.Unlock()
	if !known {
		m = meantOf(q, products)
		p.lists.mu.Lock()
		if meant != nil && len(meant) < maxMeant {
			meant[key] = m
		}
		p.lists.mu.Unlock()
	}
	if m == nil {
		return Listed{}, false, false
	}
	return m.Listed, m.alone, true
}

type listedMeant struct {
	Listed
	alone bool
}

func meantOf(q catalog.Query, products []Listed) *listedMeant {
	candidates := make([]match.Candidate, len(products))
	for i, product := range products {
		candidates[i] = match.Candidate{Name: product.Name, Price: product.PriceLow}
	}
	choice := match.Choose(q, candidates)
	if choice.Index < 0 {
		return nil
	}
	others := slices.Delete(candidates, choice.Index, choice.Index+1)
	return &listedMeant{Listed: products[choice.Index], alone: match.Choose(q, others).Index < 0}
}

// listedMatch saves the search for a query that names the model of the one listed product that matches.
func (p *Prices) listedMatch(q catalog.Query) *lookup.Answer[Match] {
	if !match.NamesModel(q) {
		return nil
	}
	product, alone, _ := p.Listed(q)
	if !alone {
		return nil
	}
	now := p.Now()
	found := Finding{
		ProductName: product.Name, ProductURL: p.source.Address(product.Number),
		PriceLow: product.PriceLow, OfferCount: product.Shops,
	}
	m := Match{Number: product.Number, Key: p.offersKey(product.Number), Price: newPrice(p.Domain, found, now)}
	a := &lookup.Answer[Match]{Value: m, Lifetime: success(now, p.ProductTTL)}
	p.matches.Keep(p.Key(q), a)
	return a
}
