// Package aggregator fakes the Polish price aggregator: search lists, product pages
// with offers, its captcha page and robots.txt, in the markup of the desktop site. The
// products are those of package products.
package aggregator

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"backend.example/deploy/sandbox/aggregator/products"
	"backend.example/deploy/sandbox/upstream"
)

// Captcha is the site's own fault: every page leads to the captcha.
const Captcha upstream.Kind = "captcha"

type site struct {
	products *products.Inventory
	pages    *template.Template
}

// New returns the fake.
func New() *upstream.Fake {
	s := &site{products: products.New(), pages: parsePages()}
	return upstream.New(upstream.Site{
		Name:    "aggregator",
		Title:   "Porównywarka cen",
		Faults:  []upstream.FaultKind{{Kind: Captcha, Text: "odsyła 302 na /Captcha/Add"}},
		Spared:  []string{"/robots.txt", "/Captcha/"},
		Handler: http.HandlerFunc(s.serve),
		Links: []upstream.Link{
			{Path: "/Karty_graficzne;szukaj-RTX+4070+SUPER", Text: "lista: RTX 4070 SUPER w kartach graficznych"},
			{Path: "/Komputery;szukaj-AMD+Ryzen+7+7800X3D", Text: "dokładne trafienie: przekierowanie na stronę produktu"},
			{Path: "/Komputery;szukaj-" + products.NoResultWord, Text: "zapytanie, które nigdy nic nie znajduje"},
		},
	})
}

// serve is the whole URL map. The ServeMux of net/http is of no use here, as the site
// packs everything into one path segment with semicolons.
func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	a := parseAddress(r.URL.EscapedPath())
	fault, faulty := upstream.FaultFrom(r.Context())
	switch head := strings.ToLower(a.head); {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		s.fail(w, http.StatusMethodNotAllowed, "Tej strony nie można tak użyć")
	case head == "captcha/add":
		s.render(w, http.StatusOK, "captcha", frame{"Weryfikacja"})
	case faulty && fault.Kind == Captcha:
		redirect(w, http.StatusFound, "/Captcha/Add?returnUrl="+url.QueryEscape(r.URL.EscapedPath()))
	case head == "robots.txt":
		showRobots(w, r)
	case strings.HasPrefix(head, "click/"):
		s.render(w, http.StatusOK, "click", frame{"Przejście do sklepu"})
	case a.product() > 0:
		s.showProduct(w, r, a)
	case a.searched:
		s.search(w, a)
	default:
		s.fail(w, http.StatusNotFound, "Nie ma takiej strony")
	}
}
