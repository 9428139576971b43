package e2e

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

const discover = "/api/oauth/provider_search/discover-locations"

// expiring connects a search profile whose access token is about to expire.
func expiring(t *testing.T, s *harness.Stack) *harness.Visitor {
	t.Helper()
	s.Sandbox.Toggle(t, "search", `{"access_token_seconds": 60}`)
	v := harness.LoggedIn(t, s.Gateway, "biuro@demo.example")
	v.Connect(t, harness.SearchProfile, "anna")
	return v
}

// TestOneRefreshOverTwoProcesses uses a provider that revokes the whole grant if a refresh
// token is used twice.
func TestOneRefreshOverTwoProcesses(t *testing.T) {
	s := own(t, harness.Options{Directories: 2, Postgres: true})
	s.Sandbox.Toggle(t, "search", `{"rotate_refresh_tokens": true}`)
	v := expiring(t, s)
	s.Sandbox.Toggle(t, "search", `{"access_token_seconds": 0}`)

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

// TestKilledWhileRefreshing kills the service at moments around the provider's response.
// The connection has to work with the old access token or the new one.
func TestKilledWhileRefreshing(t *testing.T) {
	s := own(t, harness.Options{Directories: 1, Postgres: true})
	directory := s.Directories[0]
	v := expiring(t, s).At(directory.URL()) // every call refreshes
	refreshes := func() int { return s.Sandbox.Count(t, "search", "token_requests", "refresh_token") }
	for moment := range 8 {
		before := refreshes()
		var sending sync.WaitGroup
		sending.Go(func() { _, _ = v.Try(context.Background(), http.MethodPost, discover, nil) }) // is interrupted
		harness.Eventually(t, "the provider receives the refresh token", func() bool { return refreshes() > before })
		time.Sleep(time.Duration(moment) * 2 * time.Millisecond)
		directory.Kill()
		sending.Wait()
		directory.Start(t)
		if a := v.Post(t, discover, nil); a.Status != http.StatusOK {
			t.Fatalf("moment %d: %d %s", moment, a.Status, a.Body)
		}
	}
}
