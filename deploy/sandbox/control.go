package main

import (
	_ "embed"
	"html/template"
	"net"
	"net/http"
	"slices"

	"backend.example/deploy/sandbox/fake"
)

// control steers the sandbox. Failures are {"error": string}, with "allowed": [string] for an unknown site.
type control struct {
	*site
	Sites []*site
}

//go:embed control.html
var controlHTML string

// handler is the whole URL map. State changes from a page of another origin are refused.
func (c *control) handler() http.Handler {
	page := template.Must(template.New("").Parse(controlHTML))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = page.Execute(w, c)
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		fake.SendJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /requests", c.listRequests)
	mux.HandleFunc("DELETE /requests", func(w http.ResponseWriter, _ *http.Request) {
		for _, site := range c.Sites {
			site.ClearRequests()
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /issued", c.listSecrets)
	mux.HandleFunc("GET /faults", func(w http.ResponseWriter, _ *http.Request) {
		list := []any{}
		for _, site := range c.Sites {
			list = append(list, map[string]any{"site": site.Name, "fault": site.Fault()})
		}
		fake.SendJSON(w, http.StatusOK, map[string]any{"faults": list})
	})
	mux.HandleFunc("PUT /faults/{site}", c.on(func(s *site, r *http.Request) (any, error) {
		fault, err := s.ReadFault(r.Body) // in any content type, so that a plain curl -d works
		return map[string]any{"site": s.Name, "fault": fault}, err
	}))
	mux.HandleFunc("DELETE /faults/{site}", c.on(func(s *site, _ *http.Request) (any, error) {
		s.ClearFault()
		return nil, nil
	}))
	mux.HandleFunc("GET /toggles/{site}", c.on(func(s *site, _ *http.Request) (any, error) {
		return map[string]any{"site": s.Name, "toggles": s.ToggleValues()}, nil
	}))
	mux.HandleFunc("PUT /toggles/{site}", c.on(func(s *site, r *http.Request) (any, error) {
		err := s.ReadToggles(r.Body)
		return map[string]any{"site": s.Name, "toggles": s.ToggleValues()}, err
	}))
	mux.HandleFunc("GET /state/{site}", c.on(func(s *site, _ *http.Request) (any, error) {
		return map[string]any{"site": s.Name, "state": map[string]any{"counts": s.Counts()}}, nil
	}))
	mux.HandleFunc("DELETE /state/{site}", c.on(func(s *site, _ *http.Request) (any, error) {
		s.Reset()
		return nil, nil
	}))
	mux.HandleFunc("POST /state/{site}/{action}", c.on(func(s *site, r *http.Request) (any, error) {
		ended, err := s.Act(r.PathValue("action"), r.Body)
		return map[string]int{"ended_tokens": ended}, err
	}))
	return http.NewCrossOriginProtection().Handler(mux)
}

// on calls answer with the site that the path names, and sends what it returns: a body, 204 for nil, or an error.
func (c *control) on(answer func(*site, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		sites, ok := c.find(w, r.PathValue("site"))
		if !ok {
			return
		}
		body, err := answer(sites[0], r)
		switch {
		case err != nil:
			fake.SendJSON(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		case body == nil:
			w.WriteHeader(http.StatusNoContent)
		default:
			fake.SendJSON(w, http.StatusOK, body)
		}
	}
}

// find returns the site with a name, or all sites if the name is empty. It sends the refusal of an unknown name
// itself, and returns false.
func (c *control) find(w http.ResponseWriter, name string) ([]*site, bool) {
	if name == "" {
		return c.Sites, true
	}
	allowed := []string{}
	for _, s := range c.Sites {
		if s.Name == name {
			return []*site{s}, true
		}
		allowed = append(allowed, s.Name)
	}
	fake.SendJSON(w, http.StatusNotFound, map[string]any{"error": "unknown site: " + name, "allowed": allowed})
	return nil, false
}

func (c *control) listRequests(w http.ResponseWriter, r *http.Request) {
	sites, ok := c.find(w, r.URL.Query().Get("site"))
	if !ok {
		return
	}
	requests := []fake.Request{}
	for _, site := range sites {
		requests = append(requests, site.Requests()...)
	}
	slices.SortStableFunc(requests, func(a, b fake.Request) int { return a.ArrivedAt.Compare(b.ArrivedAt) })
	fake.SendJSON(w, http.StatusOK, map[string]any{"count": len(requests), "requests": requests})
}

// listSecrets refuses clients on other machines, even if the sandbox listens for them.
func (c *control) listSecrets(w http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	if !net.ParseIP(host).IsLoopback() {
		fake.SendJSON(w, http.StatusForbidden,
			map[string]string{"error": "issued secrets are shown on this machine only"})
		return
	}
	sites, ok := c.find(w, r.URL.Query().Get("site"))
	if !ok {
		return
	}
	secrets, forgotten := []fake.Secret{}, 0
	for _, site := range sites {
		list, dropped := site.Secrets()
		secrets, forgotten = append(secrets, list...), forgotten+dropped
	}
	slices.SortStableFunc(secrets, func(a, b fake.Secret) int { return a.IssuedAt.Compare(b.IssuedAt) })
	fake.SendJSON(w, http.StatusOK, map[string]any{"count": len(secrets), "forgotten": forgotten, "secrets": secrets})
}
