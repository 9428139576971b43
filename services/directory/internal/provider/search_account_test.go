package provider_test

import (
	"testing"

	"backend.example/services/directory/internal/directory"
)

func TestSearchAccount(t *testing.T) {
	profile, analytics := []string{"openid", scopeProfile}, []string{scopeWebmasters, scopeAnalytics}
	const sites = `{"siteEntry":[
		{"siteUrl":"https://a.example/","permissionLevel":"siteUnverifiedUser"},
		{"siteUrl":"https://b.example/","permissionLevel":"SITE_UNVERIFIED_USER"},
		{"siteUrl":"https://c.example/","permissionLevel":"SITE_OWNER"}]}`
	tests := []struct {
		name    string
		service directory.Service
		person  string // of the sandbox
		scopes  []string
		sites   string // reply in place of the sandbox's
		id      string // empty: any
		want    string
		calls   int
	}{
		{
			name: "own account first", service: directory.SearchProfile, person: "anna", scopes: profile,
			want: "Anna Kowalska", calls: 1,
		},
		{name: "not granted", service: directory.SearchProfile, person: "anna", scopes: []string{"openid"}},
		{
			name: "domain", service: directory.SearchAnalytics, person: "anna", scopes: analytics,
			id: "sc-domain:piekarnia-kowalski.example", want: "piekarnia-kowalski.example", calls: 1,
		},
		{
			name: "unverified first", service: directory.SearchAnalytics, person: "piotr", scopes: analytics,
			id: "sc-domain:kwiaciarnia-polna.example", want: "kwiaciarnia-polna.example", calls: 1,
		},
		{
			name: "spelled as in the schema", service: directory.SearchAnalytics, person: "anna", scopes: analytics,
			sites: sites, id: "https://c.example/", want: "https://c.example/", calls: 1,
		},
		{name: "unverified only", service: directory.SearchAnalytics, person: "marek", scopes: analytics, calls: 1},
		{name: "no site", service: directory.SearchAnalytics, person: "tomasz", scopes: analytics, calls: 1},
		{name: "half granted", service: directory.SearchAnalytics, person: "anna", scopes: analytics[:1]},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fake, s := newGoogle(t)
			if test.sites != "" {
				s.replies["GET /webmasters/v3/sites"] = ok(test.sites)
			}
			token := directory.Token{AccessToken: fake.Grant(test.person, test.scopes...).Access, Scopes: test.scopes}
			id, name, err := s.search().Account(t.Context(), test.service, token)
			if err != nil || name != test.want || (id == "") != (test.want == "") || test.id != "" && id != test.id {
				t.Errorf("Account = %q, %q, %v; want %q, %q", id, name, err, test.id, test.want)
			}
			if len(s.calls) != test.calls {
				t.Errorf("%d calls, want %d", len(s.calls), test.calls)
			}
		})
	}
	fake, s := newGoogle(t)
	fake.SetToggle("empty_lists", true)
	id, name, err := s.search().Account(t.Context(), directory.SearchProfile, directory.Token{AccessToken: fake.Grant("anna", profile...).Access, Scopes: profile})
	if id != "" || name != "" || err != nil {
		t.Errorf("without accounts: %q, %q, %v", id, name, err)
	}
}
