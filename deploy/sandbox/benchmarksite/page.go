package benchmarksite

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
)

//go:embed pages.html
var pagesSource string

func parsePages() *template.Template {
	return template.Must(template.New("pages").Parse(pagesSource))
}

type downloadView struct {
	Family, Title, Path string
	Rows                int
}

func (s *site) showDeveloperPage(w http.ResponseWriter, _ *http.Request) {
	var downloads []downloadView
	for _, family := range families() {
		path := family.path()
		rows := bytes.Count(s.files[path], []byte("\n")) - 1
		downloads = append(downloads, downloadView{Family: family.name, Title: family.title, Path: path, Rows: rows})
	}
	s.render(w, http.StatusOK, "developer", downloads)
}

func (s *site) showMissing(w http.ResponseWriter, _ *http.Request) {
	s.render(w, http.StatusNotFound, "missing", nil)
}

func (s *site) render(w http.ResponseWriter, status int, name string, view any) {
	var body bytes.Buffer
	if err := s.pages.ExecuteTemplate(&body, name, view); err != nil {
		http.Error(w, "strona nie dała się złożyć", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = body.WriteTo(w)
}
