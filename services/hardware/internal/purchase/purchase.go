// Package purchase compares the ways to buy a list of products: each where it is cheapest, all at one shop, and
// the cheapest with delivery.
package purchase

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"backend.example/services/hardware/internal/prices"
)

// Way is one way to buy a list of products.
type Way struct {
	Store, StoreLabel string          // empty for several shops
	Offers            []*prices.Offer // by position in the list; nil if not bought
	Count             int             // of offers
	Sum               float64         // in PLN, without delivery
}

// Comparison is the ways to buy a list of products.
type Comparison struct {
	Split Way // every product where it is cheapest
	// Delivered is the cheapest way found with delivery.
	Delivered Way
	// Undecided reports whether an offer with unknown delivery may be cheaper than in Delivered, and Partial
	// whether unknown offers may be cheaper than both.
	Undecided, Partial bool
	Shops              []Way // the most products first, then the cheapest
}

// Compare compares the ways to buy what quotes have offers for. An answer contains only its cheapest offers, so a
// shop may have more products than are counted.
func Compare(quotes []prices.Quote) Comparison {
	split := newWay(prices.Offer{}, len(quotes))
	shops := map[string]*Way{}
	for i, quote := range quotes {
		if quote.Answer == nil || len(quote.Answer.Value.Offers) == 0 {
			continue
		}
		price := quote.Answer.Value
		split.add(i, price.Lowest())
		for _, offer := range price.Offers {
			if shops[offer.Store] == nil {
				shops[offer.Store] = newWay(offer, len(quotes))
			}
			shops[offer.Store].add(i, offer)
		}
	}
	c := Comparison{Split: *split, Delivered: delivered(quotes)}
	for i, bought := range c.Delivered.Offers {
		if bought == nil {
			continue
		}
		price := quotes[i].Answer.Value
		c.Partial = c.Partial || price.Partial
		c.Undecided = c.Undecided || slices.ContainsFunc(price.Offers, func(o prices.Offer) bool {
			return o.PriceWithDelivery == 0 && (o.Price < bought.PriceWithDelivery || bought.PriceWithDelivery == 0)
		})
	}
	for _, shop := range shops {
		c.Shops = append(c.Shops, *shop)
	}
	slices.SortFunc(c.Shops, func(a, b Way) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Sum, b.Sum), cmp.Compare(a.Store, b.Store))
	})
	return c
}

func newWay(o prices.Offer, products int) *Way {
	return &Way{Store: o.Store, StoreLabel: o.StoreLabel, Offers: make([]*prices.Offer, products)}
}

// add buys product i, unless it has been: the lowest offer comes first.
func (p *Way) add(i int, o prices.Offer) {
	if p.Offers[i] != nil {
		return
	}
	p.Offers[i] = &o
	p.Count++
	p.Sum = math.Round(100*(p.Sum+o.Price)) / 100
}

// Delivery returns the cost of one parcel from each shop, which is the dearest delivery of what is bought there.
// It is the least possible cost, and not exact, if an offer does not state it.
func (p *Way) Delivery() (pln float64, exact bool) {
	parcels := map[string]float64{} // by shop
	silent := 0
	for _, o := range p.Offers {
		if o == nil {
			continue
		}
		if o.PriceWithDelivery == 0 {
			silent++
			continue
		}
		parcels[o.Store] = max(parcels[o.Store], o.PriceWithDelivery-o.Price)
	}
	for _, parcel := range parcels {
		pln += parcel
	}
	return math.Round(100*pln) / 100, len(parcels) > 0 && silent == 0
}

// Stores returns the number of shops.
func (p *Way) Stores() int {
	stores := map[string]bool{}
	for _, o := range p.Offers {
		if o != nil {
			stores[o.Store] = true
		}
	}
	return len(stores)
}

// delivered searches for the lowest total with delivery, one parcel from each shop. Which shops to choose is a
// facility location problem, whose exact solution takes exponential time. So this begins with the cheapest
// delivered offers, and moves one product, or everything that a shop has, to another shop as long as the total
// falls. An offer that does not state its delivery is taken only if the product has no other.
func delivered(quotes []prices.Quote) Way {
	best := *newWay(prices.Offer{}, len(quotes))
	products := make([][]prices.Offer, len(quotes))
	shops := map[string][]*prices.Offer{} // by position in the list
	for i, quote := range quotes {
		if quote.Answer == nil || len(quote.Answer.Value.Offers) == 0 {
			continue
		}
		products[i] = statingDelivery(quote.Answer.Value.Offers)
		best.add(i, slices.MinFunc(products[i], byDelivered))
		for _, o := range slices.Backward(products[i]) { // the cheapest of a shop is the first
			if shops[o.Store] == nil {
				shops[o.Store] = make([]*prices.Offer, len(quotes))
			}
			shops[o.Store][i] = &o
		}
	}
	names := slices.Sorted(maps.Keys(shops))
	for {
		better := best
		for i := range products {
			for _, o := range products[i] {
				moved := make([]*prices.Offer, len(quotes))
				moved[i] = &o
				better = cheaper(better, best.with(moved))
			}
		}
		for _, name := range names {
			better = cheaper(better, best.with(shops[name]))
		}
		if better.total() == best.total() {
			return best
		}
		best = better
	}
}

func statingDelivery(offers []prices.Offer) []prices.Offer {
	stated := slices.DeleteFunc(slices.Clone(offers), func(o prices.Offer) bool { return o.PriceWithDelivery == 0 })
	if len(stated) == 0 {
		return offers
	}
	return stated
}

// with replaces the offers that are not nil.
func (p *Way) with(others []*prices.Offer) Way {
	next := newWay(prices.Offer{}, len(p.Offers))
	for i, o := range others {
		if o = cmp.Or(o, p.Offers[i]); o != nil {
			next.add(i, *o)
		}
	}
	return *next
}

func cheaper(a, b Way) Way {
	if b.total() < a.total() {
		return b
	}
	return a
}

func byDelivered(a, b prices.Offer) int {
	return cmp.Compare(max(a.Price, a.PriceWithDelivery), max(b.Price, b.PriceWithDelivery))
}

// total contains the delivery as far as it is known.
func (p *Way) total() float64 {
	delivery, _ := p.Delivery()
	return p.Sum + delivery
}
