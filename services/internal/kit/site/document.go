package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"time"
)

// Document is a page that is the same for everybody. It is made once, and caches
// may keep it as long as its ETag is current.
type Document struct {
	site *Site
	html []byte
	etag string
}

// Document makes the page at path as nobody in particular sees it.
func (s *Site) Document(path, name string, p Page) (*Document, error) {
	html, err := s.render(name, "layout.html", s.view(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}}, p))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(html)
	return &Document{site: s, html: html, etag: `"` + hex.EncodeToString(sum[:8]) + `"`}, nil
}

// ServeHTTP implements http.Handler.
func (d *Document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", d.etag)
	d.site.setHeaders(w.Header(), len(d.html))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.html))
}
