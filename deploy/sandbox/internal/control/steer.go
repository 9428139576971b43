package control

import (
	"net/http"

	"backend.example/deploy/sandbox/upstream"
)

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
