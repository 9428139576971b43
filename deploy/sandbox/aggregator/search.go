package aggregator

import (
	"net/http"
	"net/url"
	"unicode/utf8"

	"backend.example/deploy/sandbox/aggregator/products"
)

const (
	minQuery = 2  // length in letters under which the site breaks down
	perPage  = 30 // products of a list page, adverts not counted

	// secondAdvert is the product before which the second advert stands. The first one
	// opens the page. Shorter pages have none.
	secondAdvert = 4
)

// search answers /;szukaj-{q} and /{Category_slug};szukaj-{q}: 301 for an empty query,
// 500 for a too short one, 302 to the product for an exact match, 302 to the search
// everywhere when the category has nothing, else the list.
func (s *site) search(w http.ResponseWriter, a address) {
	category, known := products.FindCategory(a.head)
	switch {
	case !known:
		s.fail(w, http.StatusNotFound, "Nie ma takiej kategorii")
		return
	case a.query == "":
		redirect(w, http.StatusMovedPermanently, "/"+url.PathEscape(a.head))
		return
	case utf8.RuneCountInString(a.query) < minQuery:
		s.fail(w, http.StatusInternalServerError, "Wystąpił błąd")
		return
	}
	if product, exact := s.products.Exact(a.query, a.head); exact {
		redirect(w, http.StatusFound, productPath(product))
		return
	}
	found := s.products.Search(a.query, a.head)
	if len(found) == 0 && a.head != "" {
		redirect(w, http.StatusFound, "/;"+searchPart+url.QueryEscape(a.query))
		return
	}
	s.render(w, http.StatusOK, "list", newList(a.query, category, found))
}

type listView struct {
	frame
	Heading string
	Total   int
	Query   string
	Boxes   bool
	Rows    []rowView
	Above   []rowView // adverts above the list
	Pages   int
}

// newList is the first page of a list.
func newList(query string, category products.Category, found []products.Product) listView {
	view := listView{
		frame: frame{Title: query + " - Ceny i opinie - Ceneo.pl"}, Heading: category.Name, Query: query, Boxes: category.Boxes,
		Total: len(found), Pages: max(1, (len(found)+perPage-1)/perPage),
	}
	shown := found[:min(perPage, len(found))]
	for place, product := range shown {
		if len(shown) > secondAdvert && (place == 0 || place == secondAdvert) {
			view.Rows = append(view.Rows, advertRow(product, len(view.Rows)))
			view.Above = append(view.Above, advertRow(product, 0))
		}
		row := productRow(product, len(view.Rows))
		row.ShowCategory = category.Parent == ""
		view.Rows = append(view.Rows, row)
	}
	return view
}
