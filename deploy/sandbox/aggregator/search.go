package aggregator

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"backend.example/deploy/sandbox/aggregator/catalogue"
)

// minQuery is the length in letters under which the site breaks down.
const minQuery = 2

// search answers /;szukaj-{q} and /{Category_slug};szukaj-{q}: 301 for an
// empty query, 500 for a too short one, 302 to the product for an exact match,
// 302 to the search everywhere when the category has nothing, else the list.
func (s *site) search(w http.ResponseWriter, r *http.Request, place address) {
	shelf, known := s.shelf(place.head)
	switch {
	case !known:
		s.fail(w, r, http.StatusNotFound, "Nie ma takiej kategorii")
		return
	case place.query == "":
		redirect(w, http.StatusMovedPermanently, "/"+url.PathEscape(place.head))
		return
	case utf8.RuneCountInString(place.query) < minQuery:
		s.fail(w, r, http.StatusInternalServerError, "Wystąpił błąd")
		return
	}
	if product, exact := s.goods.Exact(place.query, shelf.slug); exact && place.page == 0 {
		redirect(w, http.StatusFound, productPath(product))
		return
	}
	found := s.goods.Search(place.query, shelf.slug)
	if len(found) == 0 && place.head != "" {
		redirect(w, http.StatusFound, "/;"+searchPart+url.QueryEscape(place.query))
		return
	}
	s.showList(w, r, place, shelf, found)
}

// showCategory answers /{Category_slug}.
func (s *site) showCategory(w http.ResponseWriter, r *http.Request, place address) {
	shelf, known := s.shelf(place.head)
	if !known {
		s.fail(w, r, http.StatusNotFound, "Nie ma takiej strony")
		return
	}
	s.showList(w, r, place, shelf, s.goods.Shelf(shelf.slug))
}

// shelf is where a list is taken from.
type shelf struct {
	slug, name string
	boxes      bool
}

func (s *site) shelf(slug string) (shelf, bool) {
	switch slug {
	case "":
		return shelf{name: "Wszystkie kategorie"}, true
	case catalogue.ParentSlug:
		return shelf{slug: slug, name: "Podzespoły komputerowe"}, true
	}
	category, known := catalogue.FindCategory(slug)
	return shelf{slug: category.Slug, name: category.Name, boxes: category.Boxes}, known
}

// filtered applies the price limits and the order of the address.
func filtered(products []catalogue.Product, place address) []catalogue.Product {
	var kept []catalogue.Product
	for _, product := range products {
		if product.Price >= place.from && (place.to == 0 || product.Price <= place.to) {
			kept = append(kept, product)
		}
	}
	if place.order == listByPrice {
		slices.SortStableFunc(kept, func(a, b catalogue.Product) int { return cmp.Compare(a.Price, b.Price) })
	}
	return kept
}

// searchFromForm turns the search field of the home page into an address.
func searchFromForm(w http.ResponseWriter, r *http.Request) {
	query := strings.TrimSpace(r.URL.Query().Get("q"))
	redirect(w, http.StatusFound, "/;"+searchPart+url.QueryEscape(query))
}
