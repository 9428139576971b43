package search_test

import (
	"strings"
	"testing"
)

const bakerySite = "sc-domain:piekarnia-kowalski.example"

func TestSitesOfPeople(t *testing.T) {
	a := newApp(t)
	for person, want := range map[string]string{
		"anna":  `{"siteEntry":[{"siteUrl":"` + bakerySite + `","permissionLevel":"siteOwner"},{"siteUrl":"https://piekarnia-kowalski.example/","permissionLevel":"siteFullUser"}]}`,
		"marek": `{"siteEntry":[{"siteUrl":"https://warsztat-nowak.example/","permissionLevel":"siteUnverifiedUser"}]}`,
		"zofia": `{}`,
	} {
		answer := a.call("GET", "/webmasters/v3/sites", a.connect(person, "scope", sites).AccessToken, "")
		if got := strings.Join(strings.Fields(answer.Body.String()), ""); answer.Code != 200 || got != want {
			t.Errorf("%s: got %d %s, want %s", person, answer.Code, got, want)
		}
	}
}
