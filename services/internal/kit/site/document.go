package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"time"
)

// Document is content that is the same for everybody. It is made once, and caches
// may keep it as long as its ETag is current.
type Document struct {
	content []byte
	header  http.Header
}

// NewDocument is a file of that type.
func NewDocument(contentType string, content []byte) *Document {
	sum := sha256.Sum256(content)
	header := http.Header{}
	header.Set("Content-Type", contentType)
	header.Set("Cache-Control", "no-cache")
	header.Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	return &Document{content, header}
}

// Document makes the page at path as nobody in particular sees it.
func (s *Site) Document(path, name string, p Page) (*Document, error) {
	html, err := s.render(name, "layout.html", s.view(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}}, p))
	if err != nil {
		return nil, err
	}
	d := NewDocument(pageType, html)
	s.setHeaders(d.header)
	return d, nil
}

// ServeHTTP implements http.Handler.
func (d *Document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	maps.Copy(w.Header(), d.header)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.content))
}
