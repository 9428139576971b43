package prices

// MaxOffers is how many offers a price holds at most.
const MaxOffers = 5

// Offer is one shop's price for a product, in PLN including VAT.
type Offer struct {
	Store             string // the shop's domain, or a slug of its name
	StoreLabel        string // the shop's name
	Price             float64
	PriceWithDelivery float64 // of the cheapest delivery; zero when the aggregator does not say
	Stock             Stock
	ShopRating        float64 // what buyers give the shop, up to MaxShopRating; zero when unknown
	URL               string  // handed out, never requested by the service; may be empty
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

// MaxAlternatives is how many alternatives a price holds at most.
const MaxAlternatives = 5

// Alternative is another product that the search for a query found.
type Alternative struct {
	ProductName string
	ProductURL  string
	PriceLow    float64 // zero when the aggregator does not say
	OfferCount  int     // zero when the aggregator does not say
}
