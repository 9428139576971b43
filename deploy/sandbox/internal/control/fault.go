package control

import (
	"net/http"

	"backend.example/deploy/sandbox/internal/faults"
)

// siteFault is {"site": string, "fault": object or null}.
type siteFault struct {
	Site  string        `json:"site"`
	Fault *faults.Fault `json:"fault"`
}

// listFaults answers {"faults": [{"site", "fault"}]}, one entry per site.
func (c *Control) listFaults(w http.ResponseWriter, _ *http.Request) {
	list := make([]siteFault, 0, len(c.sites))
	for _, name := range c.board.Names() {
		fault, err := c.board.Get(name)
		if err != nil {
			c.sendFailure(w, err)
			return
		}
		list = append(list, siteFault{Site: name, Fault: fault})
	}
	sendJSON(w, http.StatusOK, map[string][]siteFault{"faults": list})
}

func (c *Control) clearFaults(w http.ResponseWriter, _ *http.Request) {
	for _, name := range c.board.Names() {
		if err := c.board.Clear(name); err != nil {
			c.sendFailure(w, err)
			return
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

func (c *Control) showFault(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("site")
	fault, err := c.board.Get(name)
	if err != nil {
		c.sendFailure(w, err)
		return
	}
	sendJSON(w, http.StatusOK, siteFault{Site: name, Fault: fault})
}

// setFault takes a fault in any content type, so that a plain curl -d works.
func (c *Control) setFault(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("site")
	fault, err := faults.Decode(r.Body)
	if err == nil {
		err = c.board.Set(name, fault)
	}
	if err != nil {
		c.sendFailure(w, err)
		return
	}
	sendJSON(w, http.StatusOK, siteFault{Site: name, Fault: &fault})
}

func (c *Control) clearFault(w http.ResponseWriter, r *http.Request) {
	if err := c.board.Clear(r.PathValue("site")); err != nil {
		c.sendFailure(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
