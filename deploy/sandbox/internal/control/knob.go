package control

import "net/http"

// siteKnobs is {"site": string, "knobs": {name: boolean, number or list}}.
type siteKnobs struct {
	Site  string         `json:"site"`
	Knobs map[string]any `json:"knobs"`
}

func hasKnobs(site Mounted) bool { return site.Knobs != nil }

func knobsOf(site Mounted) siteKnobs {
	return siteKnobs{Site: site.Site.Name, Knobs: site.Knobs.Values()}
}

// listKnobs answers {"knobs": [{"site", "knobs"}]}, one entry per site that has any.
func (c *Control) listKnobs(w http.ResponseWriter, _ *http.Request) {
	list := []siteKnobs{}
	for _, site := range c.sites {
		if hasKnobs(site) {
			list = append(list, knobsOf(site))
		}
	}
	sendJSON(w, http.StatusOK, map[string][]siteKnobs{"knobs": list})
}

func (c *Control) showKnobs(w http.ResponseWriter, r *http.Request) {
	site, err := c.site(r, hasKnobs)
	if err != nil {
		c.sendFailure(w, err)
		return
	}
	sendJSON(w, http.StatusOK, knobsOf(site))
}

// setKnobs changes the knobs that the body names, and answers all of them.
func (c *Control) setKnobs(w http.ResponseWriter, r *http.Request) {
	site, err := c.site(r, hasKnobs)
	if err == nil {
		err = site.Knobs.Set(r.Body)
	}
	if err != nil {
		c.sendFailure(w, err)
		return
	}
	sendJSON(w, http.StatusOK, knobsOf(site))
}

func (c *Control) resetKnobs(w http.ResponseWriter, r *http.Request) {
	site, err := c.site(r, hasKnobs)
	if err != nil {
		c.sendFailure(w, err)
		return
	}
	site.Knobs.Reset()
	w.WriteHeader(http.StatusNoContent)
}
