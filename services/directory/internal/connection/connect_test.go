package connection_test

import (
	"net/url"
	"reflect"
	"regexp"
	"testing"

	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

func TestConnect(t *testing.T) {
	for _, tt := range []struct {
		pair     provider.Pair
		redirect string
		pkce     bool
	}{
		{profilePair, "https://firmy.example/api/oauth/callback/provider_search", true},
		{analyticsPair, "https://firmy.example/api/oauth/callback/provider_search", true},
		{pagesPair, "https://firmy.example/api/oauth/callback/provider_social", false},
		{photosPair, "https://firmy.example/api/oauth/callback/provider_social", false},
	} {
		t.Run(tt.pair.String(), func(t *testing.T) {
			s := directorytest.New(t)
			address, pending, err := s.Connections.Connect(anna(s), tt.pair)
			if err != nil {
				t.Fatal(err)
			}
			state := regexp.MustCompile(`^1:1:` + string(tt.pair.Service) + `:[A-Za-z0-9_-]{22}$`)
			if !state.MatchString(pending.State) || pending.Provider != tt.pair.Provider || !pending.CreatedAt.Equal(directorytest.Start) {
				t.Errorf("pending = %+v", pending)
			}
			if verifier := regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`); verifier.MatchString(pending.Verifier) != tt.pkce {
				t.Errorf("verifier = %q, with PKCE is %t", pending.Verifier, tt.pkce)
			}
			u, err := url.Parse(address)
			want := url.Values{"scope": {string(tt.pair.Service)}, "state": {pending.State}, "redirect_uri": {tt.redirect}}
			if tt.pkce {
				want["code_challenge"] = u.Query()["code_challenge"]
			}
			if err != nil || !reflect.DeepEqual(u.Query(), want) {
				t.Errorf("address = %q, %v, want one of %v", address, err, want)
			}
		})
	}
}

func TestConnectMakesEachStateAndVerifierOnce(t *testing.T) {
	s := directorytest.New(t)
	_, first, err1 := s.Connections.Connect(anna(s), profilePair)
	_, second, err2 := s.Connections.Connect(anna(s), profilePair)
	if err1 != nil || err2 != nil || first.State == second.State || first.Verifier == second.Verifier {
		t.Errorf("two connects: %+v, %v and %+v, %v", first, err1, second, err2)
	}
}

func TestConnectFaults(t *testing.T) {
	crossed := provider.Pair{Provider: provider.Search, Service: provider.SocialPages}
	unknown := provider.Pair{Provider: "provider_x", Service: provider.SearchProfile}
	for name, tt := range map[string]struct {
		company      int64 // of the user; 0: none
		pair         provider.Pair
		unconfigured bool
		kind         fault.Kind
		code         string
	}{
		"service of the other provider": {1, crossed, false, fault.Invalid, "invalid_pair"},
		"unknown provider":              {1, unknown, false, fault.Invalid, "invalid_pair"},
		"nothing":                       {1, provider.Pair{}, false, fault.Invalid, "invalid_pair"},
		"no company":                    {0, profilePair, false, fault.Forbidden, "no_company"},
		"not configured":                {1, profilePair, true, fault.Unavailable, "not_configured"},
		"pair before company":           {0, crossed, true, fault.Invalid, "invalid_pair"},
		"company before configuration":  {0, profilePair, true, fault.Forbidden, "no_company"},
	} {
		t.Run(name, func(t *testing.T) {
			s := directorytest.New(t)
			if tt.unconfigured {
				s.Unconfigure(provider.Search)
			}
			address, pending, err := s.Connections.Connect(directorytest.ActorOf(s.Anna, tt.company), tt.pair)
			wantFault(t, err, tt.kind, tt.code)
			if address != "" || pending != nil {
				t.Errorf("address, pending = %q, %+v, want none", address, pending)
			}
		})
	}
	s := directorytest.New(t)
	delete(s.Providers, provider.Search)
	_, _, err := s.Connections.Connect(anna(s), profilePair)
	wantFault(t, err, fault.Unavailable, "not_configured")
}
