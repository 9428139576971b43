package google_test

import (
	"net/url"
	"slices"
	"testing"

	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
)

const (
	scopeProfile    = "https://www.googleapis.com/auth/business.manage"
	scopeWebmasters = "https://www.googleapis.com/auth/webmasters.readonly"
	scopeAnalytics  = "https://www.googleapis.com/auth/analytics.readonly"
)

func TestSearchAuthURL(t *testing.T) {
	tests := []struct {
		service provider.Service
		base    *url.URL
		address string
		scope   string
	}{
		{service: provider.SearchProfile, address: "https://accounts.google.com/o/oauth2/v2/auth", scope: "openid " + scopeProfile},
		{
			service: provider.SearchAnalytics, base: &url.URL{Scheme: "http", Host: "127.0.0.1:9093"},
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
		if got := google.New(google.Options{ClientID: test.id, ClientSecret: test.secret}).Configured(); got != test.want {
			t.Errorf("with id %q and secret %q: configured %t", test.id, test.secret, got)
		}
	}
}

func TestSearchLacks(t *testing.T) {
	search := google.New(google.Options{})
	tests := []struct {
		name    string
		service provider.Service
		granted []string
		want    []string
	}{
		{"profile", provider.SearchProfile, []string{"openid", scopeProfile}, nil},
		{"profile unticked", provider.SearchProfile, []string{"openid"}, []string{scopeProfile}},
		{"both", provider.SearchAnalytics, []string{scopeAnalytics, scopeWebmasters}, nil},
		{"one unticked", provider.SearchAnalytics, []string{"openid", scopeWebmasters}, []string{scopeAnalytics}},
		{"nothing", provider.SearchAnalytics, nil, []string{scopeWebmasters, scopeAnalytics}},
		{"wider scope", provider.SearchAnalytics, []string{"https://www.googleapis.com/auth/webmasters", scopeAnalytics}, nil},
		{"scope of another service", provider.SearchProfile, []string{scopeWebmasters}, []string{scopeProfile}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := search.Lacks(test.service, test.granted); !slices.Equal(got, test.want) {
				t.Errorf("Lacks = %v, want %v", got, test.want)
			}
		})
	}
}
