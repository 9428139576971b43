package compose

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// newPrice returns the path of a look-up that was never made before.
func newPrice() string {
	return fmt.Sprintf("/api/prices/ceneo?q=geforce+rtx+%d", time.Now().UnixNano())
}

// TestRedisDies kills Redis under load. Cached answers go on, new look-ups keep the agreed
// rate, and what was cached is there when Redis is back.
func TestRedisDies(t *testing.T) {
	v := newVisitor(t)
	known := newPrice()
	get(t, v, known, http.StatusOK)
	before := len(sourceRequests(t))

	kill(t, "redis")
	traffic := startTraffic(t, ranking, known)
	traffic.AwaitAnswers(t, 100)
	if n := len(sourceRequests(t)) - before; n != 0 {
		t.Errorf("cached answers without Redis made %d requests to the source", n)
	}
	for range 2 {
		get(t, v, newPrice(), http.StatusOK)
	}
	for i, gap := range harness.Gaps(sourceRequests(t)[before-1:]) {
		if gap < time.Second { // the interval is 1.2 s, and the sandbox may record an arrival late
			t.Errorf("look-up request %d without Redis came %s after the previous one", i+1, gap)
		}
	}
	revive(t, "redis")
	traffic.AwaitAnswers(t, 100)
	traffic.StopWithoutFailure(t)

	compose(t, "restart", "hardware") // drops the copies in the process
	before = len(sourceRequests(t))
	eventually(t, "hardware is back", func() bool { return answers(t, v, known) })
	if n := len(sourceRequests(t)) - before; n != 0 {
		t.Errorf("Redis lost an answer: %d requests to the source", n)
	}
}

func TestPostgresDies(t *testing.T) {
	v := loggedIn(t)
	v.Connect(t, harness.SearchAnalytics, "anna")

	kill(t, "postgres")
	traffic := startTraffic(t, ranking)
	health := harness.Decode[struct{ Available bool }](t, get(t, v, "/api/bizprofile/audit/health", http.StatusServiceUnavailable))
	if health.Available {
		t.Error("the audit is available without a database")
	}
	for _, path := range []string{"/api/auth/me", "/api/oauth/status"} {
		a := get(t, v, path, http.StatusInternalServerError, http.StatusServiceUnavailable)
		failure := harness.Decode[struct {
			Success bool
			Error   string
		}](t, a)
		if failure.Success || failure.Error == "" {
			t.Errorf("%s without a database: %s", path, a.Body)
		}
	}
	traffic.AwaitAnswers(t, 50)
	traffic.StopWithoutFailure(t)

	revive(t, "postgres")
	eventually(t, "the session is good again", func() bool { return answers(t, v, "/api/auth/me") })
	if !v.Connections(t)[harness.SearchAnalytics].Connected {
		t.Error("the connection is lost")
	}
}
