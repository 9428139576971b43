package control

import (
	"fmt"
	"net/http"
	"slices"

	"backend.example/deploy/sandbox/internal/faults"
	"backend.example/deploy/sandbox/internal/requestlog"
)

// requestList is {"count": integer, "requests": [entry]}, oldest first.
type requestList struct {
	Count    int                `json:"count"`
	Requests []requestlog.Entry `json:"requests"`
}

// listRequests answers the log, of one site when ?site= names it.
func (c *Control) listRequests(w http.ResponseWriter, r *http.Request) {
	site := r.URL.Query().Get("site")
	if site != "" && !slices.Contains(c.board.Names(), site) {
		c.sendFailure(w, fmt.Errorf("%w: %q", faults.ErrUnknownSite, site))
		return
	}
	entries := c.log.Entries(site)
	sendJSON(w, http.StatusOK, requestList{Count: len(entries), Requests: entries})
}

func (c *Control) clearRequests(w http.ResponseWriter, _ *http.Request) {
	c.log.Clear()
	w.WriteHeader(http.StatusNoContent)
}
