// Package aggregator plays the Polish price aggregator: search lists, product
// pages with offers, its captcha page and robots.txt, in the mark-up of the
// desktop site. What it sells is decided in catalogue; delays, cut
// connections and other faults of any site stay in faults.
package aggregator

import (
	"html/template"
	"net/http"
	"strings"

	"backend.example/deploy/sandbox/aggregator/catalogue"
	"backend.example/deploy/sandbox/internal/faults"
	"backend.example/deploy/sandbox/internal/standin"
	"backend.example/deploy/sandbox/upstream"
)

// The site's own faults.
const (
	Captcha      faults.Kind = "captcha"
	Interstitial faults.Kind = "interstitial"
	Layout       faults.Kind = "layout"
)

type site struct {
	goods *catalogue.Catalogue
	pages *template.Template
}

// New returns the fake with its catalogue built.
func New() *upstream.Fake {
	s := &site{goods: catalogue.New(), pages: parsePages()}
	return upstream.New(standin.StandIn{
		Site: faults.Site{
			Name: "aggregator",
			Kinds: append(faults.Common(),
				faults.Definition{Kind: Captcha, Text: "odsyła 302 na /Captcha/Add"},
				faults.Definition{Kind: Interstitial, Text: "odpowiada 200 i małą stroną „Just a moment”"},
				faults.Definition{Kind: Layout, Text: "podaje te same dane w zmienionym układzie (inne klasy i atrybuty)"}),
			Spared: []string{"/robots.txt", "/Captcha/", stylePath, picturePrefix},
		},
		Title:   "Porównywarka cen",
		Handler: http.HandlerFunc(s.serve),
		Links: []standin.Link{
			{Path: "/", Text: "strona główna z wyszukiwarką"},
			{Path: "/Karty_graficzne;szukaj-RTX+4070+SUPER", Text: "lista: RTX 4070 SUPER w kartach graficznych"},
			{Path: "/;szukaj-AMD+Ryzen+7+7800X3D", Text: "dokładne trafienie: przekierowanie na stronę produktu"},
			{Path: "/;szukaj-" + catalogue.NoResultWord, Text: "zapytanie, które nigdy nic nie znajduje"},
		},
	})
}

// serve is the whole URL map. net/http's ServeMux is of no use here, as the
// site packs everything into one path segment with semicolons.
func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		s.fail(w, r, http.StatusMethodNotAllowed, "Tej strony nie można tak użyć")
		return
	}
	place := parseAddress(r.URL.EscapedPath())
	if s.playFault(w, r, place) {
		return
	}
	s.route(w, r, place)
}

func (s *site) route(w http.ResponseWriter, r *http.Request, place address) {
	switch lower := strings.ToLower(place.head); {
	case lower == "robots.txt":
		showRobots(w)
	case strings.HasPrefix("/"+place.head, picturePrefix):
		s.showPicture(w, r, place.head)
	case "/"+place.head == stylePath:
		showStyle(w)
	case strings.HasPrefix(lower, "click/"):
		s.showClick(w, r)
	case strings.HasPrefix(lower, "captcha/add"):
		s.showCaptcha(w, r)
	case place.isProduct():
		s.showProduct(w, r, place)
	case lower == "szukaj":
		searchFromForm(w, r)
	case place.searched:
		s.search(w, r, place)
	case place.head == "":
		s.showHome(w, r)
	default:
		s.showCategory(w, r, place)
	}
}

// playFault acts out the site's own faults and reports whether the request is
// answered. A changed layout is left to render.
func (s *site) playFault(w http.ResponseWriter, r *http.Request, place address) bool {
	fault, faulty := faults.FromContext(r.Context())
	switch {
	case !faulty || strings.HasPrefix(strings.ToLower(place.head), "captcha/"):
		return false
	case fault.Kind == Captcha:
		redirect(w, http.StatusFound, "/Captcha/Add")
		return true
	case fault.Kind == Interstitial:
		s.showInterstitial(w, r)
		return true
	}
	return false
}

// redirect sends the location as it is; http.Redirect would clean the path.
func redirect(w http.ResponseWriter, status int, location string) {
	w.Header().Set("Location", location)
	w.WriteHeader(status)
}
