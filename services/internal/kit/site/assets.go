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
		digest := sha256.Sum256(content)
		base, ext := path.Base(name), path.Ext(name)
		stem := strings.TrimSuffix(base, ext)
		url := fmt.Sprintf("%s/%s.%x%s", s.options.Prefix, stem, digest[:6], ext)
		s.assets[base] = asset{url, contentType(ext), content}
	}
	return nil
}

// contentType returns the media type of a file extension. Those of the site's own files do not depend on the type
// table of the machine.
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

// ServeAsset serves the paths below Options.Prefix. While replicas of two versions run, a page of
// the other version may request a file with another digest. It gets the file of this version,
// which must not be cached.
func (s *Site) ServeAsset(w http.ResponseWriter, r *http.Request) error {
	a, ok := s.assets[plainName(path.Base(r.URL.Path))]
	if !ok {
		return fault.New(fault.NotFound, codeNotFound, "Nie znaleziono pliku.")
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
