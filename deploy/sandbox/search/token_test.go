package search_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestACodeGivesTokens(t *testing.T) {
	a := newApp(t)
	got := a.connect("anna")
	if got.AccessToken == "" || got.ExpiresIn != 3599 || got.RefreshToken == "" || got.Scope != "openid "+business || got.TokenType != "Bearer" {
		t.Errorf("got %+v", got)
	}
	if claims := claimsOf(t, got.IDToken); claims["aud"] != "client" || claims["iss"] != "https://accounts.google.com" ||
		len(claims["sub"].(string)) != 21 || claims["exp"].(float64)-claims["iat"].(float64) != 3599 {
		t.Errorf("claims %v", claims)
	}
}

func claimsOf(t *testing.T, idToken string) map[string]any {
	t.Helper()
	parts := strings.Split(idToken, ".")
	if len(parts) != 3 {
		t.Fatalf("ID token %q", idToken)
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims map[string]any
	if err != nil || json.Unmarshal(text, &claims) != nil {
		t.Fatalf("claims %q, %v", text, err)
	}
	return claims
}

func TestTheIDTokenNamesThePerson(t *testing.T) {
	a := newApp(t)
	subjects := map[any]bool{}
	for _, person := range []string{"anna", "marek", "zofia", "piotr", "tomasz"} {
		subjects[claimsOf(t, a.connect(person).IDToken)["sub"]] = true
	}
	if len(subjects) != 5 {
		t.Errorf("%d subjects for 5 people", len(subjects))
	}
	if got := a.connect("anna", "scope", business).IDToken; got != "" {
		t.Errorf("an ID token without openid: %s", got)
	}
}

func TestTheTokenEndpointRefuses(t *testing.T) {
	cases := map[string]struct {
		form   func(code, refresh string) url.Values
		status int
		code   string
	}{
		"no grant type":    {func(c, _ string) url.Values { return exchange(c, "grant_type", "") }, 400, "invalid_request"},
		"other grant type": {func(c, _ string) url.Values { return exchange(c, "grant_type", "password") }, 400, "unsupported_grant_type"},
		"no client":        {func(c, _ string) url.Values { return exchange(c, "client_id", "") }, 400, "invalid_request"},
		"unknown client":   {func(c, _ string) url.Values { return exchange(c, "client_id", "x") }, 401, "invalid_client"},
		"no secret":        {func(c, _ string) url.Values { return exchange(c, "client_secret", "") }, 400, "invalid_request"},
		"wrong secret":     {func(c, _ string) url.Values { return exchange(c, "client_secret", "x") }, 401, "invalid_client"},
		"no code":          {func(c, _ string) url.Values { return exchange("") }, 400, "invalid_request"},
		"unknown code":     {func(c, _ string) url.Values { return exchange(c + "x") }, 400, "invalid_grant"},
		"other redirect":   {func(c, _ string) url.Values { return exchange(c, "redirect_uri", redirect+"/") }, 400, "redirect_uri_mismatch"},
		"no verifier":      {func(c, _ string) url.Values { return exchange(c, "code_verifier", "") }, 400, "invalid_grant"},
		"wrong verifier":   {func(c, _ string) url.Values { return exchange(c, "code_verifier", verifier[1:]+"A") }, 400, "invalid_grant"},
		"no refresh token": {func(_, r string) url.Values { return refreshing(r, "refresh_token", "") }, 400, "invalid_request"},
		"unknown refresh":  {func(_, r string) url.Values { return refreshing(r + "x") }, 400, "invalid_grant"},
		"refresh, secret":  {func(_, r string) url.Values { return refreshing(r, "client_secret", "x") }, 401, "invalid_client"},
		"repeated":         {func(c, _ string) url.Values { f := exchange(c); f.Add("code", c); return f }, 400, "invalid_request"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := newApp(t)
			refresh := a.connect("anna").RefreshToken
			answer := a.post("/token", c.form(a.allow("anna", asked()).Get("code"), refresh))
			var body struct {
				Error       string `json:"error"`
				Description string `json:"error_description"`
				AccessToken string `json:"access_token"`
			}
			if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil || answer.Code != c.status || body.Error != c.code || body.Description == "" || body.AccessToken != "" {
				t.Errorf("got %d %s, want %d %s", answer.Code, answer.Body, c.status, c.code)
			}
		})
	}
}

func TestParametersStandInTheBodyAlone(t *testing.T) {
	a := newApp(t)
	code := a.allow("anna", asked()).Get("code")
	if answer := a.post("/token?"+exchange(code).Encode(), url.Values{}); answer.Code != 400 {
		t.Errorf("taken from the address: %d", answer.Code)
	}
	if answer := a.call("POST", "/token", "", exchange(code).Encode()); answer.Code != 400 {
		t.Errorf("taken without a content type: %d", answer.Code)
	}
	if answer := a.post("/token", exchange(code)); answer.Code != 200 {
		t.Errorf("from the body: %d %s", answer.Code, answer.Body)
	}
}

func TestACodeIsGoodOnceAndForTenMinutes(t *testing.T) {
	a := newApp(t)
	code := a.allow("anna", asked()).Get("code")
	a.now = a.now.Add(10 * time.Minute)
	if answer := a.post("/token", exchange(code)); answer.Code != 200 {
		t.Errorf("at ten minutes: %s", answer.Body)
	}
	if answer := a.post("/token", exchange(code)); answer.Code != 400 || !strings.Contains(answer.Body.String(), "invalid_grant") {
		t.Errorf("the second time: %d %s", answer.Code, answer.Body)
	}
	late := a.allow("anna", asked()).Get("code")
	a.now = a.now.Add(10*time.Minute + 1)
	if answer := a.post("/token", exchange(late)); answer.Code != 400 {
		t.Errorf("after ten minutes: %d", answer.Code)
	}
}

func TestARefreshTokenComesWithOfflineAccess(t *testing.T) {
	a := newApp(t)
	for _, c := range []struct {
		access, prompt string
		want           bool
	}{
		{"online", "consent", false}, {"offline", "", false}, {"offline", "select_account", false}, {"offline", "consent", true},
	} {
		if got := a.connect("anna", "access_type", c.access, "prompt", c.prompt); (got.RefreshToken != "") != c.want {
			t.Errorf("%+v: got %q", c, got.RefreshToken)
		}
	}
	if got := a.connect("marek", "prompt", ""); got.RefreshToken == "" {
		t.Error("none at the first consent")
	}
	a.SetToggle("withhold_refresh_tokens", true)
	if got := a.connect("anna"); got.RefreshToken != "" {
		t.Error("one though it is withheld")
	}
}

func TestRefresh(t *testing.T) {
	a := newApp(t)
	first := a.connect("anna")
	got := read[tokens](t, a.post("/token", refreshing(first.RefreshToken)))
	if got.AccessToken == first.AccessToken || got.RefreshToken != "" || got.Scope != first.Scope {
		t.Errorf("got %+v", got)
	}
	if answer := a.call("GET", "/v1/accounts", got.AccessToken, ""); answer.Code != 200 {
		t.Errorf("the new token: %d", answer.Code)
	}
}

func TestAnAccessTokenEndsWhenItSays(t *testing.T) {
	a := newApp(t)
	a.set(`{"access_token_seconds":5}`)
	got := a.connect("anna")
	for _, c := range []struct {
		later  time.Duration
		status int
	}{{5*time.Second - 1, 200}, {1, 401}} {
		a.now = a.now.Add(c.later)
		answer := a.call("GET", "/v1/accounts", got.AccessToken, "")
		if answer.Code != c.status || (c.status == 401) != strings.Contains(answer.Body.String(), "ACCESS_TOKEN_EXPIRED") {
			t.Errorf("of %d seconds, %s later: %d %s", got.ExpiresIn, c.later, answer.Code, answer.Body)
		}
	}
}

func TestRevoke(t *testing.T) {
	a := newApp(t)
	got := a.connect("anna")
	for _, c := range []struct {
		form   url.Values
		status int
		text   string
	}{
		{url.Values{}, 400, "invalid_request"},
		{url.Values{"token": {got.AccessToken}}, 200, "{}"},
		{url.Values{"token": {got.AccessToken}}, 400, "invalid_token"},
		{url.Values{"token": {got.RefreshToken}}, 400, "invalid_token"},
	} {
		if answer := a.post("/revoke", c.form); answer.Code != c.status || !strings.Contains(answer.Body.String(), c.text) {
			t.Errorf("%v: got %d %s, want %d %s", c.form, answer.Code, answer.Body, c.status, c.text)
		}
	}
	if answer := a.post("/token", refreshing(got.RefreshToken)); answer.Code != 400 {
		t.Errorf("refresh after it: %d", answer.Code)
	}
}
