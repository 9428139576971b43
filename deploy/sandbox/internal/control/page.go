package control

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"

	"backend.example/deploy/sandbox/internal/faults"
)

//go:embed page.html
var pageSource string

func pageTemplate() *template.Template {
	return template.Must(template.New("page").Parse(pageSource))
}

type pageView struct {
	URL   string
	Sites []siteView
}

type siteView struct {
	Mounted
	Fault    *faults.Fault
	Requests int
}

// showPage renders the overview for people.
func (c *Control) showPage(w http.ResponseWriter, _ *http.Request) {
	view := pageView{URL: c.url}
	for _, site := range c.sites {
		fault, err := c.board.Get(site.Site.Name)
		if err != nil {
			c.sendFailure(w, err)
			return
		}
		requests := len(c.log.Entries(site.Site.Name))
		view.Sites = append(view.Sites, siteView{Mounted: site, Fault: fault, Requests: requests})
	}
	var body bytes.Buffer
	if err := c.page.Execute(&body, view); err != nil {
		http.Error(w, "strona nie dała się złożyć", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = body.WriteTo(w)
}
