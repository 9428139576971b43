package site

import (
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

var (
	//go:embed templates
	ownTemplates embed.FS
	//go:embed static
	ownStatic embed.FS
)

// Options configure the pages of one service.
type Options struct {
	Name  string // of the site, in the header and in titles
	Theme string // class of the stylesheet with the accent colour; empty for blue
	Home  string // path that the name links to
	// PublicURL begins the addresses that search engines and previews get, e.g.
	// "https://firmy.example". They are paths if it is empty.
	PublicURL string
	// Paths are the paths whose errors are pages, including all paths below them, except
	// below "/".
	Paths  []string
	Prefix string // where static files are served, e.g. "/kreator/static"
	Notice string // a line on every page; empty for none
	Legal  Legal  // in the footer
	// Navigation returns the links in the header of pages without their own. The link to
	// the path of the request is marked. It may be nil.
	Navigation func(r *http.Request) []Link
	// Visitor returns Page.Account and Page.Navigation for error pages. It may be nil.
	Visitor func(r *http.Request) (account any, navigation []Link)
	Pages   fs.FS // page templates *.html, and partials/*.html for all of them
	Static  fs.FS // further static files in one folder; may be nil
	// FormTargets are further origins that a form may lead to. Browsers apply the policy
	// to redirects after a form, too.
	FormTargets []string
}

// Link is one entry of the navigation.
type Link struct {
	Href, Text string
	Current    bool
}

// Site renders the pages of one service. It is safe for concurrent use.
type Site struct {
	options Options
	pages   map[string]*template.Template
	assets  map[string]asset // by name, e.g. "site.css"
	policy  string           // Content-Security-Policy
}

// errorPage is the name of the template of error pages.
const errorPage = "error"

// New parses all templates. Its error names the invalid one.
func New(o Options) (*Site, error) {
	assets, err := loadAssets(o.Prefix, Folder(ownStatic, "static"), o.Static)
	if err != nil {
		return nil, err
	}
	s := &Site{options: o, assets: assets, policy: policy(o.FormTargets), pages: map[string]*template.Template{}}
	base, err := s.layout()
	if err != nil {
		return nil, err
	}
	if err := s.parsePages(base, Folder(ownTemplates, "templates/pages")); err != nil {
		return nil, err
	}
	return s, s.parsePages(base, o.Pages)
}

// layout parses the layout and the service's partials.
func (s *Site) layout() (*template.Template, error) {
	base := template.New("layout.html").Option("missingkey=error").Funcs(template.FuncMap{
		"asset": s.AssetURL, "date": Date, "moment": Moment, "machine": machine,
		"number": Number, "count": Count, "figure": Figure, "money": Money, "plural": Plural, "wait": Wait,
		"seconds": seconds,
	})
	base, err := base.ParseFS(ownTemplates, "templates/layout.html")
	if err != nil {
		return nil, fmt.Errorf("layout: %w", err)
	}
	partials, _ := fs.Glob(s.options.Pages, "partials/*.html") // only fails for malformed patterns
	if len(partials) == 0 {
		return base, nil
	}
	if base, err = base.ParseFS(s.options.Pages, partials...); err != nil {
		return nil, fmt.Errorf("partial templates: %w", err)
	}
	return base, nil
}

func parsePage(base *template.Template, folder fs.FS, file string) (*template.Template, error) {
	page, err := base.Clone()
	if err != nil {
		return nil, err
	}
	if page, err = page.ParseFS(folder, file); err != nil {
		return nil, err
	}
	if page.Lookup("main") == nil {
		return nil, errors.New(`no template "main"`)
	}
	return page, nil
}

// parsePages parses every template file in the folder as a page.
func (s *Site) parsePages(base *template.Template, folder fs.FS) error {
	files, _ := fs.Glob(folder, "*.html") // only fails for malformed patterns
	for _, file := range files {
		page, err := parsePage(base, folder, file)
		if err != nil {
			return fmt.Errorf("page %s: %w", file, err)
		}
		s.pages[strings.TrimSuffix(file, path.Ext(file))] = page
	}
	return nil
}

// Folder returns a folder of an embedded file system. It panics if the name is not a path.
func Folder(files embed.FS, folder string) fs.FS {
	inner, err := fs.Sub(files, folder)
	if err != nil {
		panic(err)
	}
	return inner
}
