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
	"time"
)

// Page is the content of a page besides its template.
type Page struct {
	Title string // in the browser's tab, before the name of the site
	// Description is shown by search engines and previews of links. A page without one is kept
	// out of search engines.
	Description string
	Canonical   string   // path of the page if it has several addresses; empty for that of the request
	Message     *Message // at the top of the page; its text begins the title; may be nil
	Scripts     []string // static files, run in this order after the page has loaded
	Account     any      // data of the template "account"; nil leaves it out
	Navigation  []Link   // in the header; if it is nil, Options.Visitor returns it and Account
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

// view is the data of layout.html.
type view struct {
	Page
	Name, Home, Notice, Theme string // of Options
	Address                   string // canonical address of the page
	Footer                    []Link
}

// Address returns the absolute URL of a path of the site, or the path without Options.PublicURL.
func (s *Site) Address(path string) string { return s.options.PublicURL + path }

// Write writes the page of the template file <name>.html, or nothing if rendering fails.
// Cache-Control is no-store unless the caller has set it.
func (s *Site) Write(w http.ResponseWriter, r *http.Request, status int, name string, p Page) error {
	o := s.options
	if p.Navigation == nil && o.Visitor != nil {
		p.Account, p.Navigation = o.Visitor(r)
	}
	p.Navigation = slices.Clone(p.Navigation)
	for i, link := range p.Navigation {
		u, _ := url.Parse(link.Href)
		p.Navigation[i].Current = u != nil && u.Path == r.URL.Path
	}
	return s.WriteFragment(w, r, status, name, "layout.html", view{
		Page: p, Name: o.Name, Home: o.Home, Notice: o.Notice, Theme: o.Theme, Footer: s.footer(),
		Address: o.PublicURL + cmp.Or(p.Canonical, r.URL.EscapedPath()),
	})
}

func (s *Site) footer() (links []Link) {
	l := s.options.Legal
	if l.Privacy != nil {
		links = append(links, Link{Href: l.Privacy.String(), Text: "Polityka prywatności"})
	}
	if l.Terms != nil {
		links = append(links, Link{Href: l.Terms.String(), Text: "Regulamin"})
	}
	if l.Contact != "" {
		links = append(links, Link{Href: l.ContactHref(), Text: "Kontakt"})
	}
	return links
}

// WriteFragment writes block, one template of the page name, without the layout, for scripts. It
// sets the same security headers as the gateway, because a service may run without one. Only
// X-Content-Type-Options is missing, which package httpx sets.
func (s *Site) WriteFragment(w http.ResponseWriter, r *http.Request, status int, name, block string, data any) error {
	page, ok := s.pages[name]
	if !ok {
		return fmt.Errorf("no page %q", name)
	}
	var body bytes.Buffer
	if err := page.ExecuteTemplate(&body, block, data); err != nil {
		return fmt.Errorf("make page %s: %w", name, err)
	}
	h := w.Header()
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", s.policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", cmp.Or(h.Get("Cache-Control"), "no-store"))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = body.WriteTo(w) // fails if the client has disconnected
	}
	return nil
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
