package ceneo

import (
	"cmp"
	"slices"
	"strconv"

	"backend.example/deploy/sandbox/fake"
)

// shop sells products. Ratings and shops with a reserved domain (RFC 2606) are invented.
type shop struct {
	ID       int
	Domain   string
	Label    string
	Rating   string // "4,7"
	Opinions int
}

// offer is a price of one shop. Its markup differs from offer to offer.
type offer struct {
	ID           int
	Shop         shop
	Title        string
	Price        price
	Delivery     price // 0 if free
	InStock      bool
	Bidding      bool // is also in the list of paid places
	OnSite       bool // bought on the aggregator itself: the shop's domain is not shown
	PriceInAttr  bool // also in an attribute, not in the text alone
	RatingDigits string
	style        int // chooses among the site's ways to write the offer; 0 to 59
}

// bidders is the length of the list of paid places.
const bidders = 3

// offers returns all offers in the order of the page, which is not that of the prices. Those out of stock are often
// the cheapest.
func (l *inventory) offers(p product) []offer {
	random := fake.Rand("offers", p.Name)
	sellers := slices.Clone(l.shops)
	random.Shuffle(len(sellers), func(i, j int) { sellers[i], sellers[j] = sellers[j], sellers[i] })
	var offers []offer
	for place := range p.Shops + p.Shops/6 {
		offers = append(offers, p.offer(sellers[place], place))
	}
	random.Shuffle(len(offers), func(i, j int) { offers[i], offers[j] = offers[j], offers[i] })
	left := bidders
	for i := range offers {
		if left > 0 && len(offers) > bidders && offers[i].InStock {
			offers[i].Bidding = true
			left--
		}
	}
	return offers
}

// offer returns the place-th offer: the first is the cheapest in stock, the last ones are out of stock.
func (p product) offer(seller shop, place int) offer {
	random := fake.Rand("offer", p.Name, seller.Label)
	o := offer{
		ID: 10_000_000 + random.IntN(90_000_000), Shop: seller, Title: p.Short, Price: p.Price,
		InStock: place < p.Shops,
		OnSite:  random.IntN(5) == 0, PriceInAttr: random.IntN(4) > 0, style: random.IntN(60),
		RatingDigits: strconv.FormatUint(random.Uint64(), 10),
	}
	if random.IntN(3) > 0 {
		o.Delivery = shopPrice(9+random.IntN(15), random.IntN(6))
	}
	// How much dearer than the cheapest offer, in tenths of a percent: up to 26 %, mostly less.
	dearer := price(random.IntN(261) * random.IntN(1001) / 1000)
	switch {
	case !o.InStock:
		o.Price = p.Price * price(930+random.IntN(120)) / 1000
	case p.hasOutlet() && place == p.Shops-1:
		o.Title, o.Price = o.Title+" OUTLET powystawowy", p.Price*81/100
	case place > 0:
		o.Price = max(p.Price, shopPrice(int(p.Price+p.Price*dearer/1000)/100, random.IntN(6)))
	}
	return o
}

// hasOutlet reports whether a shop sells an exhibit under the product's name, for less than all others ask.
func (p product) hasOutlet() bool { return p.Shops > 4 && fake.Rand("outlet", p.Name).IntN(3) == 0 }

func sortByPrice(offers []offer) {
	slices.SortStableFunc(offers, func(a, b offer) int { return cmp.Compare(a.Price, b.Price) })
}

// Link returns the counted link to the shop.
func (o offer) Link() string { return clickPath("offer", strconv.Itoa(o.ID)) }

// Unavailable returns the class of an offer out of stock, which the site writes in one of three ways. The item says
// whether the class is that of the list item.
func (o offer) Unavailable(item bool) string {
	switch {
	case !o.InStock && o.style%3 == 0 && item:
		return "product-offers__list__item--unavailable"
	case !o.InStock && o.style%3 == 1 && !item:
		return "product-offer--outofstock"
	}
	return ""
}

// Availability returns what the offer says about it.
func (o offer) Availability() string {
	switch {
	case !o.InStock && o.style%3 == 2:
		return "Brak w magazynie"
	case !o.InStock:
		return "Powiadom o dostępności"
	}
	return []string{"Dostępny", "Dostępny", "Dostępny do 3 dni", "Wysyłka w 1 dzień", "Na zamówienie",
		"Sprawdź w sklepie"}[o.style%6]
}

// WithDelivery returns the price with delivery, or 0 if the offer does not say it.
func (o offer) WithDelivery() price {
	if o.style%4 == 0 {
		return 0
	}
	return o.Price + o.Delivery
}
