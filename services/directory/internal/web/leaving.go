package web

import (
	"net/url"
	"strings"

	"backend.example/services/directory/internal/provider"
)

// leavingView is the page on the way to a provider.
type leavingView struct {
	Provider provider.Name
	Service  string
	Address  string
	Asked    []string // what the provider will ask to permit, in Polish
}

// scopeTexts say what a scope permits. What is for our app alone has none.
var scopeTexts = map[string]string{
	"https://www.googleapis.com/auth/business.manage":     "zarządzanie Profilem Firmy (Google nie ma zgody na sam odczyt; my tylko czytamy)",
	"https://www.googleapis.com/auth/webmasters.readonly": "odczyt danych o witrynie w Search Console",
	"https://www.googleapis.com/auth/analytics.readonly":  "odczyt danych o witrynie w Google Analytics",
	"pages_show_list":           "lista stron na Facebooku, którymi zarządzasz",
	"pages_read_engagement":     "odczyt treści tych stron i liczby obserwujących",
	"read_insights":             "odczyt statystyk stron",
	"instagram_basic":           "odczyt połączonego konta na Instagramie i jego publikacji",
	"instagram_manage_insights": "odczyt statystyk konta na Instagramie",
	"business_management":       "dostęp do stron w portfolio firmy",
}

// askedIn lists what the consent page at an address asks for: scopes stand apart by
// spaces (RFC 6749, section 3.3) or, at Meta, by commas. One that has no text here is
// shown by its name.
func askedIn(address string) (asked []string) {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	for _, scope := range strings.FieldsFunc(u.Query().Get("scope"), func(r rune) bool { return r == ' ' || r == ',' }) {
		switch text, known := scopeTexts[scope]; {
		case known:
			asked = append(asked, text)
		case scope != "openid": // who the person is, which every login reveals
			asked = append(asked, scope)
		}
	}
	return asked
}
