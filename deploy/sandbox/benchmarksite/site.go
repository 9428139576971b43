// Package benchmarksite fakes the public benchmark site: its six downloads of comma
// separated rows, the page that offers them, and robots.txt. The rows are data in
// downloads, in the format of the real files with their flaws. Part names are real,
// while ranks, scores and sample counts are invented.
package benchmarksite

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"net/http"
	"strconv"

	"backend.example/deploy/sandbox/upstream"
)

const robots = "User-agent: *\nAllow: /\n"

//go:embed downloads pages.html
var files embed.FS

// download is one file of the site: all parts of one type.
type download struct {
	Family, Title string // the title is Polish
	body          []byte
}

// Path is where the file is downloaded.
func (d download) Path() string { return "/resources/download/csv/" + d.name() }

func (d download) name() string { return d.Family + "_UserBenchmarks.csv" }

// Rows is how many parts the file lists.
func (d download) Rows() int { return bytes.Count(d.body, []byte("\n")) - 1 }

type site struct {
	downloads []download
	pages     *template.Template
}

// New returns the fake.
func New() *upstream.Fake {
	s := &site{downloads: readDownloads(), pages: template.Must(template.ParseFS(files, "pages.html"))}
	return upstream.New(upstream.Site{
		Name:    "benchmark",
		Title:   "Serwis z wynikami wydajności",
		Spared:  []string{"/robots.txt"},
		Handler: s.handler(),
		Links: []upstream.Link{
			{Path: "/page/developer", Text: "strona z plikami do pobrania"},
			{Path: s.downloads[0].Path(), Text: "procesory"},
			{Path: s.downloads[1].Path(), Text: "karty graficzne"},
		},
	})
}

func readDownloads() []download {
	list := []download{
		{Family: "CPU", Title: "procesory"}, {Family: "GPU", Title: "karty graficzne"}, {Family: "SSD", Title: "dyski SSD"},
		{Family: "HDD", Title: "dyski talerzowe"}, {Family: "RAM", Title: "pamięci RAM"}, {Family: "USB", Title: "pamięci USB"},
	}
	for i, d := range list {
		body, err := files.ReadFile("downloads/" + d.name())
		if err != nil {
			panic(err) // the file is part of the binary
		}
		list[i].body = body
	}
	return list
}

func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.showDeveloperPage)
	mux.HandleFunc("GET /page/developer", s.showDeveloperPage)
	mux.HandleFunc("GET /resources/download/csv/{file}", s.sendDownload)
	mux.HandleFunc("GET /robots.txt", showRobots)
	mux.HandleFunc("/", s.showMissing)
	return mux
}

func (s *site) sendDownload(w http.ResponseWriter, r *http.Request) {
	for _, d := range s.downloads {
		if d.name() == r.PathValue("file") {
			w.Header().Set("Content-Type", "text/csv; charset=utf-8")
			w.Header().Set("Content-Length", strconv.Itoa(len(d.body)))
			_, _ = w.Write(d.body)
			return
		}
	}
	s.showMissing(w, r)
}

func (s *site) showDeveloperPage(w http.ResponseWriter, _ *http.Request) {
	s.render(w, http.StatusOK, "developer", s.downloads)
}

func (s *site) showMissing(w http.ResponseWriter, _ *http.Request) {
	s.render(w, http.StatusNotFound, "missing", nil)
}

func (s *site) render(w http.ResponseWriter, status int, name string, view any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = s.pages.ExecuteTemplate(w, name, view)
}

func showRobots(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, robots)
}
