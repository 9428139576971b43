// Package places fakes the public places: the Places API (New), version 1, with its
// text search and the details of one place. The paths are those of the real host. It
// is strict where the real one is: a key in its header, a field mask, and nothing in
// an answer that the mask does not name.
package places

import (
	"crypto/subtle"
	"net/http"

	"backend.example/deploy/sandbox/internal/googleapi"
	"backend.example/deploy/sandbox/upstream"
)

// Name is the site's name on the control address.
const Name = "places"

// service is the host name, as errors tell it.
const service = "places.googleapis.com"

// The toggles of the site.
const (
	toggleEmpty           = "empty_lists"
	toggleRenewedIDs      = "renewed_ids"
	toggleQuotaExceeded   = "quota_exceeded"
	toggleServiceDisabled = "service_disabled"
)

// usualQuota is the limit per minute of a project, and quotaWait how many seconds one
// over it is told to wait.
const (
	usualQuota = 600
	quotaWait  = 30
)

// Options are what the fake depends on.
type Options struct {
	APIKey string // the only one that opens it
}

type site struct {
	key     string
	toggles *upstream.Toggles
	counter *upstream.Counter
}

// New returns the fake.
func New(options Options) *upstream.Fake {
	s := &site{key: options.APIKey, counter: upstream.NewCounter("requests", "refusals"), toggles: upstream.NewToggles(
		upstream.Toggle{Name: toggleEmpty, Off: false, Text: "wyszukiwanie niczego nie znajduje: {}"},
		upstream.Toggle{Name: toggleRenewedIDs, Off: false, Text: "miejsca mają nowe identyfikatory, a dawne odpowiadają 404"},
		upstream.Toggle{Name: toggleQuotaExceeded, Off: false, Text: "429 z limitem 600 i Retry-After 30"},
		upstream.Toggle{Name: toggleServiceDisabled, Off: false, Text: "403 SERVICE_DISABLED"},
	)}
	return upstream.New(upstream.Site{
		Name: Name, Title: "Publiczne wizytówki (places)", Handler: s.handler(), Toggles: s.toggles,
		State: func() any { return map[string]any{"counts": s.counter.Counts()} },
		Reset: s.counter.Clear,
	})
}

// handler is the whole URL map.
func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/places:searchText", s.guard("SearchText", s.searchText))
	mux.HandleFunc("GET /v1/places/{place}", s.guard("GetPlace", s.showPlace))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { // as the host does for paths that the API does not have
		http.Error(w, "<!DOCTYPE html>\n<html lang=en>\n<title>Error 404 (Not Found)!!1</title>", http.StatusNotFound)
	})
	return mux
}

// endpoint answers a request with a body to send, or an error that is a
// googleapi.Refusal.
type endpoint func(r *http.Request) (any, error)

// guard lets requests with the key through to a method of the API.
func (s *site) guard(method string, next endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.counter.Add("requests", method)
		var body any
		err := s.admit(r, method)
		if err == nil {
			body, err = next(r)
		}
		if err != nil {
			refusal := googleapi.Refused(err)
			s.counter.Add("refusals", refusal.Name())
			refusal.Send(w)
			return
		}
		googleapi.SendJSON(w, http.StatusOK, body)
	}
}

// admit checks the key and the project behind it. The API would take a key from the
// address as well; here it must not stand where logs keep it.
func (s *site) admit(r *http.Request, method string) error {
	key := r.Header.Get("X-Goog-Api-Key")
	switch {
	case key == "":
		return googleapi.Refusal{
			HTTP: http.StatusForbidden, Status: "PERMISSION_DENIED",
			Message: "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
		}
	case subtle.ConstantTimeCompare([]byte(key), []byte(s.key)) != 1:
		refusal := googleapi.Invalid("API key not valid. Please pass a valid API key.")
		refusal.Reason, refusal.Facts = "API_KEY_INVALID", map[string]string{"service": service}
		return refusal
	case s.toggles.On(toggleServiceDisabled):
		return googleapi.Disabled(service)
	case s.toggles.On(toggleQuotaExceeded):
		return googleapi.Exhausted(service, service+"/"+method+"Request", usualQuota, quotaWait)
	}
	return nil
}
