package compose

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// newPrice is the address of a look-up that nobody has made before.
func newPrice() string {
	return fmt.Sprintf("/api/prices/ceneo?q=geforce+rtx+%d", time.Now().UnixNano())
}

func TestRedisDies(t *testing.T) {
	v := newVisitor(t)
	known := newPrice()
	get(t, v, known, http.StatusOK)
	asked := sourceRequests(t)

	kill(t, "redis")
	traffic := startTraffic(t, ranking, known)
	traffic.AwaitAnswers(t, 100)
	if now := sourceRequests(t); now != asked {
		t.Errorf("cached answers without Redis took %d requests to the source", now-asked)
	}
	get(t, v, newPrice(), http.StatusOK)
	revive(t, "redis")
	traffic.AwaitAnswers(t, 100)
	traffic.StopWithoutFailure(t)

	compose(t, "restart", "hardware") // takes the copies in the process away
	asked = sourceRequests(t)
	eventually(t, "hardware is back", func() bool { return answers(t, v, known) })
	if now := sourceRequests(t); now != asked {
		t.Errorf("Redis has lost an answer: %d requests to the source", now-asked)
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

func TestSourcesDie(t *testing.T) {
	v := loggedIn(t)
	v.Connect(t, harness.SearchProfile, "anna")
	known := newPrice()
	get(t, v, known, http.StatusOK)

	kill(t, "sandbox")
	traffic := startTraffic(t, ranking, known)
	failed := get(t, v, newPrice(), http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout)
	if failure := harness.Decode[struct{ Code, Error string }](t, failed); failure.Code == "" || failure.Error == "" {
		t.Errorf("a look-up without its source: %d %s", failed.Status, failed.Body)
	}
	if a := v.Post(t, "/api/oauth/provider_search/discover-locations", nil); a.Status != http.StatusInternalServerError {
		t.Errorf("locations without their provider: %d %s", a.Status, a.Body)
	}
	if !v.Connections(t)[harness.SearchProfile].Connected {
		t.Error("an outage of the provider has undone the connection")
	}
	traffic.AwaitAnswers(t, 50)
	traffic.StopWithoutFailure(t)
}
