package site

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strconv"
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

// StandInPath is where a gateway asks for the body of an answer that it makes itself,
// with the status behind it; what stands behind "kod/" has the other form for programs.
const StandInPath = "/niedostepne/"

// ServeStandIn answers GET /niedostepne/{status} and /niedostepne/kod/{status}: a page
// for browsers, and for programs {"success": false, "error"}, or {"error", "code"}. The
// gateway sets the status; here it is 200, since nothing has failed in this service.
func (s *Site) ServeStandIn(w http.ResponseWriter, r *http.Request) error {
	form, last := path.Split(r.URL.Path)
	status, _ := strconv.Atoi(last) // none is 0
	f := standIn(status)
	if f == nil || form != StandInPath && form != StandInPath+"kod/" {
		return fault.New(fault.NotFound, "not_found", "Nie znaleziono zasobu.")
	}
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Retry-After", seconds(f.RetryAfter))
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		return s.Write(w, r, http.StatusOK, errorPage, Page{
			Title: f.Message, Data: failure{Status: status, Message: f.Message, Home: s.options.Home},
		})
	}
	header.Set("Content-Type", "application/json")
	if form == StandInPath {
		return json.NewEncoder(w).Encode(struct {
			Success bool   `json:"success"` // false
			Error   string `json:"error"`
		}{Error: f.Message})
	}
	return json.NewEncoder(w).Encode(struct {
		Error string `json:"error"`
		Code  string `json:"code"`
	}{f.Message, f.Code})
}

// standIn is what a status of the gateway means; nil: it makes no such answer.
func standIn(status int) *fault.Error {
	switch status {
	case http.StatusTooManyRequests:
		return fault.New(fault.Limited, "too_many_requests", "Zbyt wiele żądań w krótkim czasie. Spróbuj ponownie za chwilę.").After(time.Second)
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return fault.New(fault.Unavailable, "service_unavailable", "Ta część serwisu jest chwilowo niedostępna. Spróbuj ponownie za chwilę.").After(unavailableFor)
	default:
		return nil
	}
}

// unavailableFor is when to try again what is gone for an unknown time.
const unavailableFor = 5 * time.Second

// seconds gives delay-seconds (RFC 9110, section 10.2.3) of whole seconds.
func seconds(d time.Duration) string { return strconv.Itoa(int(d.Seconds())) }
