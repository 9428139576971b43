// Package purchase compares the ways to buy a list of products: each where it is cheapest, all at one shop, and
// the cheapest with delivery.
package purchase

import (
	"cmp"
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
