package search_test

import (
	"net/url"
	"strings"
	"testing"
)

func TestTheStateCountsAndHoldsNoSecret(t *testing.T) {
	a := newApp(t)
	a.get(authorize(asked()))
	got := a.connect("anna")
	a.sentBack(a.post(authorize(asked()), url.Values{"decision": {"deny"}}))
	a.get(authorize(asked("scope", "drive")))
	a.post("/token", refreshing(got.RefreshToken))
	a.post("/token", refreshing("1//nonsense"))
	a.call("GET", "/v1/accounts", got.AccessToken, "")
	a.call("GET", "/v1/accounts", "nonsense", "")
	a.post("/revoke", url.Values{"token": {"nonsense"}})

	want := `{"grants":[{"account":"anna","scopes":["openid","` + business + `"],"refresh_tokens":1}],` +
		`"counts":{"api_refusals":{"ACCESS_TOKEN_TYPE_UNSUPPORTED":1},"api_requests":{"mybusinessaccountmanagement.googleapis.com":2},` +
		`"consents":{"allowed":1,"denied":1,"shown":1},"token_refusals":{"invalid_grant":1,"invalid_token":1},` +
		`"token_requests":{"authorization_code":1,"refresh_token":2}}}`
	state := encode(t, a.State())
	if state != want {
		t.Errorf("got  %s\nwant %s", state, want)
	}
	secrets, _ := a.Secrets.List()
	if len(secrets) != 6 {
		t.Errorf("%d secrets in the register, want 6", len(secrets))
	}
	for _, secret := range secrets {
		if strings.Contains(state, secret.Value) {
			t.Errorf("the state shows a secret: %s", secret.Kind)
		}
	}
}

func TestActions(t *testing.T) {
	cases := map[string]struct {
		action, options, answer string
		access, refresh         int // status of using the tokens of anna after it
	}{
		"access":        {"expire-access-tokens", "", `{"access_tokens":2}`, 401, 200},
		"everybody":     {"revoke-grants", "", `{"grants":2}`, 401, 400},
		"anna":          {"revoke-grants", `{"account":"anna"}`, `{"grants":1}`, 401, 400},
		"marek":         {"revoke-grants", `{"account":"marek"}`, `{"grants":1}`, 200, 200},
		"nobody's":      {"revoke-grants", `{"account":"ewa"}`, `nobody has the account "ewa"`, 200, 200},
		"wrong options": {"revoke-grants", `{"person":"anna"}`, `not a valid JSON object: json: unknown field "person"`, 200, 200},
		"no options":    {"expire-access-tokens", `{"account":"anna"}`, `not a valid JSON object: json: unknown field "account"`, 200, 200},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := newApp(t)
			got := a.connect("anna")
			a.connect("marek")
			if answer := a.act(c.action, c.options); answer != c.answer {
				t.Errorf("got %s, want %s", answer, c.answer)
			}
			if answer := a.call("GET", "/v1/accounts", got.AccessToken, ""); answer.Code != c.access {
				t.Errorf("access: %d, want %d", answer.Code, c.access)
			}
			if answer := a.post("/token", refreshing(got.RefreshToken)); answer.Code != c.refresh {
				t.Errorf("refresh: %d, want %d", answer.Code, c.refresh)
			}
		})
	}
}
