package aggregator

import (
	"embed"
	"html/template"
	"net/http"
)

//go:embed templates
var templates embed.FS

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

// showRobots answers with the rules of the real site. It gives people what it closes to
// programs, such as the search over everything, and so does the fake.
func showRobots(w http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(w, r, templates, "templates/robots.txt")
}

// redirect sends the location as it is; http.Redirect would clean the path.
func redirect(w http.ResponseWriter, status int, location string) {
	w.Header().Set("Location", location)
	w.WriteHeader(status)
}
