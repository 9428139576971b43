package web

import (
	"net/url"
	"slices"
	"testing"
)

func TestAskedIn(t *testing.T) {
	for scope, want := range map[string][]string{
		"openid https://www.googleapis.com/auth/webmasters.readonly": {"odczyt danych o witrynie w Search Console"},
		"pages_show_list,nowa_zgoda":                                 {"lista stron na Facebooku, którymi zarządzasz", "nowa_zgoda"},
		"":                                                           nil,
	} {
		if got := askedIn("https://consent.example/auth?" + url.Values{"scope": {scope}}.Encode()); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", scope, got, want)
		}
	}
	if got := askedIn("https://consent.example/%zz?scope=a"); got != nil {
		t.Errorf("an address that cannot be read asks for %q", got)
	}
}
