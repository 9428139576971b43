package search_test

import (
	"strings"
	"testing"
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
			if answer.Code != 401 || !strings.Contains(answer.Body.String(), reason) || !strings.Contains(answer.Body.String(), `"status": "UNAUTHENTICATED"`) {
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

func TestTogglesOfTheAPIs(t *testing.T) {
	cases := map[string]struct {
		toggles string
		status  int
		texts   []string
		retry   string
		console int // status of the search console
	}{
		"unauthorized": {`{"unauthorized":true}`, 401, []string{"ACCESS_TOKEN_EXPIRED"}, "", 401},
		"quota zero":   {`{"quota_zero":true}`, 429, []string{`"quota_limit_value": "0"`, "RATE_LIMIT_EXCEEDED"}, "", 200},
		"quota":        {`{"quota_exceeded":true}`, 429, []string{`"quota_limit_value": "300"`}, "30", 200},
		"disabled":     {`{"service_disabled":true}`, 403, []string{"SERVICE_DISABLED"}, "", 200},
		"scope lost":   {`{"missing_scopes":["` + business + `"]}`, 403, []string{"ACCESS_TOKEN_SCOPE_INSUFFICIENT"}, "", 200},
		"none":         {`{}`, 200, []string{"accounts/"}, "", 200},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := newApp(t)
			token := a.connect("anna", "scope", "openid "+business+" "+sites).AccessToken
			a.set(c.toggles)
			answer := a.call("GET", "/v1/accounts", token, "")
			for _, text := range c.texts {
				if !strings.Contains(answer.Body.String(), text) {
					t.Errorf("the body lacks %s: %s", text, answer.Body)
				}
			}
			if answer.Code != c.status || answer.Header().Get("Retry-After") != c.retry {
				t.Errorf("got %d %v", answer.Code, answer.Header())
			}
			if answer := a.call("GET", "/webmasters/v3/sites", token, ""); answer.Code != c.console {
				t.Errorf("console: %d, want %d", answer.Code, c.console)
			}
		})
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
