// Package places plays the public places: the Places API (New), version 1, with
// its text search and the details of one place. The paths are those of the real
// host. It is strict where the real one is: a key in its header, a field mask, and
// nothing in an answer that the mask does not name.
//
// The facts of the places are those of package demo; who owns which business and
// what its owner wrote is for the stand-in of the profiles. Delays, cut
// connections and other faults of any site stay in faults.
package places

import (
	"crypto/subtle"
	"net/http"
	"time"

	"backend.example/deploy/sandbox/internal/faults"
	"backend.example/deploy/sandbox/internal/googleapi"
	"backend.example/deploy/sandbox/internal/knobs"
	"backend.example/deploy/sandbox/internal/standin"
	"backend.example/deploy/sandbox/internal/tally"
	"backend.example/deploy/sandbox/upstream"
)

// Name is the site's name on the control address.
const Name = "places"

// service is the host name, as errors tell it.
const service = "places.googleapis.com"

// Options are what the fake depends on.
type Options struct {
	APIKey string           // the only one that opens it
	Now    func() time.Time // nil: time.Now
}

type site struct {
	key   string
	now   func() time.Time
	knobs *knobs.Panel
	tally tally.Tally
}

// New returns the fake.
func New(options Options) *upstream.Fake {
	if options.Now == nil {
		options.Now = time.Now
	}
	s := &site{key: options.APIKey, now: options.Now, knobs: newPanel()}
	return upstream.New(standin.StandIn{
		Site:    faults.Site{Name: Name, Kinds: faults.Common()},
		Title:   "Publiczne wizytówki (places)",
		Handler: s.handler(),
		Knobs:   s.knobs,
		Memory:  memory{s},
	})
}

// handler is the whole URL map.
func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/places:searchText", s.guard("SearchText", s.searchText))
	mux.HandleFunc("GET /v1/places/{place}", s.guard("GetPlace", s.showPlace))
	mux.HandleFunc("/", showMissing)
	return mux
}

// showMissing answers a page, as the host does for paths that the API does not have.
func showMissing(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "<!DOCTYPE html>\n<html lang=en>\n<title>Error 404 (Not Found)!!1</title>", http.StatusNotFound)
}

// endpoint answers a request with a body to send, or an error that is a
// googleapi.Refusal.
type endpoint func(r *http.Request) (any, error)

// guard lets requests with the key through to a method of the API.
func (s *site) guard(method string, next endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.tally.Add(countRequests, method)
		var body any
		err := s.admit(r, method)
		if err == nil {
			body, err = next(r)
		}
		if err != nil {
			refusal := googleapi.Refused(err)
			s.tally.Add(countRefusals, refusal.Name())
			refusal.Send(w)
			return
		}
		googleapi.SendJSON(w, http.StatusOK, body)
	}
}

// admit checks the key and the project behind it. The API would take a key from
// the address as well; here it must not stand where logs keep it.
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
	}
	return s.checkProject(method)
}

// checkProject refuses what the operator of the key has to mend, or to wait for.
func (s *site) checkProject(method string) error {
	switch {
	case s.knobs.On(knobKeyBlocked):
		return googleapi.Refusal{
			HTTP: http.StatusForbidden, Status: "PERMISSION_DENIED", Reason: "API_KEY_SERVICE_BLOCKED",
			Message: "Requests to this API " + service + " method google.maps.places.v1.Places." + method + " are blocked.",
			Facts:   map[string]string{"service": service},
		}
	case s.knobs.On(knobServiceDisabled):
		return googleapi.Disabled(service)
	case s.knobs.On(knobQuotaExceeded):
		return googleapi.Exhausted(service, service+"/"+method+"Request", usualQuota, quotaWait)
	}
	return nil
}
