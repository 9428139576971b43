package site

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"backend.example/services/internal/kit/settings"
)

//go:embed templates static
var ownFiles embed.FS

// Options configure the pages of one service.
type Options struct {
	Name  string // of the site, in the header and in titles
	Theme string // class of the stylesheet with the accent colour; empty for blue
	Home  string // path that the name links to
	// PublicURL is the beginning of absolute addresses, for search engines and previews of
	// links, e.g. "https://firmy.example". If it is empty, they get paths instead.
	PublicURL string
	// Paths are the paths whose errors are shown as pages. Each includes all paths below it,
	// but "/" is only the home page.
	Paths  []string
	Prefix string         // where static files are served, e.g. "/kreator/static"
	Notice string         // a line on every page; may be empty
	Legal  settings.Legal // in the footer
	// Visitor returns Page.Account and Page.Navigation for pages without Navigation, such as
	// error pages. It may be nil.
	Visitor func(r *http.Request) (account any, navigation []Link)
	// Files contains a page in each templates/*.html, templates that all pages share in
	// templates/partials/*.html, and static files in static/.
	Files fs.FS
	// FormTargets are other origins to which a form may lead, even by a redirect: browsers
	// apply the Content-Security-Policy to these, too.
	FormTargets []string
}

// Link is an entry of the navigation or of the footer.
type Link struct {
	Href, Text string
	Current    bool // whether it leads to the requested path; set by Write
}

// Site renders the pages of one service. It is safe for concurrent use.
type Site struct {
	options Options
	pages   map[string]*template.Template
	assets  map[string]asset // by name, e.g. "site.css"
	policy  string           // Content-Security-Policy
}

// New parses all templates. Its error names the invalid one.
func New(o Options) (*Site, error) {
	s := &Site{options: o, pages: map[string]*template.Template{}, assets: map[string]asset{}}
	formTargets := strings.Join(append([]string{"'self'"}, o.FormTargets...), " ")
	s.policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
		"form-action " + formTargets + "; base-uri 'none'; frame-ancestors 'none'"
	base := template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"asset": s.AssetURL, "date": Date, "moment": Moment, "machine": machine, "number": Number, "count": Count,
		"figure": Figure, "money": Money, "plural": Plural, "wait": Wait, "seconds": seconds,
	})
	folders := []fs.FS{ownFiles, o.Files} // a file of the service replaces one of the same name
	for _, files := range folders {
		if err := s.loadAssets(files); err != nil {
			return nil, err
		}
		if err := parse(base, files, "templates/partials/*.html"); err != nil {
			return nil, err
		}
	}
	for _, files := range folders { // after all partials, which each page contains
		names, _ := fs.Glob(files, "templates/*.html") // only fails for malformed patterns
		for _, name := range names {
			page, err := base.Clone()
			if err != nil {
				return nil, err
			}
			if err := parse(page, files, name); err != nil {
				return nil, err
			}
			if page.Lookup("main") == nil {
				return nil, fmt.Errorf("page %s: no template \"main\"", name)
			}
			s.pages[strings.TrimSuffix(path.Base(name), ".html")] = page
		}
	}
	return s, nil
}

// parse adds the files that match pattern to t. There may be none.
func parse(t *template.Template, files fs.FS, pattern string) error {
	names, _ := fs.Glob(files, pattern)
	if len(names) == 0 {
		return nil
	}
	if _, err := t.ParseFS(files, names...); err != nil {
		return fmt.Errorf("template %s: %w", pattern, err)
	}
	return nil
}
