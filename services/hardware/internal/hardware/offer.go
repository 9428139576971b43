package hardware

// MaxOffers is how many offers a price answer holds at most.
const MaxOffers = 5

// Offer is one shop's price for a product, in PLN including VAT.
type Offer struct {
	Store      string  `json:"store"`      // the shop's domain, or a slug of its name
	StoreLabel string  `json:"storeLabel"` // the shop's name
	Price      float64 `json:"price"`
	URL        string  `json:"url,omitempty"` // handed out, never requested by the service
}

// Finding is what an aggregator says about one query.
//
// A Finding without ProductName means that nothing matched: ProductURL is then
// the address of the search, and Offers is empty.
type Finding struct {
	ProductName string
	ProductURL  string
	OfferCount  int     // all offers at the aggregator, hidden ones included
	PriceLow    float64 // over all offers; zero when the aggregator does not say
	PriceHigh   float64
	Offers      []Offer // at most MaxOffers, ascending by price
	Partial     bool    // the page may not have shown the cheapest offers
}
