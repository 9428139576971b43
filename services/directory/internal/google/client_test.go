package google_test

import (
	"net/url"
	"slices"
	"testing"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/google"
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
			search := google.New(google.Options{ClientID: clientID, ClientSecret: clientSecret, BaseURL: test.base})
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

func TestConfiguredNeedsIDAndSecret(t *testing.T) {
	for _, test := range []struct {
		id, secret string
		want       bool
	}{{"", "", false}, {"1", "", false}, {"", "2", false}, {"1", "2", true}} {
		a := google.New(google.Options{ClientID: test.id, ClientSecret: test.secret}).Abilities()
		if a.Configured != test.want || a.UsesPKCE != true {
			t.Errorf("with id %q and secret %q: configured %t, PKCE %t", test.id, test.secret, a.Configured, a.UsesPKCE)
		}
	}
}

func TestSearchLacks(t *testing.T) {
	search := google.New(google.Options{})
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
