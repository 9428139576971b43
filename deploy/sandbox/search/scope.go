package search

import (
	"slices"

	"backend.example/deploy/sandbox/internal/oauth"
)

// The scopes that an app may ask for
// (https://developers.google.com/identity/protocols/oauth2/scopes).
const (
	scopeOpenID     = "openid"
	scopeBusiness   = "https://www.googleapis.com/auth/business.manage"
	scopeConsole    = "https://www.googleapis.com/auth/webmasters"
	scopeConsoleRO  = "https://www.googleapis.com/auth/webmasters.readonly"
	scopeAnalyticRO = "https://www.googleapis.com/auth/analytics.readonly"
)

// knownScopes lists them. That of signing in has no checkbox.
func knownScopes() []oauth.Scope {
	return []oauth.Scope{
		{Name: scopeOpenID, Text: "Powiązanie z Twoimi danymi osobowymi", Fixed: true},
		{Name: scopeBusiness, Text: "Wyświetlanie i zmienianie profili Twoich firm oraz zarządzanie nimi"},
		{Name: scopeConsole, Text: "Wyświetlanie danych Twoich zweryfikowanych witryn i zarządzanie nimi"},
		{Name: scopeConsoleRO, Text: "Wyświetlanie danych Twoich zweryfikowanych witryn"},
		{Name: scopeAnalyticRO, Text: "Wyświetlanie i pobieranie danych analitycznych"},
	}
}

// findScopes looks each name up, once; unknown is the first that there is not.
func findScopes(names []string) (scopes []oauth.Scope, unknown string) {
	known := knownScopes()
	for _, name := range names {
		i := slices.IndexFunc(known, func(s oauth.Scope) bool { return s.Name == name })
		if i < 0 {
			return nil, name
		}
		if !slices.Contains(scopes, known[i]) {
			scopes = append(scopes, known[i])
		}
	}
	return scopes, ""
}
