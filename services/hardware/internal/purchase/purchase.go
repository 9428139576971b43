// Package purchase compares the ways to buy a list of products: each where it is cheapest, all at
// one shop, and the cheapest with delivery.
package purchase

import (
	"cmp"
	"math"
	"slices"

	"backend.example/services/hardware/internal/prices"
)

// Way is one way to buy what a list of questions asks for.
type Way struct {
	Store, StoreLabel string          // empty where the offers are of several shops
	Offers            []*prices.Offer // in the order of the list; nil for what is not bought so
	Count             int             // how many there are
	Sum               float64         // of their prices, in PLN, without delivery
}

// Comparison is where a list of products can be bought.
type Comparison struct {
	Split Way // every product where it is cheapest
	// Delivered is the cheapest way found with delivery, over all shops.
	Delivered Way
	// Undecided reports whether an offer whose delivery is not known may make a cheaper way than
	// Delivered, and Partial whether offers that are not known may make a cheaper way than both.
	Undecided, Partial bool
	Shops              []Way // each shop alone: those with the most products first, of these the cheapest
}

// Compare looks for the ways to buy what quotes have offers for. An answer holds its
// cheapest offers alone, so a shop may have more than it is counted for.
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

// newWay buys nothing yet, at the shop of an offer.
func newWay(o prices.Offer, products int) *Way {
	return &Way{Store: o.Store, StoreLabel: o.StoreLabel, Offers: make([]*prices.Offer, products)}
}

// add buys product i, unless it is bought already: offers come with the lowest first.
func (p *Way) add(i int, o prices.Offer) {
	if p.Offers[i] != nil {
		return
	}
	p.Offers[i] = &o
	p.Count++
	p.Sum = math.Round(100*(p.Sum+o.Price)) / 100
}

// Delivery is what one parcel from each shop costs: as much as the dearest delivery of
// what is bought there. It is not exact, but the least that it may be, if one of the offers does
// not state its own.
func (p *Way) Delivery() (pln float64, exact bool) {
	parcels := map[string]float64{} // by the shop
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

// Stores is of how many shops the offers are.
func (p *Way) Stores() int {
	stores := map[string]bool{}
	for _, o := range p.Offers {
		if o != nil {
			stores[o.Store] = true
		}
	}
	return len(stores)
}
