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
	Logo          string // the logo's text
	DataPrice     string // empty: read the mark-up
	Zlotys        string
	Grosze        string
	Link          string
	OfferType     string
	ItemClass     string // marks of an offer out of stock
	BoxClass      string
	Availability  string
	Delivery      string // empty = free
	Rating        string // with as many digits as the site writes
	OpinionsCount string
	OtherVariant  string // price of another variant from the same shop; mostly empty
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
		Offer: offer, ShopURL: offer.Shop.Domain, Logo: offer.Shop.Domain, OfferType: "CPC",
		Link:   clickPath("offer", strconv.Itoa(offer.ID)),
		Zlotys: zlotys(offer.Price, strconv.Itoa(offer.ID)), Grosze: offer.Price.Grosze(),
		Rating:        offer.Shop.Rating + strconv.FormatUint(random.Uint64(), 10),
		OpinionsCount: counted(offer.Shop.Opinions, "opinia", "opinie", "opinii"),
	}
	if random.IntN(4) > 0 {
		view.DataPrice = offer.Price.Fixed()
	}
	if random.IntN(5) == 0 {
		view.OtherVariant = (offer.Price * 4 / 5).Text()
	}
	switch {
	case offer.Delivery > 0 && random.IntN(4) == 0:
		view.Delivery = "szczegóły dostawy"
	case offer.Delivery > 0:
		view.Delivery = "Z wysyłką od " + (offer.Price + offer.Delivery).Text() + " zł"
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
		v.OfferType, v.ShopURL, v.Logo, v.DataPrice = "Basket", "", "", ""
	case v.Offer.Bidding:
		v.OfferType = "CPC_Bid"
	}
}

// setStock writes an offer out of stock in one of three ways.
func (v *offerView) setStock(way int) {
	texts := []string{"Dostępny", "Dostępny", "Dostępny do 3 dni", "Wysyłka w 1 dzień", "Na zamówienie", "Sprawdź w sklepie"}
	v.Availability = fixtures.Pick(texts, v.Link)
	switch {
	case v.Offer.InStock:
	case way == 0:
		v.ItemClass, v.Availability = "product-offers__list__item--unavailable", "Powiadom o dostępności"
	case way == 1:
		v.BoxClass, v.Availability = "product-offer--outofstock", "Powiadom o dostępności"
	default:
		v.Availability = "Brak w magazynie"
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
