package products

import (
	"cmp"
	"slices"
	"strconv"

	"backend.example/deploy/sandbox/internal/fixtures"
)

// Offer is one shop's price of a product.
type Offer struct {
	ID       int
	Shop     Shop
	Price    Price
	Delivery Price // 0 = free
	InStock  bool
	Bidding  bool // also stands in the list of paid places
	OnSite   bool // bought on the aggregator itself: the shop's domain is not shown
	Title    string
}

const (
	bidders       = 3  // offers in the list of paid places
	spreadPercent = 26 // the dearest offer over the cheapest
)

// Offers returns all offers in the order of the plain product page, which is
// not that of the prices. Some are out of stock and then often the cheapest.
func (p Product) Offers() []Offer {
	random := fixtures.Rand("offers", p.Name)
	sellers := shops()
	random.Shuffle(len(sellers), func(i, j int) { sellers[i], sellers[j] = sellers[j], sellers[i] })
	offers := make([]Offer, 0, p.Shops+p.missing())
	for place := range p.Shops + p.missing() {
		offers = append(offers, p.offer(sellers[place], place))
	}
	random.Shuffle(len(offers), func(i, j int) { offers[i], offers[j] = offers[j], offers[i] })
	return withBidders(offers)
}

// missing is how many further shops list the product but are out of it.
func (p Product) missing() int { return p.Shops / 6 }

// offer makes the place-th offer: the first is the cheapest in stock, the last
// ones are out of stock.
func (p Product) offer(shop Shop, place int) Offer {
	random := fixtures.Rand("offer", p.Name, shop.Label)
	offer := Offer{
		ID: 10_000_000 + random.IntN(90_000_000), Shop: shop, Title: p.Short,
		Price: p.Price, InStock: place < p.Shops, OnSite: random.IntN(5) == 0,
	}
	if random.IntN(3) > 0 {
		offer.Delivery = psychological(PLN(9+random.IntN(15)), random.IntN(6))
	}
	dearer := Price(random.IntN(spreadPercent*10+1) * random.IntN(1001) / 1000) // in tenths of a percent
	switch {
	case !offer.InStock:
		offer.Price = p.Price * Price(930+random.IntN(120)) / 1000
	case place > 0:
		offer.Price = max(p.Price, psychological(p.Price+p.Price*dearer/1000, random.IntN(6)))
	}
	return offer
}

func withBidders(offers []Offer) []Offer {
	left := bidders
	for i := range offers {
		if left > 0 && len(offers) > bidders && offers[i].InStock {
			offers[i].Bidding = true
			left--
		}
	}
	return offers
}

// ByPrice returns the offers sorted by price, cheapest first.
func ByPrice(offers []Offer) []Offer {
	sorted := slices.Clone(offers)
	slices.SortStableFunc(sorted, func(a, b Offer) int { return cmp.Compare(a.Price, b.Price) })
	return sorted
}

// PriceRange is the lowest and highest price of the offers in stock.
func (p Product) PriceRange() (low, high Price) {
	low, high = p.Price, p.Price
	for _, offer := range p.Offers() {
		if offer.InStock {
			low, high = min(low, offer.Price), max(high, offer.Price)
		}
	}
	return low, high
}

// Seller is the one shop of a product without a page.
func (p Product) Seller() Shop {
	sellers := shops()
	return sellers[fixtures.IntN(len(sellers), "seller", strconv.Itoa(p.ID))]
}
