package prices

import (
	"cmp"
	"math"
	"slices"
)

// Purchase is one way to buy what a list of questions asks for.
type Purchase struct {
	Store, StoreLabel string   // empty where the offers are of several shops
	Offers            []*Offer // in the order of the list; nil for what is not bought so
	Count             int      // how many there are
	Sum               float64  // of their prices, in PLN, without delivery
}

// Comparison is where a list of products can be bought.
type Comparison struct {
	Split Purchase // every product where it is cheapest
	// Delivered is the cheapest way found with delivery, over all shops.
	Delivered Purchase
	Shops     []Purchase // each shop alone: those with the most products first, of these the cheapest
}

// Compare looks for the ways to buy what quotes have offers for. An answer holds its
// cheapest offers alone, so a shop may have more than it is counted for.
func Compare(quotes []Quote) Comparison {
	split := newPurchase(Offer{}, len(quotes))
	shops := map[string]*Purchase{}
	for i, quote := range quotes {
		if quote.Answer == nil || len(quote.Answer.Value.Offers) == 0 {
			continue
		}
		price := quote.Answer.Value
		split.add(i, price.Lowest())
		for _, offer := range price.Offers {
			if shops[offer.Store] == nil {
				shops[offer.Store] = newPurchase(offer, len(quotes))
			}
			shops[offer.Store].add(i, offer)
		}
	}
	c := Comparison{Split: *split, Delivered: delivered(quotes)}
	for _, shop := range shops {
		c.Shops = append(c.Shops, *shop)
	}
	slices.SortFunc(c.Shops, func(a, b Purchase) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Sum, b.Sum), cmp.Compare(a.Store, b.Store))
	})
	return c
}

// Cheapest returns the positions of the offers with the lowest price, and with the lowest
// price including delivery. A position is -1 if that cannot be said: prices are missing, an offer
// that does not state its delivery may cost less, or every shop has to order the product first.
// Offers on order never are the cheapest.
func (p Price) Cheapest() (price, withDelivery int) {
	price, withDelivery = -1, -1
	if p.Partial {
		return price, withDelivery
	}
	for i, o := range p.Offers {
		if o.OnOrder() {
			continue
		}
		if price < 0 {
			price = i
		}
		if o.PriceWithDelivery > 0 &&
			(withDelivery < 0 || o.PriceWithDelivery < p.Offers[withDelivery].PriceWithDelivery) {
			withDelivery = i
		}
	}
	mayBeLower := func(o Offer) bool {
		return !o.OnOrder() && o.PriceWithDelivery == 0 && o.Price < p.Offers[withDelivery].PriceWithDelivery
	}
	if withDelivery >= 0 && slices.ContainsFunc(p.Offers, mayBeLower) {
		withDelivery = -1
	}
	return price, withDelivery
}

// newPurchase buys nothing yet, at the shop of an offer.
func newPurchase(o Offer, products int) *Purchase {
	return &Purchase{Store: o.Store, StoreLabel: o.StoreLabel, Offers: make([]*Offer, products)}
}

// add buys product i, unless it is bought already: offers come with the lowest first.
func (p *Purchase) add(i int, o Offer) {
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
func (p *Purchase) Delivery() (pln float64, exact bool) {
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
func (p *Purchase) Stores() int {
	stores := map[string]bool{}
	for _, o := range p.Offers {
		if o != nil {
			stores[o.Store] = true
		}
	}
	return len(stores)
}
