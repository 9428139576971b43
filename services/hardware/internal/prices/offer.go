package prices

import "encoding/json"

// MaxOffers is how many offers a price holds at most.
const MaxOffers = 5

// Offer is one shop's price for a product, in PLN including VAT.
type Offer struct {
	Store             string  `json:"store"`      // the shop's domain, or a slug of its name
	StoreLabel        string  `json:"storeLabel"` // the shop's name
	Price             float64 `json:"price"`
	PriceWithDelivery float64 `json:"priceWithDelivery,omitempty"` // with the cheapest delivery; zero if the aggregator does not say
	Stock             Stock   `json:"available,omitzero"`
	ShopRating        float64 `json:"shopRating,omitempty"` // by buyers, up to MaxShopRating; zero if unknown
	URL               string  `json:"url,omitempty"`        // returned, never requested by the service; may be empty
}

// OnOrder reports whether the shop has to get the product first.
func (o Offer) OnOrder() bool { return o.Stock == OnOrder }

// MaxShopRating is the best that buyers can give a shop.
const MaxShopRating = 5

// Stock says whether a shop can send what it offers.
type Stock uint8

// An offer that is sold out is none, so that no value stands for it.
const (
	StockUnknown Stock = iota
	InStock
	OnOrder // the shop has to get it first, or has not begun to sell it
)

// MarshalJSON writes whether the shop has the product. StockUnknown is left out by its
// struct.
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

// MaxAlternatives is how many alternatives a price holds at most.
const MaxAlternatives = 5

// Alternative is another product that the search for a query found.
type Alternative struct {
	ProductName string  `json:"productName"`
	ProductURL  string  `json:"productUrl"`
	PriceLow    float64 `json:"priceLow,omitempty"`   // zero if the aggregator does not say
	OfferCount  int     `json:"offerCount,omitempty"` // zero if the aggregator does not say
}
