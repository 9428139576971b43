package fleet

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// cause is a fault of a provider, which is the only reason to pause it.
type cause struct {
	provider   string
	begin, end time.Time
}

// during makes a provider answer with a fault while fn runs.
func (f *fleet) during(t *testing.T, site, fault string, fn func()) {
	t.Helper()
	begin := time.Now()
	f.Sandbox.Fault(t, site, fault)
	fn()
	f.Sandbox.Fault(t, site, "")
	f.causes = append(f.causes, cause{"provider_" + site, begin, time.Now()})
}

// status returns a fault that answers requests of a path with a status and a body.
func status(path string, code int, body string) string {
	fault, _ := json.Marshal(map[string]any{"kind": "status", "match": path, "status": code, "body": body}) // texts and numbers
	return string(fault)
}

// freeze stops the replica that scans, lets the other one take over, and continues it.
func (f *fleet) freeze(t *testing.T, length time.Duration) {
	t.Helper()
	frozen, _ := f.interrupt(t, syscall.SIGSTOP)
	begun := time.Now()
	claims := value[string](t, f, "SELECT string_agg(company_id::text, ',') FROM "+claimed)
	audits := fmt.Sprintf("SELECT count(*) FROM profile_audits WHERE company_id IN (%s)", claims)
	before := f.count(t, audits)
	t.Logf("frozen: the next audits after %s", f.await(t, recovered, f.audited(t)+20).Round(time.Second))
	time.Sleep(time.Until(begun.Add(length)))
	if n := f.count(t, audits) - before; n > 0 {
		t.Errorf("%d of the companies that the frozen replica works on (%s) were audited", n, claims)
	}
	lost := func() int { return strings.Count(frozen.Log.String(), "the lease was lost") }
	earlier := lost()
	if err := frozen.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, "the frozen replica ends its run", func() bool { return lost() > earlier })
}

// deactivate lets Meta refuse the app while fn runs.
func (f *fleet) deactivate(t *testing.T, fn func()) {
	t.Helper()
	f.during(t, "social", status("/v", http.StatusBadRequest,
		`{"error": {"message": "API access deactivated. To reactivate, go to the app dashboard.", "type": "OAuthException", "code": 200}}`), fn)
	if f.count(t, "SELECT count(*) FROM provider_incidents") == 0 {
		t.Error("an app that is refused is no incident")
	}
}

// quota uses up the minute of an API at Google.
func (f *fleet) quota(t *testing.T) {
	t.Helper()
	f.during(t, "search", status("/v1/locations", http.StatusTooManyRequests, `{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [
		{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "RATE_LIMIT_EXCEEDED", "domain": "googleapis.com", "metadata": {
		"quota_limit": "DefaultRequestsPerMinutePerProject", "quota_unit": "1/min/{project}", "quota_limit_value": "300"}}]}}`), func() {
		harness.EventuallyWithin(t, time.Minute, "the quota pauses the API", func() bool {
			return f.count(t, "SELECT count(*) FROM provider_stops WHERE provider = 'provider_search/search_profile' AND stopped_until > now()") > 0
		})
	})
	t.Logf("quota: the next audits after %s", f.await(t, recovered, f.audited(t)+20).Round(time.Second))
}

// outage cuts the connections to both providers.
func (f *fleet) outage(t *testing.T) {
	t.Helper()
	const down = `{"kind": "down"}`
	f.during(t, "search", down, func() {
		f.during(t, "social", down, func() { time.Sleep(outage) })
	})
	t.Logf("outage: the next audits after %s", f.await(t, outage, f.audited(t)+20).Round(time.Second))
}

// pauses returns the pauses that the replicas logged.
func (f *fleet) pauses() (lines []pause) {
	for _, p := range f.processes {
		for line := range strings.Lines(p.Log.String()) {
			var l pause
			if json.Unmarshal([]byte(line), &l) == nil && !l.Until.IsZero() { // the last line of a killed one may be cut
				lines = append(lines, l)
			}
		}
	}
	return lines
}

// pause is a line of the log.
type pause struct {
	At       time.Time `json:"time"`
	Message  string    `json:"msg"`
	Provider string
	Until    time.Time
}

func (p pause) String() string {
	return fmt.Sprintf("%s %s: %s for %s", p.At.Format(time.TimeOnly), p.Message, p.Provider, p.Until.Sub(p.At).Round(time.Second))
}

// checkCause reports a pause without a cause, or one that is longer than its cause, unless it
// takes a minute. What was under way when the cause ended may still fail.
func (f *fleet) checkCause(t *testing.T, p pause) {
	t.Helper()
	for _, c := range f.causes {
		if strings.HasPrefix(p.Provider, c.provider) && p.At.After(c.begin) && p.At.Before(c.end.Add(5*time.Second)) {
			if p.Until.Sub(p.At) > max(time.Minute, c.end.Sub(c.begin))+time.Second {
				t.Errorf("longer than its cause of %s: %s", c.end.Sub(c.begin).Round(time.Second), p)
			}
			return
		}
	}
	t.Errorf("without a cause: %s", p)
}
