package site

import (
	"encoding/xml"
	"net/http"
	"time"
)

// ServeIcon serves /favicon.ico, for clients that ignore the icon of the page.
func (s *Site) ServeIcon(w http.ResponseWriter, r *http.Request) {
	icon := s.assets["icon.svg"]
	w.Header().Set("Content-Type", icon.contentType)
	w.Header().Set("Cache-Control", "public, max-age=86400")
	if r.Method != http.MethodHead {
		_, _ = w.Write(icon.content) // fails if the client has disconnected
	}
}

// maxSitemap is from sitemaps.org/protocol.html.
const maxSitemap = 50_000

// Sitemap returns a sitemap of the first maxSitemap paths.
func (s *Site) Sitemap(paths []string) ([]byte, error) {
	type address struct {
		Loc string `xml:"loc"`
	}
	var all []address
	for _, path := range paths[:min(len(paths), maxSitemap)] {
		all = append(all, address{s.options.PublicURL + path})
	}
	content, err := xml.Marshal(struct {
		XMLName xml.Name  `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []address `xml:"url"`
	}{URLs: all})
	return append([]byte(xml.Header), content...), err
}

// SecurityText returns the file /.well-known/security.txt (RFC 9116), which expires in a
// year, or "" if the operator has given no contact.
func (s *Site) SecurityText(now time.Time) string {
	if s.options.Legal.Contact == "" {
		return ""
	}
	expires := now.AddDate(1, 0, 0).UTC().Truncate(24 * time.Hour).Format(time.RFC3339)
	return "Contact: " + s.options.Legal.ContactHref() + "\n" +
		"Expires: " + expires + "\n" +
		"Preferred-Languages: pl, en\n" +
		"Canonical: " + s.options.PublicURL + "/.well-known/security.txt\n"
}
