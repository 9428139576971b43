// Package benchmarksite plays the public benchmark site: its six downloads of
// comma separated rows, the page that offers them and robots.txt. Part names
// are real; ranks, scores and sample counts are made up by a fixed recipe.
// Delays, cut connections and other faults of any site stay in faults.
package benchmarksite

import (
	"html/template"
	"io"
	"net/http"
	"strconv"

	"backend.example/deploy/sandbox/internal/faults"
	"backend.example/deploy/sandbox/internal/standin"
	"backend.example/deploy/sandbox/upstream"
)

// BadCSV is the site's own fault: an HTML page in the place of the rows, with
// status 200, as a bot wall in front of the downloads would send it.
const BadCSV faults.Kind = "badcsv"

const robots = "User-agent: *\nAllow: /\n"

type site struct {
	files map[string][]byte // by path
	pages *template.Template
}

// New returns the fake with all its rows made.
func New() *upstream.Fake {
	s := &site{files: make(map[string][]byte), pages: parsePages()}
	for _, family := range families() {
		s.files[family.path()] = encode(family.rows())
	}
	return upstream.New(standin.StandIn{
		Site: faults.Site{
			Name:   "benchmark",
			Kinds:  append(faults.Common(), faults.Definition{Kind: BadCSV, Text: "zamiast pliku CSV odpowiada 200 i stroną HTML"}),
			Spared: []string{"/robots.txt"},
		},
		Title:   "Serwis z wynikami wydajności",
		Handler: s.handler(),
		Links: []standin.Link{
			{Path: "/page/developer", Text: "strona z plikami do pobrania"},
			{Path: families()[0].path(), Text: "procesory"},
			{Path: families()[1].path(), Text: "karty graficzne"},
		},
	})
}

func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.showDeveloperPage)
	mux.HandleFunc("GET /page/developer", s.showDeveloperPage)
	mux.HandleFunc("GET /resources/download/csv/{file}", s.download)
	mux.HandleFunc("GET /robots.txt", showRobots)
	mux.HandleFunc("/", s.showMissing)
	return mux
}

func (s *site) download(w http.ResponseWriter, r *http.Request) {
	body, found := s.files[r.URL.Path]
	fault, faulty := faults.FromContext(r.Context())
	switch {
	case faulty && fault.Kind == BadCSV:
		s.render(w, http.StatusOK, "wall", nil)
	case !found:
		s.showMissing(w, r)
	default:
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	}
}

func showRobots(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, robots)
}
