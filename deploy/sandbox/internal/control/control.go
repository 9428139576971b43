// Package control owns the address from which people and tests steer the
// sandbox: the overview page, the health answer, the request log, the faults, the
// knobs and memories of the stand-ins and the register of issued secrets. It
// plays no outside site.
//
// Every JSON failure is {"error": string} with "allowed": [string] where a name
// in the address was wrong.
package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"

	"backend.example/deploy/sandbox/internal/faults"
	"backend.example/deploy/sandbox/internal/issued"
	"backend.example/deploy/sandbox/internal/requestlog"
	"backend.example/deploy/sandbox/internal/standin"
)

// Mounted is a stand-in with the base URL at which it listens.
type Mounted struct {
	standin.StandIn
	URL string // no trailing slash
}

// Control answers on the control address.
type Control struct {
	url     string
	sites   []Mounted
	board   *faults.Board
	log     *requestlog.Log
	secrets *issued.Register
	page    *template.Template
}

// New wires the control address, itself reachable at url.
func New(url string, sites []Mounted, board *faults.Board, log *requestlog.Log, secrets *issued.Register) *Control {
	return &Control{url: url, sites: sites, board: board, log: log, secrets: secrets, page: pageTemplate()}
}

// Handler is the whole URL map. State changes that a browser sends from
// another origin are refused.
func (c *Control) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", c.showPage)
	mux.HandleFunc("GET /healthz", c.showHealth)
	mux.HandleFunc("GET /requests", c.listRequests)
	mux.HandleFunc("DELETE /requests", c.clearRequests)
	mux.HandleFunc("GET /faults", c.listFaults)
	mux.HandleFunc("DELETE /faults", c.clearFaults)
	mux.HandleFunc("GET /faults/{site}", c.showFault)
	mux.HandleFunc("PUT /faults/{site}", c.setFault)
	mux.HandleFunc("DELETE /faults/{site}", c.clearFault)
	mux.HandleFunc("GET /knobs", c.listKnobs)
	mux.HandleFunc("GET /knobs/{site}", c.showKnobs)
	mux.HandleFunc("PUT /knobs/{site}", c.setKnobs)
	mux.HandleFunc("DELETE /knobs/{site}", c.resetKnobs)
	mux.HandleFunc("GET /state/{site}", c.showState)
	mux.HandleFunc("DELETE /state/{site}", c.forgetState)
	mux.HandleFunc("POST /state/{site}/{action}", c.changeState)
	mux.HandleFunc("GET /issued", c.listIssued)
	return http.NewCrossOriginProtection().Handler(mux)
}

func (c *Control) showHealth(w http.ResponseWriter, _ *http.Request) {
	sendJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

type failure struct {
	Error   string   `json:"error"`
	Allowed []string `json:"allowed,omitempty"`
}

// absent tells that a name in the address is none of the allowed ones.
type absent struct {
	what, name string
	allowed    []string
}

func (a absent) Error() string { return fmt.Sprintf("unknown %s: %q", a.what, a.name) }

// sendFailure answers 404 with the allowed names for an unknown name, else 400.
func (c *Control) sendFailure(w http.ResponseWriter, err error) {
	var missing absent
	switch {
	case errors.As(err, &missing):
		sendJSON(w, http.StatusNotFound, failure{Error: err.Error(), Allowed: missing.allowed})
	case errors.Is(err, faults.ErrUnknownSite):
		sendJSON(w, http.StatusNotFound, failure{Error: err.Error(), Allowed: c.board.Names()})
	default:
		sendJSON(w, http.StatusBadRequest, failure{Error: err.Error()})
	}
}

// site returns the stand-in that the address names, if it is one that has what is
// asked for.
func (c *Control) site(r *http.Request, has func(Mounted) bool) (Mounted, error) {
	missing := absent{what: "site", name: r.PathValue("site")}
	for _, site := range c.sites {
		switch name := site.Site.Name; {
		case !has(site):
		case name == missing.name:
			return site, nil
		default:
			missing.allowed = append(missing.allowed, name)
		}
	}
	return Mounted{}, missing
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
