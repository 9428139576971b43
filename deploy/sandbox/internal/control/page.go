package control

import (
	_ "embed"
	"html/template"
	"net/http"
)

//go:embed page.html
var pageSource string

// showPage renders the admin page.
func (c *Control) showPage(w http.ResponseWriter, _ *http.Request) {
	page, err := template.New("page").Parse(pageSource)
	if err != nil {
		http.Error(w, "strona nie dała się złożyć", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = page.Execute(w, struct {
		URL   string
		Sites []Mounted
	}{c.url, c.sites})
}
