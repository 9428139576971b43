package purchase

import (
	"cmp"
	"maps"
	"slices"

	"backend.example/services/hardware/internal/prices"
)

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
