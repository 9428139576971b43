package google_test

import (
	"testing"

	"backend.example/services/directory/internal/provider"
)

func TestSearchAccountOfProfiles(t *testing.T) {
	for _, test := range []struct {
		scopes []string
		empty  bool
		want   string
		calls  int
	}{
		{scopes: []string{"openid", scopeProfile}, want: "Anna Kowalska", calls: 1}, // her own account is the first
		{scopes: []string{"openid", scopeProfile}, empty: true, calls: 1},
		{scopes: []string{"openid"}},
	} {
		fake, s := newGoogle(t)
		fake.SetToggle("empty_lists", test.empty)
		token := provider.Token{AccessToken: fake.Grant("anna", test.scopes...).Access, Scopes: test.scopes}
		id, name, err := s.search().Account(t.Context(), provider.SearchProfile, token)
		if err != nil || name != test.want || (id == "") != (test.want == "") || len(s.Calls) != test.calls {
			t.Errorf("with %v: account %q %q, %v after %d calls; want %+v", test.scopes, id, name, err, len(s.Calls), test)
		}
	}
}

func TestSearchAccountOfSites(t *testing.T) {
	const bakery, florist = "sc-domain:piekarnia-kowalski.example", "sc-domain:kwiaciarnia-polna.example"
	tests := []struct {
		name, person string // of the sandbox
		halfGranted  bool
		sites        string // reply in place of the sandbox's
		id, want     string
		calls        int
	}{
		{name: "domain", person: "anna", id: bakery, want: "piekarnia-kowalski.example", calls: 1},
		{name: "unverified first", person: "piotr", id: florist, want: "kwiaciarnia-polna.example", calls: 1},
		{name: "unverified only", person: "marek", calls: 1},
		{name: "none", person: "tomasz", calls: 1},
		{name: "half granted", person: "anna", halfGranted: true},
		{
			name: "spelled as in the schema", person: "anna", id: "https://c.example/", want: "https://c.example/", calls: 1,
			sites: `{"siteEntry":[{"siteUrl":"https://b.example/","permissionLevel":"SITE_UNVERIFIED_USER"},
				{"siteUrl":"https://c.example/","permissionLevel":"SITE_OWNER"}]}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fake, s := newGoogle(t)
			if test.sites != "" {
				s.Replies["GET /webmasters/v3/sites"] = ok(test.sites)
			}
			scopes := []string{scopeWebmasters, scopeAnalytics}
			if test.halfGranted {
				scopes = scopes[:1]
			}
			token := provider.Token{AccessToken: fake.Grant(test.person, scopes...).Access, Scopes: scopes}
			id, name, err := s.search().Account(t.Context(), provider.SearchAnalytics, token)
			if err != nil || id != test.id || name != test.want || len(s.Calls) != test.calls {
				t.Errorf("account %q %q, %v after %d calls; want %q %q after %d", id, name, err, len(s.Calls), test.id, test.want, test.calls)
			}
		})
	}
}
