package compose

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// price is the address of a look-up that nobody has made before.
func price(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("/api/prices/ceneo?q=geforce+rtx+%d", time.Now().UnixNano())
}

func TestRedisDies(t *testing.T) {
	v := newVisitor(t)
	known := price(t)
	v.get(t, known, http.StatusOK)
	asked := sourceRequests(t, "aggregator")

	kill(t, "redis")
	l := startLoad(t, ranking, known)
	l.more(t, 100)
	if now := sourceRequests(t, "aggregator"); now != asked {
		t.Errorf("cached answers without Redis took %d requests to the source", now-asked)
	}
	v.get(t, price(t), http.StatusOK)
	revive(t, "redis")
	l.more(t, 100)
	l.withoutFailure(t)

	compose(t, "restart", "hardware") // takes the copies in the process away
	asked = sourceRequests(t, "aggregator")
	eventually(t, "hardware is back", func() bool {
		a, err := v.ask(t.Context(), http.MethodGet, known, "")
		return err == nil && a.status == http.StatusOK
	})
	if now := sourceRequests(t, "aggregator"); now != asked {
		t.Errorf("Redis has lost an answer: %d requests to the source", now-asked)
	}
}

func TestPostgresDies(t *testing.T) {
	v := newVisitor(t)
	v.login(t, "kierownik@demo.example")
	v.connect(t, "provider_search/search_analytics", "anna")

	kill(t, "postgres")
	l := startLoad(t, ranking)
	health := decode[struct{ Available bool }](t, v.get(t, "/api/bizprofile/audit/health", http.StatusServiceUnavailable))
	if health.Available {
		t.Error("the audit is available without a database")
	}
	for _, path := range []string{"/api/auth/me", "/api/oauth/status"} {
		a := v.get(t, path, http.StatusInternalServerError, http.StatusServiceUnavailable)
		failure := decode[struct {
			Success bool
			Error   string
		}](t, a)
		if failure.Success || failure.Error == "" {
			t.Errorf("%s without a database: %s", path, a.body)
		}
	}
	l.more(t, 50)
	l.withoutFailure(t)

	revive(t, "postgres")
	eventually(t, "the session is good again", func() bool {
		a, err := v.ask(t.Context(), http.MethodGet, "/api/auth/me", "")
		return err == nil && a.status == http.StatusOK
	})
	if connected, _ := v.connected(t, "provider_search/search_analytics"); !connected {
		t.Error("the connection is lost")
	}
}

func TestOutsideWorldDies(t *testing.T) {
	v := newVisitor(t)
	v.login(t, "kierownik@demo.example")
	v.connect(t, "provider_search/search_profile", "anna")
	known := price(t)
	v.get(t, known, http.StatusOK)

	kill(t, "sandbox")
	l := startLoad(t, ranking, known)
	failed := v.get(t, price(t), http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout)
	if failure := decode[struct{ Code, Error string }](t, failed); failure.Code == "" || failure.Error == "" {
		t.Errorf("a look-up without its source: %d %s", failed.status, failed.body)
	}
	v.want(t, http.MethodPost, "/api/oauth/provider_search/discover-locations", "", http.StatusInternalServerError)
	if connected, _ := v.connected(t, "provider_search/search_profile"); !connected {
		t.Error("an outage of the provider has undone the connection")
	}
	l.more(t, 50)
	l.withoutFailure(t)
}
