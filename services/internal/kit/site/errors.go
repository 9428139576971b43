package site

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"backend.example/services/internal/kit/fault"
)

// failure is what the error page shows.
type failure struct {
	Status     int
	Message    string
	RetryAfter time.Duration
	Again      string // address to try again at; empty when trying again is no use
	Home       string
}

// WriteError answers with the page for a failure, and reports whether the request
// is for one of the site's pages. Nothing is written when it is not. Where only a
// slash too many is in the way of a page, the answer leads to the path without it.
//
// A page whose source failed is 503, never 502 or 504: those are the gateway's own, which
// puts another page in their place.
func (s *Site) WriteError(w http.ResponseWriter, r *http.Request, status int, f *fault.Error) (bool, error) {
	if !s.owns(r.URL.Path) {
		return false, nil
	}
	if clean := path.Clean(r.URL.Path); status == http.StatusNotFound && clean != r.URL.Path {
		http.Redirect(w, r, (&url.URL{Path: clean, RawQuery: r.URL.RawQuery}).String(), http.StatusPermanentRedirect)
		return true, nil
	}
	if status == http.StatusBadGateway || status == http.StatusGatewayTimeout {
		status = http.StatusServiceUnavailable
		if f.RetryAfter == 0 {
			f = f.After(unavailableFor)
			w.Header().Set("Retry-After", seconds(f.RetryAfter))
		}
	}
	shown := failure{Status: status, Message: f.Message, RetryAfter: f.RetryAfter, Home: s.options.Home}
	if f.Code == "not_found" { // its own message speaks of a resource
		shown.Message = "Nie ma takiej strony."
	}
	if status >= http.StatusInternalServerError && r.Method == http.MethodGet {
		shown.Again = r.URL.RequestURI()
	}
	page := Page{Title: shown.Message, Data: shown}
	if s.options.Visitor != nil {
		page.Account, page.Links = s.options.Visitor(r)
	}
	return true, s.Write(w, r, status, errorPage, page)
}

// owns reports whether address is one of Options.Paths or below one.
func (s *Site) owns(address string) bool {
	for _, own := range s.options.Paths {
		if address == own || own != "/" && strings.HasPrefix(address, own+"/") {
			return true
		}
	}
	return false
}
