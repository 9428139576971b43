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
	newVisitor(t).get(t, ranking, http.StatusOK)
	up(t, "1")
	l := startLoad(t, ranking, "/api/bizprofile/audit/health")

	up(t, "3")
	joined := time.Now()
	eventually(t, "three replicas answer", func() bool { return len(servers(t, joined)) == 3 })
	l.more(t, 300)
	spread := servers(t, joined)
	for server, n := range spread {
		if n < 30 {
			t.Errorf("%s answered %d requests only: %v", server, n, spread)
		}
	}

	up(t, "1")
	left := time.Now()
	l.more(t, 200)
	if rest := servers(t, left); len(rest) != 1 {
		t.Errorf("one replica is left, and %v answered", rest)
	}
	l.withoutFailure(t)
}

func TestReplicaDies(t *testing.T) {
	up(t, "3")
	v := newVisitor(t)
	v.get(t, ranking, http.StatusOK)
	l := startLoad(t, ranking)
	l.more(t, 50)

	kill(t, "hardware")
	l.more(t, 400)
	l.withoutFailure(t)
}

// TestNoReplicaIsLeft: the gateway has no server then, which is not an unknown path.
func TestNoReplicaIsLeft(t *testing.T) {
	v := newVisitor(t)
	t.Cleanup(func() { up(t, "1") })
	v.get(t, ranking, http.StatusOK)
	gone := time.Now()
	compose(t, "stop", "hardware")
	eventually(t, "the gateway has seen it", func() bool {
		v.get(t, ranking, http.StatusBadGateway, http.StatusServiceUnavailable)
		return slices.ContainsFunc(accessLog(t, gone), func(r handled) bool {
			return strings.HasSuffix(r.RouterName, "hardware-nobody@file")
		})
	})
	v.get(t, ranking, http.StatusServiceUnavailable)

	up(t, "1")
	eventually(t, "the gateway has the new one", func() bool {
		return v.get(t, ranking, http.StatusOK, http.StatusBadGateway, http.StatusServiceUnavailable).status == http.StatusOK
	})
}
