package harness

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

// Sandbox contains the base addresses of the program that fakes the providers and the sources.
type Sandbox struct{ Control, Benchmark, Aggregator, Search, Places, Social string }

// The app as it is registered at the fake providers.
const (
	clientID     = "e2e-client"
	ClientSecret = "e2e-client-secret-7Jq2" // #nosec G101 -- of a fake provider
	PlacesKey    = "e2e-places-key-9Xw4"
)

// StartSandbox runs a sandbox whose consent pages redirect the browser to base.
func StartSandbox(t *testing.T, base string) Sandbox {
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
	s := Sandbox{site("CONTROL"), site("BENCHMARK"), site("AGGREGATOR"), site("SEARCH"), site("PLACES"), site("SOCIAL")}
	Start(t, t.TempDir(), env, Built(t, "sandbox"))
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
	return control[struct{ Requests []Arrival }](t, s, http.MethodGet, "/requests?site="+site, nil).Requests
}

// Gaps returns the times between consecutive arrivals.
func Gaps(requests []Arrival) (gaps []time.Duration) {
	for i := 1; i < len(requests); i++ {
		gaps = append(gaps, time.Duration(requests[i].At-requests[i-1].At))
	}
	return gaps
}

// Secret is one that a provider issued, such as a token.
type Secret struct{ Site, Kind, Value string }

// Issued returns all secrets that the providers issued.
func (s Sandbox) Issued(t *testing.T) []Secret {
	t.Helper()
	return control[struct{ Secrets []Secret }](t, s, http.MethodGet, "/issued", nil).Secrets
}

// Fault makes a site misbehave; an empty fault removes it.
func (s Sandbox) Fault(t *testing.T, site, fault string) {
	t.Helper()
	if fault == "" {
		control[any](t, s, http.MethodDelete, "/faults/"+site, nil)
		return
	}
	control[any](t, s, http.MethodPut, "/faults/"+site, json.RawMessage(fault))
}

// Toggle changes how a site behaves. The values are a JSON object.
func (s Sandbox) Toggle(t *testing.T, site, values string) {
	t.Helper()
	control[any](t, s, http.MethodPut, "/toggles/"+site, json.RawMessage(values))
}

// Do makes a site perform one of its actions for all accounts.
func (s Sandbox) Do(t *testing.T, site, action string) {
	t.Helper()
	control[any](t, s, http.MethodPost, "/state/"+site+"/"+action, struct{}{})
}

// Count returns how often an event of a group happened at a site.
func (s Sandbox) Count(t *testing.T, site, group, name string) int {
	t.Helper()
	return control[struct {
		State struct{ Counts map[string]map[string]int }
	}](t, s, http.MethodGet, "/state/"+site, nil).State.Counts[group][name]
}

func control[T any](t *testing.T, s Sandbox, method, path string, body any) (v T) {
	t.Helper()
	a, err := Send(t.Context(), Client(), method, s.Control+path, body)
	if err != nil || a.Status >= http.StatusMultipleChoices {
		t.Fatalf("%s %s: %d %s, %v", method, path, a.Status, a.Body, err)
	}
	if len(a.Body) > 0 {
		v = Decode[T](t, a)
	}
	return v
}
