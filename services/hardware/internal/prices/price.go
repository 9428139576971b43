package prices

import (
	"encoding/json"
	"slices"
	"time"
)

// Finding is what an aggregator says about one query. Without ProductName nothing matched: ProductURL is then the
// address of the search, and Offers is empty.
type Finding struct {
	ProductName string  `json:"productName"`
	ProductURL  string  `json:"productUrl"`
	OfferCount  int     `json:"offerCount"`         // including those that are not shown
	PriceLow    float64 `json:"priceLow,omitempty"` // over all offers; zero if unknown
	PriceHigh   float64 `json:"priceHigh,omitempty"`
	Offers      []Offer `json:"offers"`            // at most MaxOffers, ascending by price
	Partial     bool    `json:"partial,omitempty"` // may not have the cheapest offers
	// Alternatives are other products that the search found. If the query means several, they are these alone.
	Alternatives []Alternative `json:"alternatives,omitempty"`
	// Ambiguous means that matching products differ in technology or form factor, so none was chosen.
	Ambiguous bool `json:"-"`
}

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

// MaxOffers bounds the offers of a price.
const MaxOffers = 5

// Offer is one shop's price for a product, in PLN including VAT.
type Offer struct {
	Store             string  `json:"store"`
	StoreLabel        string  `json:"storeLabel"` // the shop's name
	Title             string  `json:"title,omitempty"`
	Price             float64 `json:"price"`
	PriceWithDelivery float64 `json:"priceWithDelivery,omitempty"` // the cheapest delivery; zero if not shown
	Stock             Stock   `json:"available,omitzero"`
	ShopRating        float64 `json:"shopRating,omitempty"` // by buyers; zero if unknown
	URL               string  `json:"url,omitempty"`
}

// OnOrder reports whether the shop has to get the product first.
func (o Offer) OnOrder() bool { return o.Stock == OnOrder }

// MaxShopRating is the best that buyers can give.
const MaxShopRating = 5

// Stock says whether a shop can send what it offers. What is sold out is no offer.
type Stock uint8

// The stocks.
const (
	StockUnknown Stock = iota
	InStock
	OnOrder // or has not begun to sell it
)

// MarshalJSON writes whether the shop has the product. StockUnknown is left out by its struct.
func (s Stock) MarshalJSON() ([]byte, error) { return json.Marshal(s == InStock) }

// UnmarshalJSON implements json.Unmarshaler.
func (s *Stock) UnmarshalJSON(data []byte) error {
	var available bool
	err := json.Unmarshal(data, &available)
	if *s = OnOrder; available {
		*s = InStock
	}
	return err
}

// MaxAlternatives bounds the alternatives of a price.
const MaxAlternatives = 5

// Alternative is another product that the search found.
type Alternative struct {
	ProductName string  `json:"productName"`
	ProductURL  string  `json:"productUrl"`
	PriceLow    float64 `json:"priceLow,omitempty"`
	OfferCount  int     `json:"offerCount,omitempty"`
}

// Match is what the search for a query led to. It is kept far longer than prices, to save searches.
type Match struct {
	// Number is that of the product's page. It is empty if the search is the whole answer.
	Number string `json:"number,omitempty"`
	Key    string `json:"key,omitempty"` // of the product's offers
	// Price is the answer without Number, else what the search showed. Its name is the last one found to be meant.
	Price
}
