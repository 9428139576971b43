package web

import (
	"net/url"
	"path"
	"strings"
	"testing"
)

// FuzzOwnPath: wherever a login is asked to lead, it leads to a page of ours, as
// every browser reads the address.
func FuzzOwnPath(f *testing.F) {
	for _, seed := range []string{
		"/konto/audyt?x=1", "/audyt/piekarnia", "https://evil.example/konto/", "//evil.example/konto/x", `/\evil.example/konto/`, `\\evil.example`, "/konto/../../evil",
		"/konto//evil.example", "javascript:alert(1)//konto/", "/konto/%2e%2e/%2e%2e/api", "/konto/\t//evil", "/konto/x#//evil", "http:/konto/x", "/konto/%0d%0aX: y", "", "/%6bonto/x", "/konto/?a\\b", "/", "///evil.example", "konto/audyt", "/api/auth/me", "//konto/audyt",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		got := ownPath(address)
		u, err := url.Parse("https://firmy.example" + got)
		if err != nil || u.Host != "firmy.example" || u.User != nil || path.Clean(u.Path) != u.Path {
			t.Fatalf("%q leads to %q", address, got)
		}
		if !strings.HasPrefix(got, "/konto/") && !strings.HasPrefix(got, "/audyt/") || strings.ContainsAny(got, "\r\n\t\x00") {
			t.Errorf("%q leads to %q", address, got)
		}
		if again := ownPath(got); again != got {
			t.Errorf("%q leads to %q, and that to %q", address, got, again)
		}
	})
}
