package control

import (
	"io"
	"net/http"
)

const maxOptions = 16 << 10

// siteState is {"site": string, "state": object}; the site decides what the
// object holds.
type siteState struct {
	Site  string `json:"site"`
	State any    `json:"state"`
}

func hasMemory(site Mounted) bool { return site.Memory != nil }

func (c *Control) showState(w http.ResponseWriter, r *http.Request) {
	site, err := c.site(r, hasMemory)
	if err != nil {
		c.sendFailure(w, err)
		return
	}
	sendJSON(w, http.StatusOK, siteState{Site: site.Site.Name, State: site.Memory.State()})
}

// forgetState makes a site as it was at the start, its knobs too.
func (c *Control) forgetState(w http.ResponseWriter, r *http.Request) {
	site, err := c.site(r, hasMemory)
	if err != nil {
		c.sendFailure(w, err)
		return
	}
	site.Memory.Forget()
	if hasKnobs(site) {
		site.Knobs.Reset()
	}
	w.WriteHeader(http.StatusNoContent)
}

// changeState does one of the site's actions and answers what it returns.
func (c *Control) changeState(w http.ResponseWriter, r *http.Request) {
	site, err := c.site(r, hasMemory)
	if err != nil {
		c.sendFailure(w, err)
		return
	}
	missing := absent{what: "action", name: r.PathValue("action")}
	for _, action := range site.Memory.Actions() {
		if action.Name != missing.name {
			missing.allowed = append(missing.allowed, action.Name)
			continue
		}
		answer, err := action.Do(io.LimitReader(r.Body, maxOptions))
		if err != nil {
			c.sendFailure(w, err)
			return
		}
		sendJSON(w, http.StatusOK, answer)
		return
	}
	c.sendFailure(w, missing)
}
