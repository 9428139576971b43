package provider_test

import (
	"net/url"
	"slices"
	"testing"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/provider"
)

const (
	scopeProfile    = "https://www.googleapis.com/auth/business.manage"
	scopeWebmasters = "https://www.googleapis.com/auth/webmasters.readonly"
	scopeAnalytics  = "https://www.googleapis.com/auth/analytics.readonly"
)

func TestSearchAuthURL(t *testing.T) {
	tests := []struct {
		service directory.Service
		base    *url.URL
		address string
		scope   string
	}{
		{service: directory.SearchProfile, address: "https://accounts.google.com/o/oauth2/v2/auth", scope: "openid " + scopeProfile},
		{
			service: directory.SearchAnalytics, base: &url.URL{Scheme: "http", Host: "127.0.0.1:9093"},
			address: "http://127.0.0.1:9093/o/oauth2/v2/auth", scope: "openid " + scopeWebmasters + " " + scopeAnalytics,
		},
	}
	for _, test := range tests {
		t.Run(string(test.service), func(t *testing.T) {
			search := provider.NewSearch(provider.SearchOptions{ClientID: clientID, ClientSecret: clientSecret, BaseURL: test.base})
			want := url.Values{
				"client_id": {clientID}, "redirect_uri": {redirectURL}, "response_type": {"code"}, "state": {"7:3:a b&c"},
				"scope": {test.scope}, "access_type": {"offline"}, "prompt": {"consent"},
				"code_challenge": {challenge()}, "code_challenge_method": {"S256"},
			}
			if got := search.AuthURL(test.service, "7:3:a b&c", verifier, redirectURL); got != test.address+"?"+want.Encode() {
				t.Errorf("AuthURL = %s\nwant %s?%s", got, test.address, want.Encode())
			}
		})
	}
}

// What both providers say of themselves depends on the settings of our app.
func TestAbilities(t *testing.T) {
	tests := []struct {
		id, secret string
		configured bool
	}{
		{id: "", secret: "", configured: false},
		{id: "1", secret: "", configured: false},
		{id: "", secret: "2", configured: false},
		{id: "1", secret: "2", configured: true},
	}
	for _, test := range tests {
		search := provider.NewSearch(provider.SearchOptions{ClientID: test.id, ClientSecret: test.secret}).Abilities()
		social := provider.NewSocial(provider.SocialOptions{ClientID: test.id, ClientSecret: test.secret, PKCE: test.configured}).Abilities()
		if search.Configured != test.configured || social.Configured != test.configured {
			t.Errorf("with id %q and secret %q: configured %t and %t", test.id, test.secret, search.Configured, social.Configured)
		}
		if !search.UsesPKCE || social.UsesPKCE != test.configured {
			t.Errorf("UsesPKCE = %t and %t, want true and what the option says", search.UsesPKCE, social.UsesPKCE)
		}
	}
}

func TestAbilitiesOfEachProvider(t *testing.T) {
	search, social := newSearch(nil).Abilities(), newSocial(nil).Abilities()
	for name, a := range map[string]directory.Abilities{"search": search, "social": social} {
		if a.AuthURL == nil || a.Exchange == nil || a.Lacks == nil || a.Account == nil || a.Refresh == nil || a.Revoke == nil {
			t.Errorf("%s cannot connect accounts: %+v", name, a)
		}
	}
	if search.Locations == nil || search.ReadLocation == nil || search.Pages != nil || search.ReadPage != nil || search.ReadPhotos != nil {
		t.Errorf("search has %+v, want locations only", search)
	}
	if social.Pages == nil || social.ReadPage == nil || social.ReadPhotos == nil || social.Locations != nil || social.ReadLocation != nil {
		t.Errorf("social has %+v, want pages only", social)
	}
}

func TestSearchLacks(t *testing.T) {
	search := provider.NewSearch(provider.SearchOptions{})
	tests := []struct {
		name    string
		service directory.Service
		granted []string
		want    []string
	}{
		{"profile", directory.SearchProfile, []string{"openid", scopeProfile}, nil},
		{"profile unticked", directory.SearchProfile, []string{"openid"}, []string{scopeProfile}},
		{"both", directory.SearchAnalytics, []string{scopeAnalytics, scopeWebmasters}, nil},
		{"one unticked", directory.SearchAnalytics, []string{"openid", scopeWebmasters}, []string{scopeAnalytics}},
		{"nothing", directory.SearchAnalytics, nil, []string{scopeWebmasters, scopeAnalytics}},
		{"wider scope", directory.SearchAnalytics, []string{"https://www.googleapis.com/auth/webmasters", scopeAnalytics}, nil},
		{"scope of another service", directory.SearchProfile, []string{scopeWebmasters}, []string{scopeProfile}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := search.Lacks(test.service, test.granted); !slices.Equal(got, test.want) {
				t.Errorf("Lacks = %v, want %v", got, test.want)
			}
		})
	}
}
