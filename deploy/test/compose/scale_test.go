package compose

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// ranking is answered by every replica from its cache.
const ranking = "/api/benchmark/gpu?limit=5"

func TestScalesWithoutAFailedRequest(t *testing.T) {
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
			t.Errorf("%s answered %d requests only: %v", server, n, spread)
		}
	}

	up(t, "1")
	left := time.Now()
	traffic.AwaitAnswers(t, 200)
	if rest := servers(t, left); len(rest) != 1 {
		t.Errorf("one replica is left, and %v answered", rest)
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

// TestNoReplicaIsLeft expects 503, not the 404 of an unknown path.
func TestNoReplicaIsLeft(t *testing.T) {
	v := newVisitor(t)
	t.Cleanup(func() { up(t, "1") })
	eventually(t, "a replica answers after the test before", func() bool { return answers(t, v, ranking) })
	gone := time.Now()
	compose(t, "stop", "hardware")
	eventually(t, "the gateway has seen it", func() bool {
		get(t, v, ranking, http.StatusBadGateway, http.StatusServiceUnavailable)
		return slices.ContainsFunc(failedRouters(t, gone), func(name string) bool {
			return strings.HasSuffix(name, "hardware-nobody@file")
		})
	})
	unavailable(t, v, http.StatusServiceUnavailable, ranking, "*/*", `"code":"service_unavailable"`)
	unavailable(t, v, http.StatusServiceUnavailable, "/kreator", "text/html", "<h1>Ta część serwisu jest chwilowo niedostępna.")
	get(t, v, "/api/bizprofile/audit/health", http.StatusOK)

	up(t, "1")
	eventually(t, "the gateway has the new one", func() bool {
		return get(t, v, ranking, http.StatusOK, http.StatusBadGateway, http.StatusServiceUnavailable).Status == http.StatusOK
	})
}
