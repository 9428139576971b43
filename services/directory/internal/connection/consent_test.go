package connection_test

import (
	"errors"
	"net/url"
	"reflect"
	"slices"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
)

// oneConsent is a callback of a consent to both services of provider_search, after the
// session has stored what it keeps. Each service needs a scope of its own name.
func oneConsent(s *directorytest.Service, scopes ...string) *arrival {
	s.T.Helper()
	s.Search.ScopeEach = true
	s.Search.Token.Scopes = scopes
	a := &arrival{Service: s, actor: anna(s)}
	address, pending, err := s.Connections.Connect(a.actor, profilePair, provider.SearchAnalytics)
	if err != nil {
		s.T.Fatal(err)
	}
	if u, err := url.Parse(address); err != nil || u.Query().Get("scope") != "search_profile search_analytics" {
		s.T.Errorf("address %s, %v", address, err)
	}
	if a.pending, err = connection.ParsePending(pending.String()); err != nil {
		s.T.Fatal(err)
	}
	a.cb = connection.Callback{Provider: provider.Search, Code: "the-code", State: pending.State}
	return a
}

func TestOneConsentConnectsWhatItGrants(t *testing.T) {
	const profile, analytics = provider.SearchProfile, provider.SearchAnalytics
	for name, test := range map[string]struct {
		scopes []string
		want   connection.Granted
	}{
		"everything": {[]string{"search_profile", "search_analytics"},
			connection.Granted{Pair: profilePair, More: []provider.Service{analytics}}},
		"the first service": {
			[]string{"search_profile"}, connection.Granted{Pair: profilePair, Refused: []provider.Service{analytics}},
		},
		"the other service": {
			[]string{"search_analytics"}, connection.Granted{Pair: analyticsPair, Refused: []provider.Service{profile}},
		},
		"nothing": {nil, connection.Granted{Pair: profilePair, Refused: []provider.Service{analytics}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := directorytest.New(t)
			a := oneConsent(s, test.scopes...)
			done, oauthError := s.Connections.Finish(t.Context(), a.actor, a.pending, a.cb)
			if oauthError != "" || done.Pair != test.want.Pair {
				t.Fatalf("Finish = %+v, %q", done, oauthError)
			}
			if !slices.Equal(done.More, test.want.More) || !slices.Equal(done.Refused, test.want.Refused) {
				t.Errorf("Finish = %+v, %q", done, oauthError)
			}
			var stored []provider.Pair
			for _, c := range must(s.Store.Connections.List(t.Context(), s.Company.ID))(t) {
				stored = append(stored, c.Pair)
				if !c.Active || c.AccessToken != "access-1" {
					t.Fatalf("stored = %+v", c)
				}
				if c.RefreshToken != "refresh-1" || !slices.Equal(c.Scopes, test.scopes) {
					t.Errorf("stored = %+v", c)
				}
			}
			if len(stored) != 1+len(done.More) || !slices.Contains(stored, done.Pair) {
				t.Errorf("stored %v", stored)
			}
			if len(s.Search.Exchanges) != 1 ||
				s.Search.Exchanges[0].Get("service") != "search_profile search_analytics" {
				t.Errorf("exchanges %v", s.Search.Exchanges)
			}
			if reason := statusOf(s, profilePair).NeedsReconnect; reason != (name == "nothing") {
				t.Errorf("needs reconnection %t", reason)
			}
		})
	}
}

// The first service stays connected if the second one cannot be saved, and a new consent
// connects it.
func TestOneConsentInterrupted(t *testing.T) {
	s := directorytest.New(t)
	a := oneConsent(s, "search_profile", "search_analytics")
	restore := func() {}
	s.Search.During["Account"] = func() {
		if len(s.Search.Calls) == 3 { // Exchange, Account of the first, Account of the second
			restore = s.Hide("oauth_tokens")
		}
	}
	if _, oauthError := a.finish(); oauthError != "save_failed" {
		t.Errorf("oauth_error = %q", oauthError)
	}
	restore()
	s.Search.During = map[string]func(){}
	if !statusOf(s, profilePair).Connected || statusOf(s, analyticsPair).Connected {
		t.Error("want the first service alone")
	}
	if p, oauthError := oneConsent(s, "search_profile", "search_analytics").finish(); p != profilePair ||
		oauthError != "" || !statusOf(s, analyticsPair).Connected {
		t.Errorf("Finish = %v, %q", p, oauthError)
	}
}

func TestOneConsentFaults(t *testing.T) {
	s := directorytest.New(t)
	for _, more := range [][]provider.Service{{provider.SocialPages}, {provider.SearchProfile}, {""}} {
		_, _, err := s.Connections.Connect(anna(s), profilePair, more...)
		wantFault(t, err, connection.CodeInvalidPair.Kind, connection.CodeInvalidPair.Name)
	}
	a := oneConsent(s, "search_profile", "search_analytics")
	a.pending.More = []provider.Service{"search_mail"} // of another release
	if _, oauthError := a.finish(); oauthError != "token_exchange_failed" || len(s.Search.Exchanges) > 0 {
		t.Errorf("oauth_error = %q", oauthError)
	}
	a = oneConsent(s, "search_profile", "search_analytics")
	s.Search.Fail["Exchange"] = provider.Temporary(errors.New("away"))
	if _, oauthError := a.finish(); oauthError != "token_exchange_failed" || statusOf(s, profilePair).Connected {
		t.Errorf("oauth_error = %q", oauthError)
	}
}

// A provider that replaces the refresh token accepts it once, whichever connection of the
// consent renews first.
func TestOneConsentSharesTheNextRefreshToken(t *testing.T) {
	s := directorytest.New(t)
	_, oauthError := oneConsent(s, "search_profile", "search_analytics").finish()
	if oauthError != "" {
		t.Fatal(oauthError)
	}
	s.Search.Renewal = provider.Token{AccessToken: "access-2", RefreshToken: "refresh-2",
		ExpiresAt: directorytest.After(3 * time.Hour)}
	s.Now = s.Now.Add(time.Hour)
	c := must(s.Connections.Active(t.Context(), s.Company.ID, profilePair))(t)
	_ = must(fresh(s, t.Context(), c))(t)
	other := s.Stored(analyticsPair)
	if other.RefreshToken != "refresh-2" || other.AccessToken != "access-1" {
		t.Errorf("stored = %+v", other)
	}
	s.Search.Renewal.RefreshToken = "" // stays the same
	_ = must(fresh(s, t.Context(), other))(t)
	var used []string
	for _, grant := range s.Search.Refreshed {
		used = append(used, grant.RefreshToken)
	}
	if want := []string{"refresh-1", "refresh-2"}; !reflect.DeepEqual(used, want) {
		t.Errorf("refreshed with %q", used)
	}
	s.Change(analyticsPair, func(c *connection.Connection) { c.RefreshToken = "of another consent" })
	s.Search.Renewal.RefreshToken = "refresh-3"
	s.Now = s.Now.Add(3 * time.Hour)
	_ = must(fresh(s, t.Context(), s.Stored(profilePair)))(t)
	if own, other := s.Stored(profilePair), s.Stored(analyticsPair); own.RefreshToken != "refresh-3" ||
		other.RefreshToken != "of another consent" {
		t.Errorf("stored %+v and %+v", own, other)
	}
}

// A first refresh token is not shared: no other connection is known to be of its consent.
func TestFirstRefreshTokenIsNotShared(t *testing.T) {
	s := directorytest.New(t)
	c := s.Connect(
		connection.Connection{Pair: profilePair, AccessToken: "access-1", ExpiresAt: directorytest.After(time.Minute)},
	)
	s.Connect(connection.Connection{Pair: analyticsPair, AccessToken: "access-9"})
	s.Search.Renewal = provider.Token{AccessToken: "access-2", RefreshToken: "refresh-2"}
	_ = must(fresh(s, t.Context(), c))(t)
	if own, other := s.Stored(profilePair), s.Stored(analyticsPair); own.RefreshToken != "refresh-2" ||
		other.RefreshToken != "" {
		t.Errorf("stored %+v and %+v", own, other)
	}
}
