// Package ceneo fakes the Polish price aggregator: search lists, product pages with offers, its captcha page and
// robots.txt, in the markup of the desktop site. The names in products.csv are real for the most part. Numbers,
// prices, offers and ratings are generated from the names, the same on every start.
package ceneo

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"backend.example/deploy/sandbox/fake"
)

const (
	maxRendered = 15 // offers on a product page; the rest comes after a click
	perPage     = 30 // products of a list page, adverts not counted

	// A page begins with an advert, and a second one stands before this product, counted from 0. Shorter pages have
	// no adverts.
	secondAdvert = 4
)

//go:embed templates
var templates embed.FS

//go:embed site.json
var siteJSON []byte

type site struct {
	*fake.Fake
	*inventory
	pages *template.Template
}

// New returns the fake.
func New() *fake.Fake {
	s := &site{inventory: newInventory(), pages: template.Must(template.ParseFS(templates, "templates/*.html"))}
	s.Fake = fake.New(
		siteJSON, nil, fake.FaultKind{Kind: "captcha", Text: "odsyła 302 na /Captcha/Add", Act: sendToCaptcha},
	)
	s.Handle(http.HandlerFunc(s.serve))
	return s.Fake
}

func sendToCaptcha(w http.ResponseWriter, r *http.Request, _ fake.Fault) bool {
	redirect(w, http.StatusFound, "/Captcha/Add?returnUrl="+url.QueryEscape(r.URL.EscapedPath()))
	return true
}

// redirect sends the location as it is; http.Redirect would clean the path.
func redirect(w http.ResponseWriter, status int, location string) {
	w.Header().Set("Location", location)
	w.WriteHeader(status)
}

type view struct{ Title, Message string }

// serve is the whole URL map. The site puts everything into one path segment, whose parts
// are separated by semicolons, so that ServeMux is of no use:
//
//	/{Category_slug};szukaj-{q}   /;szukaj-{q}   /{id}   /{id};0280-0.htm
//	/{Category_slug}   /{Category_slug};0115-1.htm   /{Category_slug};0115-1;0020-30-0-0-{page}.htm
func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	head, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), ";")
	head = decode(head)
	query, searched := strings.CutPrefix(rest, "szukaj-")
	query, _, _ = strings.Cut(query, ";")
	id, err := strconv.Atoi(head)
	numbered := err == nil && len(head) >= 5 && len(head) <= 9
	switch lower := strings.ToLower(head); {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		s.fail(w, http.StatusMethodNotAllowed, "Tej strony nie można tak użyć")
	case lower == "captcha/add":
		s.render(w, http.StatusOK, "captcha", view{Title: "Weryfikacja"})
	case lower == "robots.txt":
		http.ServeFileFS(w, r, templates, "templates/robots.txt") // paths that it forbids are answered all the same
	case strings.HasPrefix(lower, "click/"):
		s.render(w, http.StatusOK, "click", view{Title: "Przejście do sklepu"})
	case numbered:
		s.showProduct(w, r, id, strings.TrimSuffix(rest, ".htm") == "0280-0")
	case searched:
		s.showList(w, head, strings.Join(strings.Fields(decode(query)), " "))
	case s.categories[head].ID > 0, head == ssdSlug, head == hddSlug:
		s.showCategory(w, head, pageOf(rest))
	default:
		s.fail(w, http.StatusNotFound, "Nie ma takiej strony")
	}
}

// pageOf reads the number of a page, which counts from 0.
func pageOf(parameters string) int {
	_, page, _ := strings.Cut(parameters, "0020-30-0-0-")
	n, _ := strconv.Atoi(strings.TrimSuffix(page, ".htm"))
	return max(0, n)
}

// decode drops what is not UTF-8.
func decode(encoded string) string {
	text, _ := url.QueryUnescape(encoded) // of a path, whose encoding is valid
	return strings.ToValidUTF8(text, "")
}

func (s *site) render(w http.ResponseWriter, status int, name string, view any) {
	var body bytes.Buffer
	if err := s.pages.ExecuteTemplate(&body, name, view); err != nil {
		panic(err) // the templates are part of the binary
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = body.WriteTo(w)
}

func (s *site) fail(w http.ResponseWriter, status int, message string) {
	s.render(w, status, "message", view{message, message})
}

type listView struct {
	view
	Category category
	Query    string
	Total    int
	Pages    int
	Rows     []row
	Above    []row // adverts above the list
}

// showList redirects an empty query, an exact match, and a query that finds nothing in its category, as the site does.
func (s *site) showList(w http.ResponseWriter, slug, query string) {
	category, known := s.categories[slug]
	product, exact := s.exact(query, slug)
	switch {
	case !known:
		s.fail(w, http.StatusNotFound, "Nie ma takiej kategorii")
		return
	case query == "":
		redirect(w, http.StatusMovedPermanently, "/"+url.PathEscape(slug))
		return
	case utf8.RuneCountInString(query) < 2:
		s.fail(w, http.StatusInternalServerError, "Wystąpił błąd")
		return
	case exact:
		redirect(w, http.StatusFound, product.Path())
		return
	}
	found := s.search(query, slug)
	if len(found) == 0 && slug != "" {
		redirect(w, http.StatusFound, "/;szukaj-"+url.QueryEscape(query))
		return
	}
	s.showPage(w, query, category, query, found, 0)
}

// The category of drives, and its two parts, which have lists of their own.
const (
	drivesSlug = "Dyski"
	ssdSlug    = "Dyski_SSD"
	hddSlug    = "Dyski_HDD"
)

func (s *site) showCategory(w http.ResponseWriter, slug string, page int) {
	c := s.categories[slug]
	if c.ID == 0 {
		c = s.categories[drivesSlug]
	}
	var found []product
	for _, p := range s.products {
		isDisk := strings.Contains(p.Name, `3,5"`)
		if p.in(c.Slug) && (slug == c.Slug || isDisk == (slug == hddSlug)) {
			found = append(found, p)
		}
	}
	s.showPage(w, c.Name, c, "", found, page)
}

// showPage shows a page, counted from 0, of the products that were found.
func (s *site) showPage(
	w http.ResponseWriter, title string, category category, query string, found []product, page int,
) {
	list := listView{
		view: view{Title: title + " - Ceny i opinie - Ceneo.pl"}, Category: category, Query: query,
		Total: len(found), Pages: max(1, (len(found)+perPage-1)/perPage),
	}
	found = found[min(page*perPage, len(found)):]
	shown := found[:min(perPage, len(found))]
	for place, product := range shown {
		if len(shown) > secondAdvert && (place == 0 || place == secondAdvert) {
			advert := advertRow(product, len(list.Rows))
			list.Rows, list.Above = append(list.Rows, advert), append(list.Above, advert)
		}
		row := newRow(product, len(list.Rows))
		row.ShowCategory = category.Parent == ""
		list.Rows = append(list.Rows, row)
	}
	s.render(w, http.StatusOK, "list", list)
}

type productView struct {
	view
	Product           product
	Low, High         price // of the offers in stock
	URL               string
	Standard, Bidding []offer
	Advert            offer // cheaper than any of the offers; also stands for similar products
	Hidden            bool  // some offers are not rendered
}

func (s *site) showProduct(w http.ResponseWriter, r *http.Request, id int, byPrice bool) {
	product, found := s.product(id)
	if !found {
		s.fail(w, http.StatusNotFound, "Nie ma takiego produktu")
		return
	}
	offers := s.offers(product)
	page := productView{
		view: view{Title: product.Heading() + " - Cena, opinie na Ceneo.pl"}, Product: product, Low: product.Price,
		High: product.Price,
		URL:  "http://" + r.Host + product.Path(), Hidden: len(offers) > maxRendered,
	}
	for _, o := range offers {
		if o.InStock {
			page.Low, page.High = min(page.Low, o.Price), max(page.High, o.Price)
		}
		if o.Bidding {
			page.Bidding = append(page.Bidding, o)
		}
	}
	if byPrice {
		sortByPrice(offers)
	}
	page.Standard = offers[:min(maxRendered, len(offers))]
	for i := range page.Standard {
		page.Standard[i].Bidding = false // which marks the other list
	}
	page.Advert = offers[0]
	page.Advert.ID++
	page.Advert.Title = "Okazja: " + product.Short
	page.Advert.Price = product.Price * 8 / 10
	page.Advert.InStock = true
	s.render(w, http.StatusOK, "product", page)
}
