package prices

import (
	"slices"
	"time"

	"backend.example/services/hardware/internal/ceneo"
)

// Finding and its parts are those of the aggregator.
type (
	Finding     = ceneo.Finding
	Offer       = ceneo.Offer
	Alternative = ceneo.Alternative
	Listed      = ceneo.Listed
)

// Price is what is known of a product's price.
type Price struct {
	Source string `json:"source"` // the aggregator's domain
	Finding
	ScrapedAt time.Time `json:"scrapedAt"`
	Note      string    `json:"note,omitempty"` // Polish, if nothing matched
}

const noMatchNote = "Nie znaleziono produktu pasującego do zapytania. " +
	"Spróbuj podać dokładniejszą nazwę, na przykład markę i model."

const ambiguousNote = "Zapytanie pasuje do produktów różnej technologii lub wielkości, na przykład dysku HDD i SSD. " +
	"Podaj dokładniejszą nazwę albo wybierz jeden z podobnych produktów."

func newPrice(source string, f Finding, scrapedAt time.Time) Price {
	p := Price{Source: source, Finding: f, ScrapedAt: scrapedAt}
	switch {
	case f.ProductName == "" && f.Ambiguous:
		p.Note = ambiguousNote
	case f.ProductName == "":
		p.Note = noMatchNote
	}
	return p
}

// Lowest returns the cheapest offer, of which there must be one; without a link it leads to the product's page.
func (p Price) Lowest() Offer {
	lowest := p.Offers[0]
	if lowest.URL == "" {
		lowest.URL = p.ProductURL
	}
	return lowest
}

// Cheapest returns the positions of the offers with the lowest price, and with the lowest price including delivery.
// A position is -1 if that cannot be said: prices are missing, or an offer that does not state its delivery may
// cost less. Offers on order never are the cheapest.
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

const (
	priceBytes       = 200
	offerBytes       = 80
	alternativeBytes = 48
)

// Size implements lookup.Value.
func (p Price) Size() int {
	size := priceBytes + len(p.Source) + len(p.ProductName) + len(p.ProductURL) + len(p.Note) + cap(p.Offers)*offerBytes
	for i := range p.Offers {
		size += len(p.Offers[i].Store) + len(p.Offers[i].StoreLabel) + len(p.Offers[i].Title) + len(p.Offers[i].URL)
	}
	size += cap(p.Alternatives) * alternativeBytes
	for i := range p.Alternatives {
		size += len(p.Alternatives[i].ProductName) + len(p.Alternatives[i].ProductURL)
	}
	return size
}

// Match is what the search for a query led to. It is kept far longer than prices, to save searches.
type Match struct {
	// Number is that of the product's page. It is empty if the search is the whole answer.
	Number string `json:"number,omitempty"`
	Key    string `json:"key,omitempty"` // of the product's offers
	// Price is the answer without Number, else what the search showed. Its name is the last one found to be meant.
	Price
}

const matchBytes = 40

// Size implements lookup.Value.
func (m Match) Size() int { return m.Price.Size() + matchBytes + len(m.Number) + len(m.Key) }
