package aggregator

import (
	"strconv"

	"backend.example/deploy/sandbox/aggregator/products"
	"backend.example/deploy/sandbox/internal/fixtures"
)

// The lists of a product page in which an offer can stand.
const (
	standardList = "standard"
	biddingList  = "bidding"
)

// offerView is one offer as the page writes it. Where the shop and the price
// are found differs from offer to offer.
type offerView struct {
	Offer         products.Offer
	ItemShopURL   string // data-shopurl of the li
	ShopURL       string // data-shopurl of the container
	DataPrice     string // empty: read the mark-up
	Zlotys        string
	Grosze        string
	Link          string
	OfferType     string
	ItemClass     string // marks of an offer out of stock
	BoxClass      string
	Availability  string
	StockClass    string
	Delivery      string // total with delivery; empty = free
	LogoIsStore   bool   // logo in .product-offer__store
	Rating        string
	OpinionsCount string
}

func offerViews(offers []products.Offer, list string) []offerView {
	views := make([]offerView, 0, len(offers))
	for _, offer := range offers {
		view := newOfferView(offer)
		if list == biddingList {
			view.ItemShopURL, view.ShopURL = view.ShopURL, ""
		}
		views = append(views, view)
	}
	return views
}

func newOfferView(offer products.Offer) offerView {
	random := fixtures.Rand("offer view", strconv.Itoa(offer.ID))
	view := offerView{
		Offer: offer, ShopURL: offer.Shop.Domain, OfferType: "CPC", Link: clickPath("offer", strconv.Itoa(offer.ID)),
		Zlotys: zlotys(offer.Price, strconv.Itoa(offer.ID)), Grosze: offer.Price.Grosze(),
		LogoIsStore:   random.IntN(3) == 0,
		OpinionsCount: counted(offer.Shop.Opinions, "opinia", "opinie", "opinii"),
	}
	if random.IntN(4) > 0 {
		view.DataPrice = offer.Price.Fixed()
	}
	if offer.Delivery > 0 {
		view.Delivery = (offer.Price + offer.Delivery).Text()
	}
	view.setType()
	view.setStock(random.IntN(3))
	return view
}

// setType marks paid places, and offers bought on the site itself, which do
// not show the shop's domain.
func (v *offerView) setType() {
	switch {
	case v.Offer.OnSite:
		v.OfferType, v.ShopURL = "CPC_Bid_Basket", ""
	case v.Offer.Bidding:
		v.OfferType = "CPC_Bid"
	}
}

// setStock writes an offer out of stock in one of three ways.
func (v *offerView) setStock(way int) {
	if v.Offer.InStock {
		v.Availability = fixtures.Pick([]string{"Wysyłka w 1 dzień", "Wysyłka do 3 dni", "Sprawdź w sklepie"}, v.Link)
		v.StockClass = "instock"
		return
	}
	v.Availability, v.StockClass = "Brak w magazynie", "onrequest"
	switch way {
	case 0:
		v.ItemClass, v.Availability = "product-offers__list__item--unavailable", "Powiadom o dostępności"
	case 1:
		v.BoxClass, v.Availability = "product-offer--outofstock", "Powiadom o dostępności"
	}
}

// advertOffer is a paid banner among the offers, cheaper than any of them.
func advertOffer(product products.Product) offerView {
	offer := product.Offers()[0]
	offer.ID++
	offer.Title = "Okazja: " + product.Short
	offer.Price, offer.InStock = product.Price*8/10, true
	return newOfferView(offer)
}

// similarOffers are offers of other products, in a list of their own.
func (s *site) similarOffers(product products.Product) []offerView {
	var offers []products.Offer
	for _, other := range s.products.Similar(product, similar) {
		offers = append(offers, products.ByPrice(other.Offers())[0])
	}
	return offerViews(offers, standardList)
}
