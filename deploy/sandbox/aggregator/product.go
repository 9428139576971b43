package aggregator

import (
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"

	"backend.example/deploy/sandbox/aggregator/catalogue"
)

const (
	maxRendered = 15 // offers in the page; the rest comes after a click
	similar     = 4
)

type productView struct {
	frame
	Product  catalogue.Product
	Low      catalogue.Price
	URL      string
	Image    string
	Standard []offerView
	Bidding  []offerView
	Advert   offerView
	Similar  []offerView
	Hidden   int // offers that are not rendered
	JSONLD   []template.JS
	Opinions string
}

// showProduct answers /{id} and /{id};0280-0.htm; an unknown number is 404.
func (s *site) showProduct(w http.ResponseWriter, r *http.Request, place address) {
	product, found := s.goods.Product(number(place.head))
	if !found {
		s.fail(w, r, http.StatusNotFound, "Nie ma takiego produktu")
		return
	}
	low, high := product.PriceRange()
	base := "http://" + r.Host
	offers := product.Offers()
	ordered := inOrder(offers, place.order)
	view := productView{
		frame:   frame{Title: product.Name + " - Cena, opinie na Ceneo.pl"},
		Product: product, Low: low, URL: base + productPath(product), Image: base + picturePath(product.Brand),
		Standard: offerViews(ordered[:min(maxRendered, len(ordered))], standardList),
		Bidding:  offerViews(bidding(offers), biddingList),
		Advert:   advertOffer(product), Similar: s.similarOffers(product),
		Hidden:   max(0, len(ordered)-maxRendered),
		Opinions: counted(product.Opinions, "opinia", "opinie", "opinii"),
	}
	view.JSONLD = productJSONLD(product, view.URL, low, high)
	s.render(w, r, http.StatusOK, "product", view)
}

// inOrder sorts the offers as the address asks; other orders keep the site's.
func inOrder(offers []catalogue.Offer, order string) []catalogue.Offer {
	switch order {
	case offersByPrice:
		return catalogue.ByPrice(offers)
	case offersDearerFirst:
		sorted := catalogue.ByPrice(offers)
		slices.Reverse(sorted)
		return sorted
	case offersByTotal:
		return catalogue.ByTotal(offers)
	}
	return offers
}

func bidding(offers []catalogue.Offer) []catalogue.Offer {
	var paid []catalogue.Offer
	for _, offer := range offers {
		if offer.Bidding {
			paid = append(paid, offer)
		}
	}
	return paid
}

// counted writes a number with the right Polish form of a noun.
func counted(n int, one, few, many string) string {
	switch {
	case n == 1:
		return "1 " + one
	case n%10 >= 2 && n%10 <= 4 && (n%100 < 12 || n%100 > 14):
		return fmt.Sprintf("%d %s", n, few)
	}
	return strconv.Itoa(n) + " " + many
}
