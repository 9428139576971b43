package harness

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"
)

// Sandbox contains the base addresses of the running program that fakes all upstreams: the
// providers and the sources of the hardware service.
type Sandbox struct{ Control, Benchmark, Aggregator, Search, Places, Social string }

// The app as it is registered at the fake providers.
const (
	ClientID     = "e2e-client"
	ClientSecret = "e2e-client-secret-7Jq2" // #nosec G101 -- of a fake provider
	PlacesKey    = "e2e-places-key-9Xw4"
)

// StartSandbox runs a sandbox whose consent pages redirect the browser to base.
func StartSandbox(t *testing.T, base string) Sandbox {
	t.Helper()
	env := []string{
		"SANDBOX_CLIENT_ID=" + ClientID, "SANDBOX_CLIENT_SECRET=" + ClientSecret,
		"SANDBOX_PLACES_API_KEY=" + PlacesKey, "SANDBOX_REDIRECT_BASE=" + base,
	}
	site := func(name string) string {
		addr := FreeAddr(t)
		env = append(env, "SANDBOX_"+name+"_ADDR="+addr)
		return "http://" + addr
	}
	s := Sandbox{site("CONTROL"), site("BENCHMARK"), site("AGGREGATOR"), site("SEARCH"), site("PLACES"), site("SOCIAL")}
	Start(t, "sandbox", t.TempDir(), env, Built(t, "sandbox"))
	Healthy(t, s.Control+"/healthz")
	return s
}

// Arrival is a request as the sandbox recorded it.
type Arrival struct {
	Path string `json:"path"`
	At   int64  `json:"arrived_unix_nano"`
}

// Requests returns the requests that reached a site, oldest first.
func (s Sandbox) Requests(t *testing.T, site string) []Arrival {
	t.Helper()
	var list struct{ Requests []Arrival }
	s.control(t, http.MethodGet, "/requests?site="+site, "", &list)
	return list.Requests
}

// Secret is one that a provider issued, such as a token.
type Secret struct{ Site, Kind, Value string }

// Issued returns all secrets that the providers issued.
func (s Sandbox) Issued(t *testing.T) []Secret {
	t.Helper()
	var list struct{ Secrets []Secret }
	s.control(t, http.MethodGet, "/issued", "", &list)
	return list.Secrets
}

// Gaps returns the times between consecutive arrivals.
func Gaps(requests []Arrival) []time.Duration {
	var gaps []time.Duration
	for i := 1; i < len(requests); i++ {
		gaps = append(gaps, time.Duration(requests[i].At-requests[i-1].At))
	}
	return gaps
}

// Fault makes a site misbehave, or removes its fault if fault is empty.
func (s Sandbox) Fault(t *testing.T, site, fault string) {
	t.Helper()
	method := http.MethodPut
	if fault == "" {
		method = http.MethodDelete
	}
	s.control(t, method, "/faults/"+site, fault, nil)
}

// Toggle changes how a site behaves. The values are a JSON object.
func (s Sandbox) Toggle(t *testing.T, site, values string) {
	t.Helper()
	s.control(t, http.MethodPut, "/toggles/"+site, values, nil)
}

// Do makes a site perform one of its actions, for one account or, if that is empty, for all.
func (s Sandbox) Do(t *testing.T, site, action, account string) {
	t.Helper()
	s.control(t, http.MethodPost, "/state/"+site+"/"+action, fmt.Sprintf(`{"account": %q}`, account), nil)
}

// Count returns how often an event of a group happened at a site.
func (s Sandbox) Count(t *testing.T, site, group, name string) int {
	t.Helper()
	var state struct {
		State struct{ Counts map[string]map[string]int }
	}
	s.control(t, http.MethodGet, "/state/"+site, "", &state)
	return state.State.Counts[group][name]
}

// control sends a request to the control address, with a JSON body unless it is empty, and
// decodes the response into v unless v is nil.
func (s Sandbox) control(t *testing.T, method, path, body string, v any) {
	t.Helper()
	var sent any
	if body != "" {
		sent = json.RawMessage(body)
	}
	a, err := Send(t.Context(), Client(), method, s.Control+path, sent)
	if err == nil && v != nil {
		err = json.Unmarshal(a.Body, v)
	}
	if err != nil || a.Status >= 300 {
		t.Fatalf("%s %s: %d, %v\n%s", method, path, a.Status, err, a.Body)
	}
}
