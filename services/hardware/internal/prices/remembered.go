package prices

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/match"
)

// MaxRemembered bounds the products of a category that are remembered for suggestions.
const MaxRemembered = 200

// shareEvery is the time between two exchanges with other replicas.
const shareEvery = time.Minute

// Suggestion is a product that others have looked up.
type Suggestion struct {
	ProductName string
	PriceLow    float64 // in PLN; zero if it is not known any more
}

// Asked is a product that was asked for.
type Asked struct {
	Key   string // of its offers
	Name  string
	Times int
	At    time.Time // the last time
}

// SharedProducts keeps the products of a category that all replicas were asked for.
type SharedProducts interface {
	// Merge adds what a replica was asked for, and returns at most MaxRemembered products
	// that any was asked for since.
	Merge(ctx context.Context, category catalog.Category, added []Asked, since time.Time) ([]Asked, error)
}

// products are bounded numbers of products, by category and key.
type products map[catalog.Category]map[string]*Asked

// add counts what was asked for. The one that was asked for longest ago makes room.
func (p products) add(category catalog.Category, a Asked) {
	if p[category] == nil {
		p[category] = map[string]*Asked{}
	}
	known := p[category][a.Key]
	if known == nil {
		if len(p[category]) >= MaxRemembered {
			delete(p[category], oldest(p[category]))
		}
		p[category][a.Key] = &a
		return
	}
	known.Name, known.Times = a.Name, known.Times+a.Times
	if a.At.After(known.At) {
		known.At = a.At
	}
}

func oldest(of map[string]*Asked) (key string) {
	for k, a := range of {
		if key == "" || a.At.Before(of[key].At) {
			key = k
		}
	}
	return key
}

// remembered are the products that this process was asked for, and other replicas up to the last
// exchange. What was typed is not kept.
type remembered struct {
	mu       sync.Mutex
	products products
	added    products // since the last exchange; nil if there are no other replicas
}

// note remembers the product that q means.
func (r *remembered) note(q catalog.Query, key, name string, now time.Time) {
	category := q.Category
	if category == "" {
		category = match.Category(q)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.products.add(category, Asked{key, name, 1, now})
	if r.added != nil {
		r.added.add(category, Asked{key, name, 1, now})
	}
}

// ShareRemembered exchanges the products of suggestions with other replicas until ctx ends. What
// cannot be exchanged is kept for the next time.
func (p *Prices) ShareRemembered(ctx context.Context, shared SharedProducts) {
	p.remembered.mu.Lock()
	p.remembered.added = products{}
	p.remembered.mu.Unlock()
	for {
		for _, category := range append(catalog.Categories(), "") {
			p.remembered.exchange(ctx, shared, catalog.Category(category), p.Now().Add(-p.ProductTTL))
		}
		if !sleep(ctx, shareEvery) {
			return
		}
	}
}

func (r *remembered) exchange(ctx context.Context, shared SharedProducts, category catalog.Category, since time.Time) {
	r.mu.Lock()
	added := valuesOf(r.added[category])
	delete(r.added, category)
	r.mu.Unlock()
	all, err := shared.Merge(ctx, category, added, since)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		for _, a := range added {
			r.added.add(category, a)
		}
		return
	}
	delete(r.products, category)
	for _, a := range append(all, valuesOf(r.added[category])...) { // asked for meanwhile
		r.products.add(category, a)
	}
}

func valuesOf(of map[string]*Asked) (values []Asked) {
	for _, a := range of {
		values = append(values, *a)
	}
	return values
}

// suggested is a product and how well it suits.
type suggested struct {
	Asked
	words int // of the text that are in its name
}

// Suggest returns up to n products of a category that people asked for in the last
// ProductTTL: those whose names have most words of text, or if text is empty those that were
// asked for most. It begins no look-up.
func (p *Prices) Suggest(category catalog.Category, text string, n int) (suggestions []Suggestion) {
	for _, s := range p.remembered.find(category, text, p.Now().Add(-p.ProductTTL), n) {
		suggestion := Suggestion{ProductName: s.Name}
		if a, ok := p.Offers.Kept(s.Key); ok && len(a.Value.Offers) > 0 {
			suggestion.PriceLow = a.Value.Lowest().Price
		}
		suggestions = append(suggestions, suggestion)
	}
	return suggestions
}

func (r *remembered) find(category catalog.Category, text string, since time.Time, n int) (found []suggested) {
	words := strings.Fields(strings.ToLower(text))
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.products[category] {
		s := suggested{Asked: *a}
		for _, word := range words {
			if strings.Contains(strings.ToLower(a.Name), word) {
				s.words++
			}
		}
		if a.At.After(since) && (s.words > 0 || len(words) == 0) {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b suggested) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.Times, a.Times), cmp.Compare(a.Name, b.Name))
	})
	return found[:min(len(found), n)]
}
