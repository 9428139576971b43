package aggregator

import (
	"html/template"
	"net/http"

	"backend.example/deploy/sandbox/aggregator/catalogue"
)

// perPage is how many products a list page shows, adverts not counted.
const perPage = 30

// secondAdvert is the product before which the second advert of a first page
// stands; the first one opens the page. Shorter pages have none.
const secondAdvert = 4

type listView struct {
	frame
	Heading  string
	Total    int
	Query    string
	Boxes    bool
	Rows     []rowView
	Page     int // from 1
	Pages    int
	Next     string
	Previous string
	JSONLD   template.JS
}

func (s *site) showList(w http.ResponseWriter, r *http.Request, place address, shelf shelf, found []catalogue.Product) {
	products := filtered(found, place)
	pages := max(1, (len(products)+perPage-1)/perPage)
	if place.page >= pages {
		s.fail(w, r, http.StatusNotFound, "Nie ma takiej strony listy")
		return
	}
	view := listView{
		frame: frame{Title: listTitle(place, shelf)}, Heading: shelf.name, Total: len(products),
		Query: place.query, Boxes: shelf.boxes, Page: place.page + 1, Pages: pages,
		Rows: pageRows(products, place.page), JSONLD: listJSONLD(products),
	}
	if place.page+1 < pages {
		view.Next = place.list(place.page + 1)
	}
	if place.page > 0 {
		view.Previous = place.list(place.page - 1)
	}
	s.render(w, r, http.StatusOK, "list", view)
}

func listTitle(place address, shelf shelf) string {
	if place.searched {
		return place.query + " - Ceny i opinie - Ceneo.pl"
	}
	return shelf.name + " - Ceneo.pl"
}

// pageRows are the products of a page with the adverts of a first one.
func pageRows(products []catalogue.Product, page int) []rowView {
	start := page * perPage
	shown := products[start:min(start+perPage, len(products))]
	var rows []rowView
	for place, product := range shown {
		if page == 0 && len(shown) > secondAdvert && (place == 0 || place == secondAdvert) {
			rows = append(rows, advertRow(product, len(rows)))
		}
		rows = append(rows, productRow(product, len(rows)))
	}
	return rows
}
