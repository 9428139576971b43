package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// sandbox is a running stand-in of the outside world.
type sandbox struct{ control, benchmark, aggregator, search, places, social string } // base addresses

// The app as it is registered at the stand-ins of the providers.
const (
	clientID     = "e2e-client"
	clientSecret = "e2e-client-secret-7Jq2"
	placesKey    = "e2e-places-key-9Xw4"
)

// startSandbox runs one that sends people back to the app at base.
func startSandbox(t *testing.T, base string) sandbox {
	t.Helper()
	env := []string{
		"SANDBOX_CLIENT_ID=" + clientID, "SANDBOX_CLIENT_SECRET=" + clientSecret,
		"SANDBOX_PLACES_API_KEY=" + placesKey, "SANDBOX_REDIRECT_BASE=" + base,
	}
	listen := func(site string) string {
		address := "127.0.0.1:" + freePort(t)
		env = append(env, "SANDBOX_"+site+"_ADDR="+address)
		return "http://" + address
	}
	s := sandbox{
		control: listen("CONTROL"), benchmark: listen("BENCHMARK"), aggregator: listen("AGGREGATOR"),
		search: listen("SEARCH"), places: listen("PLACES"), social: listen("SOCIAL"),
	}
	start(t, "sandbox", t.TempDir(), env, built(t, "sandbox"))
	healthy(t, s.control+"/healthz")
	return s
}

// arrival is a request as the sandbox saw it.
type arrival struct {
	Path string `json:"path"`
	At   int64  `json:"arrived_unix_nano"`
}

// requests lists what reached a site, oldest first.
func (s sandbox) requests(t *testing.T, site string) []arrival {
	t.Helper()
	var list struct{ Requests []arrival }
	s.steer(t, http.MethodGet, "/requests?site="+site, "", &list)
	return list.Requests
}

// fault makes a site misbehave until the test ends, or mends it with "".
func (s sandbox) fault(t *testing.T, site, fault string) {
	t.Helper()
	method := http.MethodPut
	if fault == "" {
		method = http.MethodDelete
	}
	s.steer(t, method, "/faults/"+site, fault, nil)
}

// knobs changes how a site behaves; values is a JSON object.
func (s sandbox) knobs(t *testing.T, site, values string) {
	t.Helper()
	s.steer(t, http.MethodPut, "/knobs/"+site, values, nil)
}

// do makes a site do one of its actions.
func (s sandbox) do(t *testing.T, site, action string) {
	t.Helper()
	s.steer(t, http.MethodPost, "/state/"+site+"/"+action, "{}", nil)
}

// count tells how often something of a group happened at a site.
func (s sandbox) count(t *testing.T, site, group, name string) int {
	t.Helper()
	var state struct {
		State struct{ Counts map[string]map[string]int }
	}
	s.steer(t, http.MethodGet, "/state/"+site, "", &state)
	return state.State.Counts[group][name]
}

// issued lists every secret that the sites gave out, by its kind.
func (s sandbox) issued(t *testing.T) map[string]string {
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

// steer asks the control address and decodes the answer into v unless it is nil.
func (s sandbox) steer(t *testing.T, method, path, body string, v any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.control+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s %s: %s, %v\n%s", method, path, response.Status, err, answer)
	}
	if v == nil {
		return
	}
	if err := json.Unmarshal(answer, v); err != nil {
		t.Fatalf("%s %s: %v\n%s", method, path, err, answer)
	}
}

// gaps are the times between consecutive arrivals.
func gaps(requests []arrival) []time.Duration {
	var gaps []time.Duration
	for i := 1; i < len(requests); i++ {
		gaps = append(gaps, time.Duration(requests[i].At-requests[i-1].At))
	}
	return gaps
}
