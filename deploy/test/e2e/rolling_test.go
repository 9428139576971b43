package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// TestRollingRestart replaces both replicas of the directory service, one after
// the other, while people read and write: none of them may notice. The drain delay
// is what the gateway needs to see that a replica is not ready; without it, a
// write on a connection that the replica closes is lost now and then.
func TestRollingRestart(t *testing.T) {
	needsOwnPrograms(t)
	s := harness.New(t, harness.Options{Directories: 2, Database: harness.NewDatabase(t), DirectoryEnv: []string{"DIRECTORY_DRAIN_DELAY=3s"}})
	v := harness.LoggedIn(t, s.Gateway, "biuro@demo.example")
	v.Connect(t, harness.SearchProfile, "anna")

	requests := []struct{ method, path string }{
		{http.MethodGet, "/api/oauth/status"}, {http.MethodHead, "/api/auth/me"}, {http.MethodPost, discover},
	}
	traffic := harness.StartTraffic(t, 70*time.Millisecond, func(n int) error { // within the limit of one client
		r := requests[n%len(requests)]
		a, err := v.Try(t.Context(), r.method, r.path, nil)
		if err == nil && a.Status != http.StatusOK {
			err = fmt.Errorf("%s %s: %d %s", r.method, r.path, a.Status, a.Body)
		}
		return err
	})
	for _, d := range s.Directories {
		d.Terminate(t)
		d.Start(t)
		traffic.AwaitAnswers(t, 30) // with the new replica
	}
	traffic.StopWithoutFailure(t)
}
