package web

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
)

// FuzzOwnPath: wherever a login is asked to lead, it leads to a page of ours, as
// every browser reads the address.
func FuzzOwnPath(f *testing.F) {
	for _, seed := range []string{
		"/konto/audyt?x=1", "/audyt/piekarnia", "https://evil.example/konto/", "//evil.example/konto/x",
		`/\evil.example/konto/`, `\\evil.example`, "/konto/../../evil",
		"/konto//evil.example", "javascript:alert(1)//konto/", "/konto/%2e%2e/%2e%2e/api", "/konto/\t//evil",
		"/konto/x#//evil", "http:/konto/x", "/konto/%0d%0aX: y", "", "/%6bonto/x", "/konto/?a\\b", "/",
		"///evil.example", "konto/audyt", "/api/auth/me", "//konto/audyt",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		got := ownPath(address)
		u, err := url.Parse("https://firmy.example" + got)
		if err != nil || u.Host != "firmy.example" {
			t.Fatalf("%q leads to %q", address, got)
		}
		if u.User != nil || path.Clean(u.Path) != u.Path {
			t.Fatalf("%q leads to %q", address, got)
		}
		if !strings.HasPrefix(got, "/konto/") && !strings.HasPrefix(got, "/audyt/") ||
			strings.ContainsAny(got, "\r\n\t\x00") {
			t.Errorf("%q leads to %q", address, got)
		}
		if again := ownPath(got); again != got {
			t.Errorf("%q leads to %q, and that to %q", address, got, again)
		}
	})
}

func TestAskedIn(t *testing.T) {
	for scope, want := range map[string][]string{
		"openid https://www.googleapis.com/auth/webmasters.readonly": {"odczyt danych o witrynie w Search Console"},
		"pages_show_list,nowa_zgoda": {"lista stron na Facebooku, którymi zarządzasz",
			"nowa_zgoda"},
		"": nil,
		"https://www.googleapis.com/auth/business.manage": {
			"zarządzanie Profilem Firmy (Google nie ma zgody na sam odczyt; my tylko czytamy)",
		},
		"pages_show_list,pages_read_engagement,read_insights,instagram_basic,instagram_manage_insights," +
			"business_management": {
			"lista stron na Facebooku, którymi zarządzasz", "odczyt treści tych stron i liczby obserwujących",
			"odczyt statystyk stron",
			"odczyt połączonego konta na Instagramie i jego publikacji", "odczyt statystyk konta na Instagramie",
			"dostęp do stron w portfolio firmy",
		},
	} {
		if got := askedIn("https://consent.example/auth?" + url.Values{"scope": {scope}}.Encode()); !slices.Equal(
			got, want,
		) {
			t.Errorf("%q: %q, want %q", scope, got, want)
		}
	}
	if got := askedIn("https://consent.example/%zz?scope=a"); got != nil {
		t.Errorf("an address that cannot be read asks for %q", got)
	}
}
