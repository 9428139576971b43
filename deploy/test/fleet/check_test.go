package fleet

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// receiver is a webhook that refuses every 50th request.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	requests int
	refused  int
	events   map[string]map[string]bool // ids by type and connection
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{events: map[string]map[string]bool{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var event struct {
		Type string
		Data struct {
			CompanyID         int64 `json:"company_id"`
			Provider, Service string
		}
	}
	err := json.NewDecoder(request.Body).Decode(&event)
	r.mu.Lock()
	defer r.mu.Unlock()
	key := strings.TrimSpace(fmt.Sprintln(event.Type, event.Data.CompanyID, event.Data.Provider, event.Data.Service))
	if r.events[key] == nil {
		r.events[key] = map[string]bool{}
	}
	r.events[key][request.Header.Get("webhook-id")] = true
	if r.requests++; err != nil || r.requests%50 == 0 {
		r.refused++
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// check holds the fleet to its promises.
func (f *fleet) check(t *testing.T) {
	t.Helper()
	harness.EventuallyWithin(t, time.Minute, "every event is delivered", func() bool {
		return f.count(t, "SELECT count(*) FROM webhook_deliveries WHERE state <> 'delivered'") == 0
	})
	twice := f.count(t, "SELECT count(*) FROM (SELECT FROM profile_audits WHERE company_id >= 1000000 GROUP BY company_id HAVING count(*) > 1) n")
	if audited := f.audited(t); audited != companies || twice > 0 {
		t.Errorf("%d of %d companies are audited, %d of them twice in their week", audited, companies, twice)
	}
	f.checkEvents(t)
	for _, command := range [][]string{{"connection", "list", "--state", "permission"}, {"connection", "list", "--state", "choice"}, {"pause", "list"}} {
		if out := f.Directories[0].Run(t, append(command, "--json")...); strings.TrimSpace(out) != "[]" {
			t.Errorf("%q in the end: %s", command, out)
		}
	}
	marked := f.Directories[0].Run(t, "connection", "list", "--state", "reconnect", "--json")
	if strings.Count(marked, `"company"`) != 1 || !strings.Contains(marked, fmt.Sprintf("firma-%d", f.revoked)) {
		t.Errorf("marked in the end, expected is the one that was revoked: %s", marked)
	}
	pauses := f.pauses()
	if len(pauses) == 0 {
		t.Error("no pause is logged")
	}
	for _, p := range pauses {
		t.Log(p)
		f.checkCause(t, p)
	}
	f.checkBudget(t, "search", searchAPI, searchPerMinute)
	f.checkBudget(t, "social", socialAPI, socialPerMinute)
	if n := f.Sandbox.Count(t, "search", "api_refusals", "RATE_LIMIT_EXCEEDED"); n > 0 {
		t.Errorf("the quotas of Google's APIs refused %d requests", n)
	}
}

// checkEvents checks that each event has one id.
func (f *fleet) checkEvents(t *testing.T) {
	t.Helper()
	f.receiver.mu.Lock()
	defer f.receiver.mu.Unlock()
	for key, ids := range f.receiver.events {
		if len(ids) != 1 {
			t.Errorf("%s: %d events", key, len(ids))
		}
	}
	want := map[string]bool{fmt.Sprintf("connection.broken %d provider_search search_profile", f.revoked): true}
	for _, id := range f.ids[:companies] {
		want[fmt.Sprintf("audit.completed %d", id)] = true
	}
	for key := range want {
		if f.receiver.events[key] == nil {
			t.Errorf("missing: %s", key)
		}
	}
	for key := range f.receiver.events {
		if !want[key] {
			t.Errorf("without a cause: %s", key)
		}
	}
	t.Logf("%d events in %d requests, of which %d were refused", len(f.receiver.events), f.receiver.requests, f.receiver.refused)
}

// searchAPI returns the API of a path of Google; empty is a token endpoint.
func searchAPI(path string) string {
	switch {
	case strings.HasPrefix(path, "/webmasters/"):
		return "Search Console"
	case strings.Contains(path, ":fetchMultiDailyMetricsTimeSeries"), strings.Contains(path, "/searchkeywords/"):
		return "Performance"
	case strings.HasSuffix(path, "/VoiceOfMerchantState"):
		return "Verifications"
	case path == "/v1/accounts":
		return "Account Management"
	case strings.HasPrefix(path, "/v1/"):
		return "Business Information"
	}
	return ""
}

// socialAPI is searchAPI for Meta.
func socialAPI(path string) string {
	if strings.HasPrefix(path, "/v") && !strings.Contains(path, "/oauth/") {
		return "Graph"
	}
	return ""
}

// checkBudget checks the requests of any minute that reached each API of a provider.
func (f *fleet) checkBudget(t *testing.T, site string, api func(path string) string, perMinute int) {
	t.Helper()
	all := f.Sandbox.Requests(t, site)
	if len(all) >= 10_000 {
		t.Errorf("%s: the log of the sandbox is full", site)
	}
	sent := map[string][]time.Duration{}
	for _, r := range all {
		if name := api(r.Path); name != "" {
			sent[name] = append(sent[name], time.Duration(r.At))
		}
	}
	if len(sent) == 0 {
		t.Errorf("%s: no requests", site)
	}
	for name, times := range sent {
		most, from := 0, 0
		for i, at := range times {
			for at-times[from] >= time.Minute {
				from++
			}
			most = max(most, i-from+1)
		}
		t.Logf("%s: %d requests, at most %d in a minute, allowed are %d", name, len(times), most, perMinute)
		if most > perMinute {
			t.Errorf("%s: %d requests in a minute, allowed are %d", name, most, perMinute)
		}
	}
}
