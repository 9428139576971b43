package directory_test

import (
	"net/url"
	"reflect"
	"regexp"
	"testing"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

func TestConnect(t *testing.T) {
	for _, tt := range []struct {
		pair     directory.Pair
		redirect string
		pkce     bool
	}{
		{profilePair, "https://firmy.example/api/oauth/callback/provider_search", true},
		{analyticsPair, "https://firmy.example/api/oauth/callback/provider_search", true},
		{pagesPair, "https://firmy.example/api/oauth/callback/provider_social", false},
		{photosPair, "https://firmy.example/api/oauth/callback/provider_social", false},
	} {
		t.Run(tt.pair.String(), func(t *testing.T) {
			l := newLink(t)
			address, pending, err := l.oauth.Connect(linkActor(42, 7), tt.pair)
			if err != nil {
				t.Fatal(err)
			}
			state := regexp.MustCompile(`^7:42:` + string(tt.pair.Service) + `:[A-Za-z0-9_-]{22}$`)
			if !state.MatchString(pending.State) || pending.Provider != tt.pair.Provider || !pending.CreatedAt.Equal(linkNow) {
				t.Errorf("pending = %+v", pending)
			}
			if verifier := regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`); verifier.MatchString(pending.Verifier) != tt.pkce {
				t.Errorf("verifier = %q, with PKCE is %t", pending.Verifier, tt.pkce)
			}
			u, err := url.Parse(address)
			want := url.Values{
				"service": {string(tt.pair.Service)}, "state": {pending.State}, "verifier": {pending.Verifier}, "redirect": {tt.redirect},
			}
			if err != nil || !reflect.DeepEqual(u.Query(), want) {
				t.Errorf("address = %q, %v, want one of %v", address, err, want)
			}
		})
	}
}

func TestConnectMakesEachStateAndVerifierOnce(t *testing.T) {
	l := newLink(t)
	_, first, err1 := l.oauth.Connect(linkActor(42, 7), profilePair)
	_, second, err2 := l.oauth.Connect(linkActor(42, 7), profilePair)
	if err1 != nil || err2 != nil || first.State == second.State || first.Verifier == second.Verifier {
		t.Errorf("two connects: %+v, %v and %+v, %v", first, err1, second, err2)
	}
}

func TestConnectFaults(t *testing.T) {
	crossed := directory.Pair{Provider: directory.ProviderSearch, Service: directory.SocialPages}
	unknown := directory.Pair{Provider: "provider_x", Service: directory.SearchProfile}
	for name, tt := range map[string]struct {
		actor        directory.Actor
		pair         directory.Pair
		unconfigured bool
		kind         fault.Kind
		code         string
	}{
		"service of the other provider": {linkActor(42, 7), crossed, false, fault.Invalid, "invalid_pair"},
		"unknown provider":              {linkActor(42, 7), unknown, false, fault.Invalid, "invalid_pair"},
		"nothing":                       {linkActor(42, 7), directory.Pair{}, false, fault.Invalid, "invalid_pair"},
		"no company":                    {linkActor(42, 0), profilePair, false, fault.Forbidden, "no_company"},
		"not configured":                {linkActor(42, 7), profilePair, true, fault.Unavailable, "not_configured"},
		"pair before company":           {linkActor(42, 0), crossed, true, fault.Invalid, "invalid_pair"},
		"company before configuration":  {linkActor(42, 0), profilePair, true, fault.Forbidden, "no_company"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLink(t)
			if tt.unconfigured {
				l.can(directory.ProviderSearch, unconfigured)
			}
			address, pending, err := l.oauth.Connect(tt.actor, tt.pair)
			wantFault(t, err, tt.kind, tt.code)
			if address != "" || pending != nil {
				t.Errorf("address, pending = %q, %+v, want none", address, pending)
			}
		})
	}
	l := newLink(t)
	_, _, err := l.with(nil).Connect(linkActor(42, 7), profilePair)
	wantFault(t, err, fault.Unavailable, "not_configured")
}
