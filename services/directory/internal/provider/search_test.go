package provider_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"slices"
	"testing"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/provider"
)

func TestSearchAuthURL(t *testing.T) {
	sum := sha256.Sum256([]byte(googleVerifier))
	common := map[string]string{
		"client_id": googleClientID, "redirect_uri": googleRedirect, "response_type": "code", "state": "7:3:search_profile:a b&c",
		"access_type": "offline", "prompt": "consent",
		"code_challenge": base64.RawURLEncoding.EncodeToString(sum[:]), "code_challenge_method": "S256",
	}
	scopes := map[directory.Service]string{
		directory.SearchProfile:   "openid " + scopeProfile,
		directory.SearchAnalytics: "openid " + scopeWebmasters + " " + scopeAnalytics,
	}
	search := provider.NewSearch(provider.SearchOptions{ClientID: googleClientID, ClientSecret: googleClientSecret})
	for service, scope := range scopes {
		u, err := url.Parse(search.AuthURL(service, common["state"], googleVerifier, googleRedirect))
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Scheme + "://" + u.Host + u.Path; got != "https://accounts.google.com/o/oauth2/v2/auth" {
			t.Errorf("address = %s", got)
		}
		query := u.Query()
		if len(query) != len(common)+1 || query.Get("scope") != scope {
			t.Errorf("%s: query = %v, want scope %q and %d others", service, query, scope, len(common))
		}
		for name, want := range common {
			if got := query.Get(name); got != want {
				t.Errorf("%s: %s = %q, want %q", service, name, got, want)
			}
		}
	}
}

func TestSearchAuthURLAtBase(t *testing.T) {
	base := &url.URL{Scheme: "http", Host: "127.0.0.1:9093"}
	search := provider.NewSearch(provider.SearchOptions{ClientID: googleClientID, ClientSecret: googleClientSecret, BaseURL: base})
	u, err := url.Parse(search.AuthURL(directory.SearchProfile, "s", googleVerifier, googleRedirect))
	if err != nil || u.Scheme != "http" || u.Host != base.Host || u.Path != "/o/oauth2/v2/auth" {
		t.Errorf("address = %v, %v; want the path at the base", u, err)
	}
	if !search.Abilities().UsesPKCE {
		t.Error("UsesPKCE() = false")
	}
}

func TestSearchConfigured(t *testing.T) {
	for _, test := range []struct {
		id, secret string
		want       bool
	}{{"", "", false}, {"id", "", false}, {"", "secret", false}, {"id", "secret", true}} {
		search := provider.NewSearch(provider.SearchOptions{ClientID: test.id, ClientSecret: test.secret})
		if got := search.Abilities().Configured; got != test.want {
			t.Errorf("Configured(%q, %q) = %v", test.id, test.secret, got)
		}
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
		{"wider", directory.SearchAnalytics, []string{"https://www.googleapis.com/auth/webmasters", scopeAnalytics}, nil},
		{"other service's", directory.SearchProfile, []string{scopeWebmasters}, []string{scopeProfile}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := search.Lacks(test.service, test.granted); !slices.Equal(got, test.want) {
				t.Errorf("Lacks = %v, want %v", got, test.want)
			}
		})
	}
}
