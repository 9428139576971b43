// Package control owns the address from which people and tests steer the sandbox: the
// admin page, the health answer, and per site the requests, the fault, the toggles,
// the state and the secrets that were given out.
//
// Every JSON failure is {"error": string} with "allowed": [string] where a name in the
// address was wrong.
package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"backend.example/deploy/sandbox/upstream"
)

// Mounted is a fake with the base URL at which it listens.
type Mounted struct {
	*upstream.Fake
	URL string // no trailing slash
}

// Control answers on the control address.
type Control struct {
	url   string
	sites []Mounted
}

// New wires the control address, itself reachable at url.
func New(url string, sites []Mounted) *Control { return &Control{url: url, sites: sites} }

// Handler is the whole URL map. State changes that a browser sends from another origin
// are refused.
func (c *Control) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", c.showPage)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /requests", c.listRequests)
	mux.HandleFunc("DELETE /requests", c.clearRequests)
	mux.HandleFunc("GET /issued", c.listSecrets)
	mux.HandleFunc("GET /faults", c.listFaults)
	mux.HandleFunc("PUT /faults/{site}", c.on(every, setFault))
	mux.HandleFunc("DELETE /faults/{site}", c.on(every, clearFault))
	mux.HandleFunc("GET /toggles/{site}", c.on(hasToggles, showToggles))
	mux.HandleFunc("PUT /toggles/{site}", c.on(hasToggles, setToggles))
	mux.HandleFunc("GET /state/{site}", c.on(hasState, showState))
	mux.HandleFunc("DELETE /state/{site}", c.on(hasState, resetState))
	mux.HandleFunc("POST /state/{site}/{action}", c.on(hasState, act))
	return http.NewCrossOriginProtection().Handler(mux)
}

func every(Mounted) bool           { return true }
func hasToggles(site Mounted) bool { return site.Toggles != nil }
func hasState(site Mounted) bool   { return site.State != nil }

// on finds the site that the address names, among those that have what is asked for,
// and sends what answer returns: a body, nothing with 204, or an error.
func (c *Control) on(has func(Mounted) bool, answer func(Mounted, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("site")
		i := slices.IndexFunc(c.sites, func(site Mounted) bool { return site.Name == name && has(site) })
		if i < 0 {
			sendFailure(w, unknown{"site", name, c.names(has)})
			return
		}
		body, err := answer(c.sites[i], r)
		switch {
		case err != nil:
			sendFailure(w, err)
		case body == nil:
			w.WriteHeader(http.StatusNoContent)
		default:
			sendJSON(w, http.StatusOK, body)
		}
	}
}

func (c *Control) names(has func(Mounted) bool) []string {
	var names []string
	for _, site := range c.sites {
		if has(site) {
			names = append(names, site.Name)
		}
	}
	return names
}

type failure struct {
	Error   string   `json:"error"`
	Allowed []string `json:"allowed,omitempty"`
}

// unknown tells that a name in the address is none of the allowed ones.
type unknown struct {
	what, name string
	allowed    []string
}

func (u unknown) Error() string { return fmt.Sprintf("unknown %s: %q", u.what, u.name) }

// sendFailure answers 404 with the allowed names for an unknown name, else 400.
func sendFailure(w http.ResponseWriter, err error) {
	var u unknown
	if errors.As(err, &u) {
		sendJSON(w, http.StatusNotFound, failure{err.Error(), u.allowed})
		return
	}
	sendJSON(w, http.StatusBadRequest, failure{Error: err.Error()})
}

// sendJSON writes an answer; a client that is gone needs no error.
func sendJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body)
}
