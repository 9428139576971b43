package site

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"backend.example/services/internal/kit/fault"
)

// asset is a static file. Its URL contains a digest, so that browsers can cache it without limit.
type asset struct {
	url, contentType string
	content          []byte
}

func (s *Site) loadAssets(files fs.FS) error {
	names, _ := fs.Glob(files, "static/*.*") // only fails for malformed patterns
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return fmt.Errorf("static file: %w", err)
		}
		sum := sha256.Sum256(content)
		name, ext := path.Base(name), path.Ext(name)
		url := fmt.Sprintf("%s/%s.%x%s", s.options.Prefix, strings.TrimSuffix(name, ext), sum[:6], ext)
		s.assets[name] = asset{url, contentType(ext), content}
	}
	return nil
}

// contentType does not depend on the machine's table for the types of the site's own files.
func contentType(ext string) string {
	switch ext {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return mime.TypeByExtension(ext)
}

// AssetURL returns the URL of a static file, e.g. of "site.css".
func (s *Site) AssetURL(name string) (string, error) {
	a, ok := s.assets[name]
	if !ok {
		return "", fmt.Errorf("no static file %q", name)
	}
	return a.url, nil
}

// ServeAsset serves the paths below Options.Prefix. While replicas of two versions run, it may
// be requested a file of the other version, and serves its own with no-store.
func (s *Site) ServeAsset(w http.ResponseWriter, r *http.Request) error {
	a, ok := s.assets[plainName(path.Base(r.URL.Path))]
	if !ok {
		return fault.New(fault.NotFound, "not_found", "Nie znaleziono pliku.")
	}
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("Cache-Control", "no-store")
	if r.URL.Path == a.url {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if r.Method != http.MethodHead {
		_, _ = w.Write(a.content) // fails if the client has disconnected
	}
	return nil
}

// plainName turns site.0a1b2c.css into site.css.
func plainName(name string) string {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	return strings.TrimSuffix(stem, path.Ext(stem)) + ext
}
