package aggregator

import (
	"fmt"
	"html/template"
	"net/http"
	"strconv"

	"backend.example/deploy/sandbox/aggregator/products"
)

const (
	maxRendered = 15 // offers in the page; the rest comes after a click
	similar     = 4
)

type productView struct {
	frame
	Heading  string
	Product  products.Product
	Low      products.Price
	URL      string
	Standard []offerView
	Bidding  []offerView
	Advert   offerView
	Similar  []offerView
	Hidden   int // offers that are not rendered
	JSONLD   []template.JS
	Opinions string
}

func productPath(product products.Product) string { return "/" + strconv.Itoa(product.ID) }

// showProduct answers /{id} and /{id};0280-0.htm; an unknown number is 404.
func (s *site) showProduct(w http.ResponseWriter, r *http.Request, a address) {
	product, found := s.products.Product(a.product())
	if !found {
		s.fail(w, http.StatusNotFound, "Nie ma takiego produktu")
		return
	}
	low, high := product.PriceRange()
	offers := product.Offers()
	ordered := inOrder(offers, a.order)
	view := productView{
		frame: frame{Title: product.Name + " - Cena, opinie na Ceneo.pl"}, Heading: product.Name,
		Product: product, Low: low, URL: "http://" + r.Host + productPath(product),
		Standard: offerViews(ordered[:min(maxRendered, len(ordered))], standardList),
		Bidding:  offerViews(bidding(offers), biddingList),
		Advert:   advertOffer(product), Similar: s.similarOffers(product),
		Hidden:   max(0, len(ordered)-maxRendered),
		Opinions: counted(product.Opinions, "opinia", "opinie", "opinii"),
	}
	if product.Variants() > 0 {
		view.Heading = product.Short
		view.Title = product.Short + " - ceny, opinie, sklepy - kup tanio na Ceneo.pl"
	}
	view.JSONLD = productJSONLD(product, view.URL, low, high)
	s.render(w, http.StatusOK, "product", view)
}

// inOrder sorts the offers by price when the address asks for that. Any other order is
// the site's own.
func inOrder(offers []products.Offer, order string) []products.Offer {
	if order == offersByPrice {
		return products.ByPrice(offers)
	}
	return offers
}

func bidding(offers []products.Offer) []products.Offer {
	var paid []products.Offer
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
