package control

import (
	"net"
	"net/http"
	"slices"

	"backend.example/deploy/sandbox/upstream"
)

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
