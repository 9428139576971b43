package site

import (
	"math"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"backend.example/services/internal/kit/fault"
)

// codeNotFound is the code of an unknown path, which package httpx also uses.
const codeNotFound = "not_found"

// failure is the data of the error page.
type failure struct {
	Status     int
	Message    string
	RetryAfter time.Duration // 0 if it is unknown
	Again      bool          // offers a retry; with RetryAfter, the page retries by itself
	Home       string
}

// WriteError writes the error page and returns true, or writes nothing and returns false if
// the request is not for one of the site's pages. A browser gets a page for an unknown path
// outside /api, too. An unknown path with superfluous slashes is redirected to the path without
// them. 502 and 504 become 503, because the gateway would send the request to another server.
func (s *Site) WriteError(w http.ResponseWriter, r *http.Request, status int, f *fault.Error) (bool, error) {
	if !s.owns(r.URL.Path) && !isLostBrowser(r, f) {
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
	if f.Code == codeNotFound { // the message is for programs
		shown.Message = "Nie ma takiej strony."
	}
	if status >= http.StatusInternalServerError && r.Method == http.MethodGet {
		shown.Again = true
	}
	page := Page{Title: shown.Message, Data: shown}
	if shown.Again && shown.RetryAfter > 0 {
		page.Scripts = []string{"retry.js"}
	}
	return true, s.Write(w, r, status, "error", page)
}

func (s *Site) owns(address string) bool {
	for _, own := range s.options.Paths {
		isBelow := own != "/" && strings.HasPrefix(address, own+"/")
		if address == own || isBelow {
			return true
		}
	}
	return false
}

// isLostBrowser reports whether a browser requested an unknown path outside /api.
func isLostBrowser(r *http.Request, f *fault.Error) bool {
	isAPI := r.URL.Path == "/api" || strings.HasPrefix(r.URL.Path, "/api/")
	return f.Code == codeNotFound && acceptsHTML(r) && !isAPI
}

func acceptsHTML(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

// unavailableFor is the Retry-After of a failure whose duration is unknown.
const unavailableFor = 5 * time.Second

// seconds returns delay-seconds (RFC 9110, section 10.2.3), rounded up.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }
