package ceneo

import (
	"encoding/json"

	"backend.example/services/hardware/internal/catalog"
)

// Finding is what the aggregator says about one query. Without ProductName nothing matched: ProductURL is then the
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

// List is a list of the products of a category, or of a part of it.
type List struct {
	Name     string // such as "ssd"
	Category catalog.Category
	Section  string // in the site's words
}

// Listed is a product on a list.
type Listed struct {
	Number   string  `json:"number"`
	Name     string  `json:"name"`
	PriceLow float64 `json:"priceLow,omitempty"` // zero if the list does not say
	Shops    int     `json:"shops,omitempty"`    // zero if the list does not say
}
