package e2e

import (
	"context"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

const discover = "/api/oauth/provider_search/discover-locations"

// expiring connects a search profile with a credential that is about to expire.
func expiring(t *testing.T, s *harness.Stack) *harness.Visitor {
	t.Helper()
	s.Sandbox.Toggle(t, "search", `{"access_token_seconds": 60}`)
	v := harness.LoggedIn(t, s.Gateway, "biuro@demo.example")
	v.Connect(t, harness.SearchProfile, "anna")
	s.Sandbox.Toggle(t, "search", `{"access_token_seconds": 0}`)
	return v
}

// killDuring sends a request, kills the directory service some time after the
// provider was asked for a token, and starts the service again.
func killDuring(t *testing.T, s *harness.Stack, delay time.Duration, grant string, send func(context.Context)) {
	t.Helper()
	asked := func() int { return s.Sandbox.Count(t, "search", "token_requests", grant) }
	before := asked()
	var sending sync.WaitGroup
	sending.Go(func() { send(context.Background()) })
	harness.Eventually(t, "the provider is asked", func() bool { return asked() > before })
	<-time.After(delay)
	_ = s.Directories[0].Stop(syscall.SIGKILL)
	sending.Wait()
	s.Directories[0].Start(t)
}

// TestOneRefreshOverTwoProcesses lets the provider end the whole grant when a
// refresh token is used twice.
func TestOneRefreshOverTwoProcesses(t *testing.T) {
	needsOwnPrograms(t)
	s := own(t, harness.Options{Directories: 2, Database: harness.NewDatabase(t)})
	s.Sandbox.Toggle(t, "search", `{"rotate_refresh_tokens": true}`)
	v := expiring(t, s)

	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			if a := v.At(s.Directories[i%2].URL()).Post(t, discover, nil); a.Status != http.StatusOK {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		})
	}
	wg.Wait()
	if n := s.Sandbox.Count(t, "search", "token_requests", "refresh_token"); n != 1 {
		t.Errorf("100 calls made %d token requests, want 1", n)
	}
}

// TestKilledWhileRefreshing kills the service at moments around the provider's
// answer; the connection has to work with the old credential or the new one.
func TestKilledWhileRefreshing(t *testing.T) {
	needsOwnPrograms(t)
	s := own(t, harness.Options{Directories: 1, Database: harness.NewDatabase(t)})
	v := expiring(t, s).At(s.Directories[0].URL())
	s.Sandbox.Toggle(t, "search", `{"access_token_seconds": 60}`) // so that every call refreshes
	for moment := range 8 {
		killDuring(t, s, time.Duration(moment)*2*time.Millisecond, "refresh_token", func(ctx context.Context) {
			_, _ = v.Try(ctx, http.MethodPost, discover, nil) // cut off
		})
		if a := v.Post(t, discover, nil); a.Status != http.StatusOK {
			t.Fatalf("moment %d: %d %s", moment, a.Status, a.Body)
		}
	}
}

// TestKilledInTheCallback kills the service while a code is exchanged: there is
// no connection, or a whole one, and connecting again works.
func TestKilledInTheCallback(t *testing.T) {
	s := own(t, harness.Options{Directories: 1})
	v := harness.LoggedIn(t, s.Gateway, "biuro@demo.example")
	direct := v.At(s.Directories[0].URL())
	for moment := range 6 {
		back := v.Decide(t, v.Authorize(t, harness.SearchProfile), harness.AllowAll("anna"))
		killDuring(t, s, time.Duration(moment)*2*time.Millisecond, "authorization_code", func(ctx context.Context) {
			_, _ = direct.Try(ctx, http.MethodGet, back, nil) // cut off
		})
		connected := direct.Connections(t)[harness.SearchProfile].Connected
		if a := direct.Post(t, discover, nil); connected != (a.Status == http.StatusOK) {
			t.Errorf("moment %d: connected %t, but the locations answer %d %s", moment, connected, a.Status, a.Body)
		}
		harness.Healthy(t, s.Gateway+"/api/bizprofile/audit/health")
		v.Connect(t, harness.SearchProfile, "anna")
		harness.OK(t, direct.Post(t, "/api/oauth/disconnect/"+harness.SearchProfile, nil))
	}
}
