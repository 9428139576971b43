package prices

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/match"
)

// maxRemembered bounds the products of a category that are remembered for suggestions.
const maxRemembered = 200

// Suggestion is a product that others have looked up.
type Suggestion struct {
	ProductName string
	PriceLow    float64 // in PLN; zero if it is not known any more
}

// remembered are the products that this process was asked for, by category and key of their
// offers. What was typed is not kept.
type remembered struct {
	mu       sync.Mutex
	products map[catalog.Category]map[string]*asked
}

type asked struct {
	name  string
	times int
	at    time.Time // the last time
}

// note remembers the product that q means.
func (r *remembered) note(q catalog.Query, key, name string, now time.Time) {
	category := q.Category
	if category == "" {
		category = match.Category(q)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	products := r.products[category]
	if products == nil {
		products = map[string]*asked{}
		r.products[category] = products
	}
	p := products[key]
	if p == nil {
		if len(products) >= maxRemembered {
			delete(products, oldest(products))
		}
		p = &asked{}
		products[key] = p
	}
	p.name, p.times, p.at = name, p.times+1, now
}

func oldest(products map[string]*asked) (key string) {
	for k, p := range products {
		if key == "" || p.at.Before(products[key].at) {
			key = k
		}
	}
	return key
}

// suggested is a product and how well it suits.
type suggested struct {
	asked
	key   string
	words int // of the text that are in its name
}

// Suggest returns up to n products of a category that this process was asked for in the last
// ProductTTL: those whose names have most words of text, or if text is empty those that were
// asked for most. It begins no look-up.
func (p *Prices) Suggest(category catalog.Category, text string, n int) (suggestions []Suggestion) {
	for _, s := range p.remembered.find(category, text, p.Now().Add(-p.ProductTTL), n) {
		suggestion := Suggestion{ProductName: s.name}
		if a, ok := p.Offers.Kept(s.key); ok && len(a.Value.Offers) > 0 {
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
	for key, p := range r.products[category] {
		s := suggested{asked: *p, key: key}
		for _, word := range words {
			if strings.Contains(strings.ToLower(p.name), word) {
				s.words++
			}
		}
		if p.at.After(since) && (s.words > 0 || len(words) == 0) {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b suggested) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.times, a.times), cmp.Compare(a.name, b.name))
	})
	return found[:min(len(found), n)]
}

// remember notes that people ask for the product of m.
func (p *Prices) remember(q catalog.Query, m *lookup.Answer[Match], a *Answer) {
	if len(a.Value.Offers) > 0 {
		p.remembered.note(q, m.Value.Key, a.Value.ProductName, p.Now())
	}
}
