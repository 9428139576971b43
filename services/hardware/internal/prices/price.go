package prices

import "time"

// Finding is what an aggregator says about one query.
//
// A Finding without ProductName means that nothing matched: ProductURL is then
// the address of the search, and Offers is empty.
type Finding struct {
	ProductName string  `json:"productName"`
	ProductURL  string  `json:"productUrl"`
	OfferCount  int     `json:"offerCount"`         // all offers at the aggregator, including hidden ones
	PriceLow    float64 `json:"priceLow,omitempty"` // over all offers; zero if the aggregator does not say
	PriceHigh   float64 `json:"priceHigh,omitempty"`
	Offers      []Offer `json:"offers"`            // at most MaxOffers, ascending by price
	Partial     bool    `json:"partial,omitempty"` // the page may not have shown the cheapest offers
	// Alternatives are other products that the search found, in its order, at most
	// MaxAlternatives.
	Alternatives []Alternative `json:"alternatives,omitempty"`
	NotAsked     bool          `json:"-"` // the query left nothing to search for at the aggregator
}

// Price is what is known of a product's price.
type Price struct {
	Source string `json:"source"` // the aggregator's domain
	Finding
	ScrapedAt time.Time `json:"scrapedAt"`
	Note      string    `json:"note,omitempty"` // Polish, if nothing matched
}

// noMatchNote explains a price without a product.
const noMatchNote = "Nie znaleziono produktu pasującego do zapytania. Spróbuj podać dokładniejszą nazwę, na przykład markę i model."

func newPrice(source string, f Finding, scrapedAt time.Time) Price {
	p := Price{Source: source, Finding: f, ScrapedAt: scrapedAt}
	if f.ProductName == "" {
		p.Note = noMatchNote
	}
	return p
}

// Lowest is the cheapest offer; without a link of its own it leads to the product's
// page. There must be an offer.
func (p Price) Lowest() Offer {
	lowest := p.Offers[0]
	if lowest.URL == "" {
		lowest.URL = p.ProductURL
	}
	return lowest
}

// The bytes that a price, an offer and an alternative take besides their texts.
const (
	priceBytes       = 200
	offerBytes       = 80
	alternativeBytes = 48
)

// Size implements lookup.Value.
func (p Price) Size() int {
	size := priceBytes + len(p.Source) + len(p.ProductName) + len(p.ProductURL) + len(p.Note) + cap(p.Offers)*offerBytes
	for i := range p.Offers {
		size += len(p.Offers[i].Store) + len(p.Offers[i].StoreLabel) + len(p.Offers[i].URL)
	}
	size += cap(p.Alternatives) * alternativeBytes
	for i := range p.Alternatives {
		size += len(p.Alternatives[i].ProductName) + len(p.Alternatives[i].ProductURL)
	}
	return size
}
