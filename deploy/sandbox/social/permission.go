package social

import (
	"slices"
	"strings"

	"backend.example/deploy/sandbox/internal/consent"
)

// The permissions that decide what the Graph API answers
// (https://developers.facebook.com/docs/permissions).
const (
	publicProfile  = "public_profile"
	listPages      = "pages_show_list"
	readPages      = "pages_read_engagement"
	readInsights   = "read_insights"
	manageBusiness = "business_management"
	photoBasic     = "instagram_basic"
	photoInsights  = "instagram_manage_insights"
)

// permissions lists those that an app can ask for, in Polish for the dialog.
func permissions() []consent.Scope {
	return []consent.Scope{
		{Name: publicProfile, Text: "Imię i nazwisko", Fixed: true},
		{Name: "email", Text: "Adres e-mail"},
		{Name: listPages, Text: "Lista stron, którymi zarządzasz"},
		{Name: readPages, Text: "Odczyt treści i danych tych stron"},
		{Name: "pages_read_user_content", Text: "Odczyt tego, co inni piszą na tych stronach"},
		{Name: readInsights, Text: "Odczyt statystyk tych stron"},
		{Name: manageBusiness, Text: "Dostęp do portfolio firmowego i jego stron"},
		{Name: photoBasic, Text: "Profil i zdjęcia konta firmowego w serwisie ze zdjęciami"},
		{Name: photoInsights, Text: "Odczyt statystyk tego konta"},
		{Name: "ads_read", Text: "Odczyt statystyk reklam"},
		{Name: "ads_management", Text: "Zarządzanie reklamami"},
	}
}

// perPage lists those that a person may limit to some pages.
func perPage() []string {
	return []string{listPages, readPages, "pages_read_user_content", readInsights, photoBasic, photoInsights}
}

// readScope reads the scope parameter: names between commas. public_profile is
// always among the result. unknown holds what no app can ask for.
func readScope(text string) (asked []consent.Scope, unknown []string) {
	var names []string
	if text != "" {
		names = strings.Split(text, ",")
	}
	for _, name := range names {
		if !slices.ContainsFunc(permissions(), func(p consent.Scope) bool { return p.Name == name }) {
			unknown = append(unknown, name)
		}
	}
	for _, p := range permissions() {
		if p.Fixed || slices.Contains(names, p.Name) {
			asked = append(asked, p)
		}
	}
	return asked, unknown
}

func namesOf(scopes []consent.Scope) []string {
	names := make([]string, 0, len(scopes))
	for _, scope := range scopes {
		names = append(names, scope.Name)
	}
	return names
}
