package e2e

import (
	"context"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/stack"
)

const discover = "/api/oauth/provider_search/discover-locations"

// expiring connects a search profile with a credential that is about to expire.
func expiring(t *testing.T, s *stack.Stack) *stack.Visitor {
	t.Helper()
	s.Sandbox.Knobs(t, "search", `{"access_token_seconds": 60}`)
	v := stack.NewVisitor(t, s.Gateway)
	v.Login(t, "biuro@demo.example")
	v.Connect(t, "provider_search/search_profile", "anna")
	s.Sandbox.Knobs(t, "search", `{"access_token_seconds": 0}`)
	return v
}

// TestOneRefreshOverTwoProcesses lets the provider end the whole grant when a
// refresh token is used twice.
func TestOneRefreshOverTwoProcesses(t *testing.T) {
	startsPrograms(t)
	s := native(t, stack.Options{Directories: 2, Database: stack.NewDatabase(t)})
	s.Sandbox.Knobs(t, "search", `{"rotate_refresh_tokens": true}`)
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
	startsPrograms(t)
	s := native(t, stack.Options{Directories: 1, Database: stack.NewDatabase(t)})
	v := expiring(t, s)
	s.Sandbox.Knobs(t, "search", `{"access_token_seconds": 60}`) // so that every call refreshes
	d := s.Directories[0]
	for moment := range 8 {
		before := s.Sandbox.Count(t, "search", "token_requests", "refresh_token")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = stack.Send(context.Background(), v.HTTP, http.MethodPost, d.URL()+discover, nil) // cut off
		}()
		stack.Eventually(t, "the provider is asked", func(context.Context) bool {
			return s.Sandbox.Count(t, "search", "token_requests", "refresh_token") > before
		})
		<-time.After(time.Duration(moment) * 2 * time.Millisecond)
		_ = d.Stop(syscall.SIGKILL)
		<-ended
		d.Start(t)
		if a := v.At(d.URL()).Post(t, discover, nil); a.Status != http.StatusOK {
			t.Fatalf("moment %d: %d %s", moment, a.Status, a.Body)
		}
	}
}

// TestKilledInTheCallback kills the service while a code is exchanged: there is
// no connection, or a whole one, and connecting again works.
func TestKilledInTheCallback(t *testing.T) {
	s := native(t, stack.Options{Directories: 1})
	v := stack.NewVisitor(t, s.Gateway)
	v.Login(t, "biuro@demo.example")
	d := s.Directories[0]
	direct := v.At(d.URL())
	for moment := range 6 {
		back := v.Decide(t, v.Authorize(t, "provider_search/search_profile"), stack.AllowAll("anna"))
		before := s.Sandbox.Count(t, "search", "token_requests", "authorization_code")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = stack.Send(context.Background(), v.HTTP, http.MethodGet, d.URL()+back, nil) // cut off
		}()
		stack.Eventually(t, "the code is exchanged", func(context.Context) bool {
			return s.Sandbox.Count(t, "search", "token_requests", "authorization_code") > before
		})
		<-time.After(time.Duration(moment) * 2 * time.Millisecond)
		_ = d.Stop(syscall.SIGKILL)
		<-ended
		d.Start(t)
		pair := "provider_search/search_profile"
		connected := stack.Decode[status](t, ok(t, direct.Get(t, "/api/oauth/status"))).Services[pair].Connected
		if a := direct.Post(t, discover, nil); connected != (a.Status == http.StatusOK) {
			t.Errorf("moment %d: connected %t, but the locations answer %d %s", moment, connected, a.Status, a.Body)
		}
		stack.Healthy(t, s.Gateway+"/api/bizprofile/audit/health")
		v.Connect(t, pair, "anna")
		ok(t, direct.Post(t, "/api/oauth/disconnect/"+pair, nil))
	}
}
