package site

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Page is the content of a page besides its template.
type Page struct {
	Title string // in the browser's tab, before the name of the site
	// Description is shown by search engines and previews of links. A page without one is kept
	// out of search engines.
	Description string
	Canonical   string   // path of the page if it has several addresses; empty: that of the request
	Message     *Message // at the top of the page and in its title; may be nil
	Navigation  []Link   // the links in the header; nil: those of the Options
	Scripts     []string // static files, run in this order after the page has loaded
	Account     any      // data of the template "account"; nil leaves it out
	Data        any      // data of the templates "main" and "head"
}

// Message is the result of the form that led to the page. It has the focus, so that screen
// readers read it first.
type Message struct {
	Level Level
	Text  string
}

// Level is the colour of a badge, an alert or a chart, in addition to a text.
type Level string

// The levels, which are classes of the stylesheet.
const (
	Good    Level = "good"
	Warning Level = "warning"
	Bad     Level = "bad"
)

// view is the data of the layout.
type view struct {
	Page
	Name, Home, Notice, Theme string
	Address                   string // canonical
	Footer                    []Link
}

// policy returns a Content-Security-Policy that allows only the site's own files.
func policy(formTargets []string) string {
	forms := strings.Join(append([]string{"'self'"}, formTargets...), " ")
	return "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
		"form-action " + forms + "; base-uri 'none'; frame-ancestors 'none'"
}

// Address returns the address of a path of the site for other machines.
func (s *Site) Address(path string) string { return s.options.PublicURL + path }

// Write writes the page of the template file <name>.html, or nothing if rendering fails.
// Cache-Control is no-store unless the caller has set it.
func (s *Site) Write(w http.ResponseWriter, r *http.Request, status int, name string, p Page) error {
	return s.execute(w, r, status, name, "layout.html", s.view(r, p))
}

func (s *Site) view(r *http.Request, p Page) view {
	p.Navigation = s.navigation(r, p.Navigation)
	o := s.options
	return view{
		Page: p, Name: o.Name, Home: o.Home, Notice: o.Notice, Theme: o.Theme, Footer: footer(o.Legal),
		Address: o.PublicURL + cmp.Or(p.Canonical, r.URL.EscapedPath()),
	}
}

// WriteFragment writes one template of a page without the layout, for scripts.
func (s *Site) WriteFragment(w http.ResponseWriter, r *http.Request, status int, name, block string, data any) error {
	return s.execute(w, r, status, name, block, data)
}

func (s *Site) execute(w http.ResponseWriter, r *http.Request, status int, name, block string, data any) error {
	body, err := s.render(name, block, data)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	s.setHeaders(w.Header())
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // fails if the client has disconnected
	}
	return nil
}

func (s *Site) render(name, block string, data any) ([]byte, error) {
	page, ok := s.pages[name]
	if !ok {
		return nil, fmt.Errorf("no page %q", name)
	}
	var body bytes.Buffer
	if err := page.ExecuteTemplate(&body, block, data); err != nil {
		return nil, fmt.Errorf("make page %s: %w", name, err)
	}
	return body.Bytes(), nil
}

const pageType = "text/html; charset=utf-8"

// setHeaders sets the gateway's security headers for a service that runs without it. Package
// httpx sets nosniff.
func (s *Site) setHeaders(h http.Header) {
	h.Set("Content-Type", pageType)
	h.Set("Content-Security-Policy", s.policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	h.Set("X-Frame-Options", "DENY")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
}

func (s *Site) navigation(r *http.Request, links []Link) []Link {
	if links == nil && s.options.Navigation != nil {
		links = s.options.Navigation(r)
	}
	links = slices.Clone(links)
	for i := range links {
		if u, err := url.Parse(links[i].Href); err == nil && u.Path == r.URL.Path {
			links[i].Current = true
		}
	}
	return links
}

// Document is content that is the same for all clients. Caches revalidate it by its ETag.
type Document struct {
	content []byte
	header  http.Header
}

// NewDocument returns a Document of the content type.
func NewDocument(contentType string, content []byte) *Document {
	sum := sha256.Sum256(content)
	header := http.Header{}
	header.Set("Content-Type", contentType)
	header.Set("Cache-Control", "no-cache")
	header.Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	return &Document{content, header}
}

// ServeHTTP implements http.Handler.
func (d *Document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	maps.Copy(w.Header(), d.header)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.content))
}
