package site

import (
	"encoding/json"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"backend.example/services/internal/kit/fault"
)

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
