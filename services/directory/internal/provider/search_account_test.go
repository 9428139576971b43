package provider_test

import (
	"testing"

	"backend.example/services/directory/internal/directory"
)

func TestSearchAccount(t *testing.T) {
	profile := []string{"openid", scopeProfile}
	analytics := []string{scopeWebmasters, scopeAnalytics}
	tests := []struct {
		name     string
		service  directory.Service
		scopes   []string
		accounts []string
		sites    string
		id, want string
		calls    int
	}{
		{"own account first", directory.SearchProfile, profile, []string{accountJSON(1, "PERSONAL"), accountJSON(2, "USER_GROUP")}, "", "accounts/1", "Konto 1", 1},
		{"no account", directory.SearchProfile, profile, nil, "", "", "", 1},
		{"not granted", directory.SearchProfile, []string{"openid"}, []string{accountJSON(1, "PERSONAL")}, "", "", "", 0},
		{"site", directory.SearchAnalytics, analytics, nil, `{"siteEntry":[{"siteUrl":"https://firma.example/","permissionLevel":"siteOwner"}]}`, "https://firma.example/", "https://firma.example/", 1},
		{"domain", directory.SearchAnalytics, analytics, nil, `{"siteEntry":[{"siteUrl":"sc-domain:firma.example","permissionLevel":"siteFullUser"}]}`, "sc-domain:firma.example", "firma.example", 1},
		{
			"closed ones left out", directory.SearchAnalytics, analytics, nil, `{"siteEntry":[
			{"siteUrl":"https://a.example/","permissionLevel":"siteUnverifiedUser"},
			{"siteUrl":"https://b.example/","permissionLevel":"SITE_UNVERIFIED_USER"},
			{"siteUrl":"https://c.example/","permissionLevel":"SITE_OWNER"}]}`, "https://c.example/", "https://c.example/", 1,
		},
		{"no site", directory.SearchAnalytics, analytics, nil, `{}`, "", "", 1},
		{"half granted", directory.SearchAnalytics, analytics[:1], nil, `{}`, "", "", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := newGoogleServer(t)
			server.accounts, server.sites = test.accounts, test.sites
			id, name, err := server.search().Account(t.Context(), test.service, directory.Token{AccessToken: googleAccess, Scopes: test.scopes})
			if err != nil || id != test.id || name != test.want {
				t.Errorf("Account = %q, %q, %v; want %q, %q", id, name, err, test.id, test.want)
			}
			if calls := len(server.paths()); calls != test.calls {
				t.Errorf("%d calls, want %d", calls, test.calls)
			}
		})
	}
}
