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

// TestFiguresOfSites: only a verified user reads them, a row for each day or query.
func TestFiguresOfSites(t *testing.T) {
	a := newApp(t)
	const days = `{"startDate":"2026-10-22","endDate":"2026-11-18","dimensions":["date"],"rowLimit":28}`
	query := func(person, site, body string) (code, rows int) {
		answer := a.call("POST", "/webmasters/v3/sites/"+site+"/searchAnalytics/query", a.connect(person, "scope", sites).AccessToken, body)
		return answer.Code, strings.Count(answer.Body.String(), `"keys"`)
	}
	for name, test := range map[string]struct {
		person, site, body string
		code, rows         int
	}{
		"days":           {"anna", "https:%2F%2Fpiekarnia-kowalski.example%2F", days, 200, 28},
		"queries":        {"anna", bakerySite, strings.Replace(days, "date\"]", "query\"]", 1), 200, 12},
		"unverified":     {"marek", "https:%2F%2Fwarsztat-nowak.example%2F", days, 403, 0},
		"another's site": {"marek", bakerySite, days, 403, 0},
		"no dates":       {"anna", bakerySite, `{"dimensions":["date"],"rowLimit":5}`, 400, 0},
		"no JSON":        {"anna", bakerySite, `{`, 400, 0},
	} {
		if code, rows := query(test.person, test.site, test.body); code != test.code || rows != test.rows {
			t.Errorf("%s: %d with %d rows, want %d with %d", name, code, rows, test.code, test.rows)
		}
	}
}
