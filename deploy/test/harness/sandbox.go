package harness

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

// Sandbox contains the base addresses of the program that fakes the providers and the sources.
type Sandbox struct {
	Control    string // where the tests set faults and read what was requested
	Benchmark  string
	Aggregator string
	Search     string
	Places     string
	Social     string
}

// The credentials of the app at the fake providers.
const (
	clientID     = "e2e-client"
	ClientSecret = "e2e-client-secret-7Jq2" // #nosec G101 -- of a fake provider
	PlacesKey    = "e2e-places-key-9Xw4"
)

// startSandbox runs a sandbox whose consent pages redirect the browser to base.
func startSandbox(t *testing.T, base string) Sandbox {
	t.Helper()
	env := []string{
		"SANDBOX_CLIENT_ID=" + clientID, "SANDBOX_CLIENT_SECRET=" + ClientSecret,
		"SANDBOX_PLACES_API_KEY=" + PlacesKey, "SANDBOX_REDIRECT_BASE=" + base,
	}
	site := func(name string) string {
		addr := FreeAddr()
		env = append(env, "SANDBOX_"+name+"_ADDR="+addr)
		return "http://" + addr
	}
	s := Sandbox{
		Control: site("CONTROL"), Benchmark: site("BENCHMARK"), Aggregator: site("AGGREGATOR"),
		Search: site("SEARCH"), Places: site("PLACES"), Social: site("SOCIAL"),
	}
	Start(t, t.TempDir(), env, Built(t, "sandbox"))
	Healthy(t, s.Control+"/healthz")
	return s
}

// Arrival is a request as the sandbox recorded it.
type Arrival struct {
	Path string    `json:"path"`
	At   time.Time `json:"arrived_at"`
}

// Requests returns the requests that reached a site, oldest first.
func (s Sandbox) Requests(t *testing.T, site string) []Arrival {
	t.Helper()
	return Decode[struct{ Requests []Arrival }](t, s.Send(t, http.MethodGet, "/requests?site="+site, "")).Requests
}

// Fault makes a site misbehave, for example with {"kind":"down"}. An empty fault ends this.
func (s Sandbox) Fault(t *testing.T, site, fault string) {
	t.Helper()
	method := http.MethodPut
	if fault == "" {
		method = http.MethodDelete
	}
	s.Send(t, method, "/faults/"+site, fault)
}

// Refreshes returns how often an access token was refreshed at the search provider.
func (s Sandbox) Refreshes(t *testing.T) int {
	t.Helper()
	site := Decode[struct {
		State struct{ Counts map[string]map[string]int } // by group and name
	}](t, s.Send(t, http.MethodGet, "/state/search", ""))
	return site.State.Counts["token_requests"]["refresh_token"]
}

// Send sends a request with a JSON body to the control address, which has to succeed.
func (s Sandbox) Send(t *testing.T, method, path, body string) Answer {
	t.Helper()
	var sent any
	if body != "" {
		sent = json.RawMessage(body)
	}
	a, err := Send(t.Context(), Client(), method, s.Control+path, sent)
	if err != nil || a.Status >= http.StatusMultipleChoices {
		t.Fatalf("%s %s: %d %s, %v", method, path, a.Status, a.Body, err)
	}
	return a
}
