package compose

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// pace is between two requests of the traffic. A client may ask the hardware service
// 50 times a second, the directory service 20 times (gateway/dynamic/middlewares.yml).
const pace = 25 * time.Millisecond

// startTraffic asks for the paths in turn until the test is over.
func startTraffic(t *testing.T, paths ...string) *harness.Traffic {
	t.Helper()
	v := newVisitor(t)
	return harness.StartTraffic(t, pace, func(n int) error {
		return harness.CheckOK(v.Try(t.Context(), http.MethodGet, paths[n%len(paths)], nil))
	})
}

// failedRouters lists the routers of the requests that failed since a moment, as the
// gateway's access log has them.
func failedRouters(t *testing.T, since time.Time) (names []string) {
	t.Helper()
	for line := range strings.Lines(compose(t, "logs", "--no-log-prefix", "--since", since.UTC().Format(time.RFC3339Nano), "gateway")) {
		var request struct{ RouterName string }
		if json.Unmarshal([]byte(line), &request) == nil && request.RouterName != "" {
			names = append(names, request.RouterName)
		}
	}
	return names
}

// servers counts by replica what the hardware service answered since a moment.
func servers(t *testing.T, since time.Time) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for line := range strings.Lines(compose(t, "logs", "--no-color", "--since", since.UTC().Format(time.RFC3339Nano), "hardware")) {
		if replica, entry, ok := strings.Cut(line, " | "); ok && strings.Contains(entry, `"msg":"request"`) {
			counts[strings.TrimSpace(replica)]++
		}
	}
	return counts
}
