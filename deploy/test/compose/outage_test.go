package compose

import (
	"fmt"
	"net/http"
	"reflect"
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
	before, all := lookUps(t), len(sourceRequests(t))

	kill(t, "redis")
	traffic := startTraffic(t, ranking, known)
	traffic.AwaitAnswers(t, 100)
	if n := lookUps(t) - before; n != 0 {
		t.Errorf("cached answers without Redis made %d requests to the source", n)
	}
	get(t, v, newPrice(), http.StatusOK)
	for i, gap := range harness.Gaps(sourceRequests(t)[all-1:]) {
		if gap < time.Second { // the interval is 1.2 s, and the sandbox may record an arrival late
			t.Errorf("look-up request %d without Redis came %s after the previous one", i+1, gap)
		}
	}
	compose(t, "up", "--detach", "--no-build", "--no-recreate", "--no-deps", "--wait", "redis")
	traffic.AwaitAnswers(t, 100)
	traffic.StopWithoutFailure(t)

	compose(t, "restart", "hardware") // drops the copies in the process
	before = lookUps(t)
	eventually(t, "hardware is back", func() bool { return answers(t, v, known) })
	if n := lookUps(t) - before; n != 0 {
		t.Errorf("Redis lost an answer: %d requests to the source", n)
	}
}

// ranking is a request that every replica serves from its cache.
const ranking = "/api/benchmark/gpu?limit=5"

func TestScalingFailsNoRequest(t *testing.T) {
	get(t, newVisitor(t), ranking, http.StatusOK)
	up(t, "1")
	traffic := startTraffic(t, ranking, "/api/bizprofile/audit/health")

	up(t, "3")
	joined := time.Now()
	eventually(t, "three replicas answer", func() bool { return len(servers(t, joined)) == 3 })
	traffic.AwaitAnswers(t, 300)
	spread := servers(t, joined)
	for server, n := range spread {
		if n < 30 {
			t.Errorf("%s served only %d requests: %v", server, n, spread)
		}
	}

	up(t, "1")
	left := time.Now()
	traffic.AwaitAnswers(t, 200)
	if rest := servers(t, left); len(rest) != 1 {
		t.Errorf("%v responded after scaling to one replica", rest)
	}
	traffic.StopWithoutFailure(t)
}

func TestReplicaDies(t *testing.T) {
	up(t, "3")
	v := newVisitor(t)
	get(t, v, ranking, http.StatusOK)
	traffic := startTraffic(t, ranking)
	traffic.AwaitAnswers(t, 50)

	kill(t, "hardware")
	traffic.AwaitAnswers(t, 400)
	traffic.StopWithoutFailure(t)
}

// TestNoReplicaIsLeft expects an error of the gateway, not the 404 of an unknown path.
func TestNoReplicaIsLeft(t *testing.T) {
	v := newVisitor(t)
	t.Cleanup(func() { up(t, "1") })
	eventually(t, "a replica responds after the previous test", func() bool { return answers(t, v, ranking) })
	compose(t, "stop", "hardware")
	get(t, v, ranking, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout)
	get(t, v, "/api/bizprofile/audit/health", http.StatusOK)
	up(t, "1")
	eventually(t, "the gateway has the new one", func() bool { return answers(t, v, ranking) })
}

// TestRestartKeepsEverything removes every container and starts new ones from the volumes.
func TestRestartKeepsEverything(t *testing.T) {
	v := harness.LoggedIn(t, setting(t, "COMPOSE_BASE_URL"), "kierownik@demo.example")
	v.Connect(t, harness.SearchProfile, "anna")
	before := v.Connections(t)[harness.SearchProfile]
	harness.OK(t, v.Post(t, "/api/bizprofile/audit", map[string]any{"slug": "piekarnia-kowalski"}))
	audit := get(t, v, "/api/bizprofile/audit?slug=piekarnia-kowalski", http.StatusOK)
	known := newPrice()
	price := get(t, v, known, http.StatusOK)

	compose(t, "down")
	up(t, "1")

	get(t, v, "/api/auth/me", http.StatusOK)
	if now := v.Connections(t)[harness.SearchProfile]; !reflect.DeepEqual(now, before) {
		t.Errorf("the connection was %+v and is %+v", before, now)
	}
	if after := get(t, v, "/api/bizprofile/audit?slug=piekarnia-kowalski", http.StatusOK); string(after.Body) != string(
		audit.Body,
	) {
		t.Errorf("the audit was\n%s\nand is\n%s", audit.Body, after.Body)
	}
	if after := get(t, v, known, http.StatusOK); string(after.Body) != string(price.Body) || lookUps(t) != 0 {
		t.Errorf("the price was looked up again: %s", after.Body)
	}
}
