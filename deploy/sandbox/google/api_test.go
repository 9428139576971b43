package google_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/fake"
)

// endpoints is one path of each API that a token with both scopes may ask.
func endpoints() map[string]string {
	return map[string]string{
		"accounts":  "/v1/accounts",
		"locations": "/v1/accounts/-/locations?readMask=name",
		"console":   "/webmasters/v3/sites",
	}
}

func TestATokenIsNeeded(t *testing.T) {
	for name, path := range endpoints() {
		for token, reason := range map[string]string{"": "CREDENTIALS_MISSING", "nonsense": "ACCESS_TOKEN_TYPE_UNSUPPORTED"} {
			answer := newApp(t).call("GET", path, token, "")
			if answer.Code != 401 || !strings.Contains(answer.Body.String(), reason) || !strings.Contains(answer.Body.String(), `"status":"UNAUTHENTICATED"`) {
				t.Errorf("%s with %q: %d %s", name, token, answer.Code, answer.Body)
			}
		}
	}
}

func TestATokenInTheAddressIsNotTaken(t *testing.T) {
	a := newApp(t)
	if answer := a.call("GET", "/v1/accounts?access_token="+a.connect("anna").AccessToken, "", ""); answer.Code != 401 {
		t.Errorf("got %d", answer.Code)
	}
}

func TestTheScopeIsNeeded(t *testing.T) {
	a := newApp(t)
	token := a.connect("anna", "scope", "openid "+sites).AccessToken
	for name, path := range endpoints() {
		answer := a.call("GET", path, token, "")
		if want := map[bool]int{true: 200, false: 403}[name == "console"]; answer.Code != want {
			t.Errorf("%s: got %d, want %d", name, answer.Code, want)
		}
		if answer.Code == 403 && !strings.Contains(answer.Body.String(), "ACCESS_TOKEN_SCOPE_INSUFFICIENT") {
			t.Errorf("%s: %s", name, answer.Body)
		}
	}
}

func TestPathsThatNoAPIHas(t *testing.T) {
	a := newApp(t)
	token := a.connect("anna").AccessToken
	for _, path := range []string{"/", "/v4/accounts/1/locations", "/v1/accounts/1"} {
		if answer := a.call("GET", path, token, ""); answer.Code != 404 || !strings.Contains(answer.Body.String(), "<!DOCTYPE html>") {
			t.Errorf("%s: %d %s", path, answer.Code, answer.Body)
		}
	}
}

func TestAGrantOpensTheAPIs(t *testing.T) {
	a := newApp(t)
	tokens := a.Grant("anna", business)
	if tokens.Refresh == "" {
		t.Error("there is no refresh token")
	}
	if status := a.ask(tokens.Access); status != 200 {
		t.Errorf("the accounts answer %d", status)
	}
	a.SetFault(fake.Fault{Kind: "status", Status: 503})
	if status := a.ask(tokens.Access); status != 503 {
		t.Errorf("with a fault: %d", status)
	}
	a.ClearFault()
	a.Do("revoke-grants", `{"account":"anna"}`)
	if status := a.ask(tokens.Access); status != 401 {
		t.Errorf("after the revocation: %d", status)
	}
	if requests := a.Requests(); len(requests) != 3 {
		t.Errorf("the log has %+v", requests)
	}
}

// ask sends a request through the request log and the faults.
func (a *app) ask(token string) int {
	request := httptest.NewRequest("GET", "/v1/accounts", nil)
	request.Header.Set("Authorization", "Bearer "+token)
	recorder := httptest.NewRecorder()
	a.ServeHTTP(recorder, request)
	return recorder.Code
}

const bakerySite = "sc-domain:piekarnia-kowalski.example"

func TestSitesOfPeople(t *testing.T) {
	a := newApp(t)
	for person, want := range map[string]string{
		"anna":  `{"siteEntry":[{"permissionLevel":"siteOwner","siteUrl":"` + bakerySite + `"},{"permissionLevel":"siteFullUser","siteUrl":"https://piekarnia-kowalski.example/"}]}`,
		"marek": `{"siteEntry":[{"permissionLevel":"siteUnverifiedUser","siteUrl":"https://warsztat-nowak.example/"}]}`,
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
