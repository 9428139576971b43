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
	"net"
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

// chosen lists the sites of the query's parameter site, or all without it. A wrong
// name is answered.
func (c *Control) chosen(w http.ResponseWriter, r *http.Request) ([]Mounted, bool) {
	name := r.URL.Query().Get("site")
	if name == "" {
		return c.sites, true
	}
	for _, site := range c.sites {
		if site.Name == name {
			return []Mounted{site}, true
		}
	}
	sendFailure(w, unknown{"site", name, c.names(every)})
	return nil, false
}

// listRequests answers {"count", "requests"}, oldest first.
func (c *Control) listRequests(w http.ResponseWriter, r *http.Request) {
	sites, ok := c.chosen(w, r)
	if !ok {
		return
	}
	requests := []upstream.Request{}
	for _, site := range sites {
		requests = append(requests, site.Requests()...)
	}
	slices.SortStableFunc(requests, func(a, b upstream.Request) int { return a.ArrivedAt.Compare(b.ArrivedAt) })
	sendJSON(w, http.StatusOK, map[string]any{"count": len(requests), "requests": requests})
}

func (c *Control) clearRequests(w http.ResponseWriter, _ *http.Request) {
	for _, site := range c.sites {
		site.ClearRequests()
	}
	w.WriteHeader(http.StatusNoContent)
}

// listSecrets answers {"count", "forgotten", "secrets"}, oldest first. Clients on other
// machines are refused, also where the sandbox listens for them.
func (c *Control) listSecrets(w http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		sendJSON(w, http.StatusForbidden, failure{Error: "issued secrets are shown on this machine only"})
		return
	}
	sites, ok := c.chosen(w, r)
	if !ok {
		return
	}
	secrets, forgotten := []upstream.Secret{}, 0
	for _, site := range sites {
		if site.Secrets != nil {
			list, dropped := site.Secrets.List()
			secrets, forgotten = append(secrets, list...), forgotten+dropped
		}
	}
	slices.SortStableFunc(secrets, func(a, b upstream.Secret) int { return a.IssuedAt.Compare(b.IssuedAt) })
	sendJSON(w, http.StatusOK, map[string]any{"count": len(secrets), "forgotten": forgotten, "secrets": secrets})
}

type siteFault struct {
	Site  string          `json:"site"`
	Fault *upstream.Fault `json:"fault"` // null: none
}

func (c *Control) listFaults(w http.ResponseWriter, _ *http.Request) {
	list := []siteFault{}
	for _, site := range c.sites {
		list = append(list, siteFault{site.Name, site.Injector.Fault()})
	}
	sendJSON(w, http.StatusOK, map[string][]siteFault{"faults": list})
}

// setFault takes a fault in any content type, so that a plain curl -d works.
func setFault(site Mounted, r *http.Request) (any, error) {
	fault, err := upstream.ReadFault(r.Body)
	if err == nil {
		err = site.Injector.Set(fault)
	}
	return siteFault{site.Name, &fault}, err
}

func clearFault(site Mounted, _ *http.Request) (any, error) {
	site.ClearFault()
	return nil, nil
}

func showToggles(site Mounted, _ *http.Request) (any, error) {
	return map[string]any{"site": site.Name, "toggles": site.Toggles.Values()}, nil
}

func setToggles(site Mounted, r *http.Request) (any, error) {
	if err := site.Toggles.Set(r.Body); err != nil {
		return nil, err
	}
	return showToggles(site, r)
}

func showState(site Mounted, _ *http.Request) (any, error) {
	return map[string]any{"site": site.Name, "state": site.State()}, nil
}

// resetState makes a site as it was at the start, its toggles too.
func resetState(site Mounted, _ *http.Request) (any, error) {
	site.Reset()
	if hasToggles(site) {
		site.Toggles.Reset()
	}
	return nil, nil
}

// act does one of the site's actions and answers what it returns.
func act(site Mounted, r *http.Request) (any, error) {
	missing := unknown{what: "action", name: r.PathValue("action")}
	for _, action := range site.Actions {
		if action.Name == missing.name {
			return action.Do(r.Body)
		}
		missing.allowed = append(missing.allowed, action.Name)
	}
	return nil, missing
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
