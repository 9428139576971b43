// Package userbenchmark fakes the benchmark site: its six CSV downloads, the page that offers them, and robots.txt.
// The files have the format of the real ones with their flaws. Part names are real; ranks, scores and sample counts
// are invented.
package userbenchmark

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"net/http"
	"strconv"

	"backend.example/deploy/sandbox/fake"
)

//go:embed downloads pages.html
var files embed.FS

//go:embed site.json
var siteJSON []byte

type download struct {
	Family, Title string // the title is Polish
	body          []byte
}

func (d download) name() string { return d.Family + "_UserBenchmarks.csv" }

// Path returns the address of the file.
func (d download) Path() string { return "/resources/download/csv/" + d.name() }

// Rows returns the number of parts that the file lists.
func (d download) Rows() int { return bytes.Count(d.body, []byte("\n")) - 1 }

// New returns the fake.
func New() *fake.Fake {
	f := fake.New(siteJSON, nil)
	downloads := readDownloads()
	pages := template.Must(template.ParseFS(files, "pages.html"))
	page := func(status int, name string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(status)
			_ = pages.ExecuteTemplate(w, name, downloads)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", page(http.StatusOK, "developer"))
	mux.HandleFunc("GET /page/developer", page(http.StatusOK, "developer"))
	mux.HandleFunc("/", page(http.StatusNotFound, "missing"))
	mux.HandleFunc("GET /robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, "User-agent: *\nAllow: /\n")
	})
	for _, d := range downloads {
		mux.HandleFunc("GET "+d.Path(), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/csv; charset=utf-8")
			w.Header().Set("Content-Length", strconv.Itoa(len(d.body)))
			_, _ = w.Write(d.body)
		})
	}
	f.Handle(mux)
	return f
}

func readDownloads() []download {
	list := []download{
		{Family: "CPU", Title: "procesory"}, {Family: "GPU", Title: "karty graficzne"},
		{Family: "SSD", Title: "dyski SSD"},
		{Family: "HDD", Title: "dyski talerzowe"}, {Family: "RAM", Title: "pamięci RAM"},
		{Family: "USB", Title: "pamięci USB"},
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
