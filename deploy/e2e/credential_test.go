package e2e

import (
	"context"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"
)

const discover = "/api/oauth/provider_search/discover-locations"

// expiring connects a search profile with a credential that is about to expire.
func expiring(t *testing.T, s *stack) *visitor {
	t.Helper()
	s.sandbox.knobs(t, "search", `{"access_token_seconds": 60}`)
	v := newVisitor(t, s.gateway)
	v.login(t, "biuro@demo.example")
	v.connect(t, "provider_search/search_profile", "anna")
	s.sandbox.knobs(t, "search", `{"access_token_seconds": 0}`)
	return v
}

// TestOneRefreshOverTwoProcesses lets the provider end the whole grant when a
// refresh token is used twice.
func TestOneRefreshOverTwoProcesses(t *testing.T) {
	s := native(t, options{directories: 2, database: newDatabase(t)})
	s.sandbox.knobs(t, "search", `{"rotate_refresh_tokens": true}`)
	v := expiring(t, s)

	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			if a := v.at(s.directories[i%2].url()).post(t, discover, nil); a.status != http.StatusOK {
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
	wg.Wait()
	if n := s.sandbox.count(t, "search", "token_requests", "refresh_token"); n != 1 {
		t.Errorf("100 calls made %d token requests, want 1", n)
	}
}

// TestKilledWhileRefreshing kills the service at moments around the provider's
// answer; the connection has to work with the old credential or the new one.
func TestKilledWhileRefreshing(t *testing.T) {
	s := native(t, options{directories: 1, database: newDatabase(t)})
	v := expiring(t, s)
	s.sandbox.knobs(t, "search", `{"access_token_seconds": 60}`) // so that every call refreshes
	d := s.directories[0]
	for moment := range 8 {
		before := s.sandbox.count(t, "search", "token_requests", "refresh_token")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = send(context.Background(), v.http, http.MethodPost, d.url()+discover, nil) // cut off
		}()
		eventually(t, "the provider is asked", func(context.Context) bool {
			return s.sandbox.count(t, "search", "token_requests", "refresh_token") > before
		})
		<-time.After(time.Duration(moment) * 2 * time.Millisecond)
		_ = d.process.stop(syscall.SIGKILL)
		<-ended
		d.start(t)
		if a := v.at(d.url()).post(t, discover, nil); a.status != http.StatusOK {
			t.Fatalf("moment %d: %d %s", moment, a.status, a.body)
		}
	}
}

// TestKilledInTheCallback kills the service while a code is exchanged: there is
// no connection, or a whole one, and connecting again works.
func TestKilledInTheCallback(t *testing.T) {
	s := native(t, options{directories: 1})
	v := newVisitor(t, s.gateway)
	v.login(t, "biuro@demo.example")
	d := s.directories[0]
	direct := v.at(d.url())
	for moment := range 6 {
		back := v.decide(t, v.authorize(t, "provider_search/search_profile"), allowAll("anna"))
		before := s.sandbox.count(t, "search", "token_requests", "authorization_code")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = send(context.Background(), v.http, http.MethodGet, d.url()+back, nil) // cut off
		}()
		eventually(t, "the code is exchanged", func(context.Context) bool {
			return s.sandbox.count(t, "search", "token_requests", "authorization_code") > before
		})
		<-time.After(time.Duration(moment) * 2 * time.Millisecond)
		_ = d.process.stop(syscall.SIGKILL)
		<-ended
		d.start(t)
		pair := "provider_search/search_profile"
		connected := decode[status](t, ok(t, direct.get(t, "/api/oauth/status"))).Services[pair].Connected
		if a := direct.post(t, discover, nil); connected != (a.status == http.StatusOK) {
			t.Errorf("moment %d: connected %t, but the locations answer %d %s", moment, connected, a.status, a.body)
		}
		healthy(t, s.gateway+"/api/bizprofile/audit/health")
		v.connect(t, pair, "anna")
		ok(t, direct.post(t, "/api/oauth/disconnect/"+pair, nil))
	}
}
