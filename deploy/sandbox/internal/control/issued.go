package control

import (
	"net"
	"net/http"
	"slices"

	"backend.example/deploy/sandbox/internal/issued"
)

// issuedList is {"count", "forgotten": integer, "secrets": [secret]}, oldest first.
type issuedList struct {
	Count     int             `json:"count"`
	Forgotten int             `json:"forgotten"` // older ones, dropped over all sites
	Secrets   []issued.Secret `json:"secrets"`
}

// listIssued answers every secret that the stand-ins gave out, of one site when
// ?site= names it. Clients on other machines are refused, also where the sandbox
// listens for them.
func (c *Control) listIssued(w http.ResponseWriter, r *http.Request) {
	if !fromLoopback(r) {
		sendJSON(w, http.StatusForbidden, failure{Error: "issued secrets are shown on this machine only"})
		return
	}
	site := r.URL.Query().Get("site")
	if names := c.board.Names(); site != "" && !slices.Contains(names, site) {
		c.sendFailure(w, absent{what: "site", name: site, allowed: names})
		return
	}
	secrets, forgotten := c.secrets.List(site)
	sendJSON(w, http.StatusOK, issuedList{Count: len(secrets), Forgotten: forgotten, Secrets: secrets})
}

func fromLoopback(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
