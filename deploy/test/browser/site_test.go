package browser

import (
	"net/http"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// patience bounds every wait for a page; only a failing test uses it up.
const patience = 2 * time.Minute

// site is everything, as `make run` starts it.
type site struct {
	url      string // of the gateway
	hardware string // of the hardware service, past the gateway
	sandbox  harness.Sandbox
}

// newSite starts one until the test ends, with further settings of the services.
func newSite(t *testing.T, settings ...string) site {
	t.Helper()
	r := harness.StartMakeRun(t, settings...)
	return site{url: r.URL, hardware: r.Hardware, sandbox: r.Sandbox}
}

// lookUp asks for the offers of a product for the client at an address,
// whatever the answer.
func (s site) lookUp(t *testing.T, query, from string) {
	t.Helper()
	client := &http.Client{Transport: harness.From(from)}
	if _, err := harness.Send(t.Context(), client, http.MethodGet, s.hardware+"/api/prices/ceneo?q="+query, nil); err != nil {
		t.Error(err)
	}
}
