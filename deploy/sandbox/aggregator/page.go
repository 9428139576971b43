package aggregator

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"net/http"
	"strings"

	"backend.example/deploy/sandbox/aggregator/catalogue"
	"backend.example/deploy/sandbox/internal/faults"
)

//go:embed templates/*.html templates/style.css
var templates embed.FS

const robots = "User-agent: *\nDisallow: /Click/\nDisallow: /Captcha/\nAllow: /\n"

// frame is what every page has.
type frame struct {
	Title string
}

func parsePages() *template.Template {
	return template.Must(template.ParseFS(templates, "templates/*.html"))
}

// render writes a page; under the layout fault, with other names for the
// parts that a reader of the page looks for.
func (s *site) render(w http.ResponseWriter, r *http.Request, status int, name string, view any) {
	var body bytes.Buffer
	if err := s.pages.ExecuteTemplate(&body, name, view); err != nil {
		http.Error(w, "strona nie dała się złożyć", http.StatusInternalServerError)
		return
	}
	text := body.String()
	if fault, faulty := faults.FromContext(r.Context()); faulty && fault.Kind == Layout {
		text = changedLayout(text)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

// changedLayout renames the classes and attributes of rows and offers.
func changedLayout(text string) string {
	return strings.NewReplacer(
		"cat-prod-row", "tile", "cat-prod-box", "card", "js_category-list-item", "js_tile",
		"product-offers", "deals", "product-offer", "deal", "js_productOfferGroupItem", "js_deal",
		"data-pid", "data-tile-id", "data-productid", "data-tile-product", "data-productName", "data-tile-name",
		"data-productMinPrice", "data-tile-price",
	).Replace(text)
}

type messageView struct {
	frame
	Message string
}

func (s *site) fail(w http.ResponseWriter, r *http.Request, status int, message string) {
	s.render(w, r, status, "message", messageView{frame{message}, message})
}

type homeView struct {
	frame
	Categories []catalogue.Category
}

func (s *site) showHome(w http.ResponseWriter, r *http.Request) {
	view := homeView{frame{"Makieta porównywarki cen"}, catalogue.Categories()}
	s.render(w, r, http.StatusOK, "home", view)
}

// showClick stands where a shop would be. No program has any business here.
func (s *site) showClick(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusOK, "click", frame{"Przejście do sklepu"})
}

func (s *site) showCaptcha(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusOK, "captcha", frame{"Weryfikacja"})
}

func (s *site) showInterstitial(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusOK, "interstitial", frame{"Just a moment..."})
}

func showRobots(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, robots)
}
