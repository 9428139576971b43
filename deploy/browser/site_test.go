package browser

import (
	"net/http"
	"testing"
	"time"

	"backend.example/deploy/stack"
)

// patience bounds every wait for a page; only a failing test uses it up.
const patience = 30 * time.Second

// site is everything, as `make run` starts it.
type site struct {
	url     string // of the gateway
	sandbox stack.Sandbox
}

// newSite starts one until the test ends, with further settings of the services.
func newSite(t *testing.T, settings ...string) site {
	t.Helper()
	r := stack.StartMakeRun(t, settings...)
	return site{url: r.URL, sandbox: r.Sandbox}
}

// lookUp asks for the offers of a product, whatever the answer.
func (s site) lookUp(t *testing.T, query string) {
	t.Helper()
	if _, err := stack.Send(t.Context(), stack.Client(), http.MethodGet, s.url+"/api/prices/ceneo?q="+query, nil); err != nil {
		t.Error(err)
	}
}
