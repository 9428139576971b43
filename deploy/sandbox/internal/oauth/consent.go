package oauth

import (
	"bytes"
	"html/template"
	"net/http"

	_ "embed"
)

// Scope is a permission that the app asks for.
type Scope struct {
	Name  string // as the provider's API calls it
	Text  string // what it allows, in Polish
	Fixed bool   // comes with signing in: shown without a checkbox, and always granted
}

// Account is one that the person may choose.
type Account struct {
	Key  string // value of the form field
	Name string
	Note string // Polish: what there is to find in it
}

// Page is one request for consent. It works without JavaScript, and posts the decision
// to its own address, query included, as a form:
//
//	decision  allow or deny
//	account   key of one of the accounts; needed to allow
//	scope     once for each ticked scope; "all" stands for every one
type Page struct {
	Provider string // Polish title of the provider
	App      string // name of the app that asks
	Scopes   []Scope
	Accounts []Account
}

//go:embed consent.html
var source string

func parse() *template.Template {
	return template.Must(template.New("consent").Parse(source))
}

// Send answers the page.
func (p Page) Send(w http.ResponseWriter) {
	send(w, http.StatusOK, "consent", p)
}

type refusal struct {
	Status     int
	Code, Text string
}

// SendRefusal answers the page that a person sees instead when the app's request
// is wrong. The app never hears of it: there is no address to trust. Code is the
// provider's own, e.g. "redirect_uri_mismatch".
func SendRefusal(w http.ResponseWriter, status int, code, text string) {
	send(w, status, "refusal", refusal{Status: status, Code: code, Text: text})
}

func send(w http.ResponseWriter, status int, name string, data any) {
	var body bytes.Buffer
	if err := parse().ExecuteTemplate(&body, name, data); err != nil {
		http.Error(w, "strona nie dała się złożyć", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Frame-Options", "DENY")
	w.WriteHeader(status)
	_, _ = body.WriteTo(w)
}
