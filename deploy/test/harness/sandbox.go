package harness

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

// Sandbox is the running program that stands for all upstreams: the providers and the
// sources of the hardware service.
type Sandbox struct{ Control, Benchmark, Aggregator, Search, Places, Social string } // base addresses

// The app as it is registered at the fake providers.
const (
	ClientID     = "e2e-client"
	ClientSecret = "e2e-client-secret-7Jq2" // #nosec G101 -- of a fake provider
	PlacesKey    = "e2e-places-key-9Xw4"
)

// StartSandbox runs one whose consent pages send the browser back to base.
func StartSandbox(t *testing.T, base string) Sandbox {
	t.Helper()
	env := []string{
		"SANDBOX_CLIENT_ID=" + ClientID, "SANDBOX_CLIENT_SECRET=" + ClientSecret,
		"SANDBOX_PLACES_API_KEY=" + PlacesKey, "SANDBOX_REDIRECT_BASE=" + base,
	}
	listen := func(site string) string {
		address := FreeAddr(t)
		env = append(env, "SANDBOX_"+site+"_ADDR="+address)
		return "http://" + address
	}
	s := Sandbox{
		Control: listen("CONTROL"), Benchmark: listen("BENCHMARK"), Aggregator: listen("AGGREGATOR"),
		Search: listen("SEARCH"), Places: listen("PLACES"), Social: listen("SOCIAL"),
	}
	Start(t, "sandbox", t.TempDir(), env, Built(t, "sandbox"))
	Healthy(t, s.Control+"/healthz")
	return s
}

// Arrival is a request as the sandbox saw it.
type Arrival struct {
	Path string `json:"path"`
	At   int64  `json:"arrived_unix_nano"`
}

// Requests lists what reached a site, oldest first.
func (s Sandbox) Requests(t *testing.T, site string) []Arrival {
	t.Helper()
	var list struct{ Requests []Arrival }
	s.steer(t, http.MethodGet, "/requests?site="+site, "", &list)
	return list.Requests
}

// Fault makes a site misbehave until the test ends, or mends it with "".
func (s Sandbox) Fault(t *testing.T, site, fault string) {
	t.Helper()
	method := http.MethodPut
	if fault == "" {
		method = http.MethodDelete
	}
	s.steer(t, method, "/faults/"+site, fault, nil)
}

// Toggle changes how a site behaves; values is a JSON object.
func (s Sandbox) Toggle(t *testing.T, site, values string) {
	t.Helper()
	s.steer(t, http.MethodPut, "/toggles/"+site, values, nil)
}

// Do makes a site do one of its actions.
func (s Sandbox) Do(t *testing.T, site, action string) {
	t.Helper()
	s.steer(t, http.MethodPost, "/state/"+site+"/"+action, "{}", nil)
}

// Count tells how often something of a group happened at a site.
func (s Sandbox) Count(t *testing.T, site, group, name string) int {
	t.Helper()
	var state struct {
		State struct{ Counts map[string]map[string]int }
	}
	s.steer(t, http.MethodGet, "/state/"+site, "", &state)
	return state.State.Counts[group][name]
}

// Issued lists every secret that the sites gave out, by its kind.
func (s Sandbox) Issued(t *testing.T) map[string]string {
	t.Helper()
	var list struct {
		Forgotten int
		Secrets   []struct{ Site, Kind, Value string }
	}
	s.steer(t, http.MethodGet, "/issued", "", &list)
	if list.Forgotten > 0 {
		t.Fatalf("the sandbox has forgotten %d secrets", list.Forgotten)
	}
	kinds := map[string]string{}
	for _, secret := range list.Secrets {
		kinds[secret.Value] = secret.Site + " " + secret.Kind
	}
	return kinds
}

// steer asks the control address, with a JSON body unless it is empty, and decodes the
// answer into v unless that is nil.
func (s Sandbox) steer(t *testing.T, method, path, body string, v any) {
	t.Helper()
	var sent any
	if body != "" {
		sent = json.RawMessage(body)
	}
	a, err := Send(t.Context(), Client(), method, s.Control+path, sent)
	if err != nil || a.Status >= 300 {
		t.Fatalf("%s %s: %d, %v\n%s", method, path, a.Status, err, a.Body)
	}
	if v == nil {
		return
	}
	if err := json.Unmarshal(a.Body, v); err != nil {
		t.Fatalf("%s %s: %v\n%s", method, path, err, a.Body)
	}
}

// Gaps are the times between consecutive Arrivals.
func Gaps(requests []Arrival) []time.Duration {
	var gaps []time.Duration
	for i := 1; i < len(requests); i++ {
		gaps = append(gaps, time.Duration(requests[i].At-requests[i-1].At))
	}
	return gaps
}
