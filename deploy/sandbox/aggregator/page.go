package aggregator

import (
	"embed"
	"html/template"
	"io"
	"net/http"
)

//go:embed templates
var templates embed.FS

// robots are the rules of the real site for the pages that are faked here. The search
// over everything is closed, those in a category are open.
const robots = `User-agent: *
Disallow: /click/
Disallow: /Click/
Disallow: /*?e=
Disallow: /;szukaj
Disallow: /;020*
Disallow: /search.aspx
Disallow: /Search-
Disallow: /search-
Disallow: /*requestUrl=
Disallow: /*returnUrl=
Disallow: /*ReturnUrl=
Disallow: /*-sl$
Disallow: /*-basket$
`

// frame is what every page has.
type frame struct {
	Title string
}

func parsePages() *template.Template {
	return template.Must(template.ParseFS(templates, "templates/*.html"))
}

func (s *site) render(w http.ResponseWriter, status int, name string, view any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = s.pages.ExecuteTemplate(w, name, view)
}

type messageView struct {
	frame
	Message string
}

func (s *site) fail(w http.ResponseWriter, status int, message string) {
	s.render(w, status, "message", messageView{frame{message}, message})
}

func showRobots(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, robots)
}

// redirect sends the location as it is; http.Redirect would clean the path.
func redirect(w http.ResponseWriter, status int, location string) {
	w.Header().Set("Location", location)
	w.WriteHeader(status)
}
