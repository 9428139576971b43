package google_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

func TestTheConsentPage(t *testing.T) {
	answer := newApp(t).get(authorize(asked()))
	page, err := goquery.NewDocumentFromReader(answer.Body)
	if err != nil || answer.Code != 200 {
		t.Fatalf("got %d, %v", answer.Code, err)
	}
	if got := page.Find("input[name=account]").Length(); got != 5 {
		t.Errorf("%d accounts, want 5", got)
	}
	if got := page.Find("input[name=scope]").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("value", "") }); len(got) != 1 || got[0] != business {
		t.Errorf("checkboxes for %q, want one for the profile", got)
	}
}

// TestWrongAuthorizations holds that the person sees what is wrong, and that nobody
// is sent to an address that is not registered.
func TestWrongAuthorizations(t *testing.T) {
	cases := map[string]struct {
		query url.Values
		code  string
	}{
		"no client":           {asked("client_id", ""), "invalid_client"},
		"unknown client":      {asked("client_id", "other"), "invalid_client"},
		"no redirect":         {asked("redirect_uri", ""), "redirect_uri_mismatch"},
		"trailing slash":      {asked("redirect_uri", redirect+"/"), "redirect_uri_mismatch"},
		"further query":       {asked("redirect_uri", redirect+"?a=b"), "redirect_uri_mismatch"},
		"other host":          {asked("redirect_uri", strings.Replace(redirect, "localhost", "evil.example", 1)), "redirect_uri_mismatch"},
		"other provider":      {asked("redirect_uri", strings.Replace(redirect, "search", "social", 1)), "redirect_uri_mismatch"},
		"no type":             {asked("response_type", ""), "unsupported_response_type"},
		"implicit":            {asked("response_type", "token"), "unsupported_response_type"},
		"no scope":            {asked("scope", " "), "invalid_request"},
		"unknown scope":       {asked("scope", "openid drive"), "invalid_scope"},
		"odd access":          {asked("access_type", "always"), "invalid_request"},
		"odd prompt":          {asked("prompt", "login"), "invalid_request"},
		"plain challenge":     {asked("code_challenge_method", "plain"), "invalid_request"},
		"method alone":        {asked("code_challenge", ""), "invalid_request"},
		"challenge too short": {asked("code_challenge", "abc"), "invalid_request"},
		"repeated":            {url.Values{"client_id": {"client", "client"}}, "invalid_request"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := newApp(t)
			decision := url.Values{"decision": {"allow"}, "account": {"anna"}, "scope": {"all"}}
			for _, answer := range []*httptest.ResponseRecorder{a.get(authorize(c.query)), a.post(authorize(c.query), decision)} {
				if answer.Code != 400 || !strings.Contains(answer.Body.String(), c.code) || answer.Header().Get("Location") != "" {
					t.Errorf("got %d %s %.300s", answer.Code, answer.Header(), answer.Body)
				}
			}
			if secrets, _ := a.Secrets(); len(secrets) != 0 {
				t.Errorf("issued %d secrets", len(secrets))
			}
		})
	}
}

func TestDecisions(t *testing.T) {
	both := asked("scope", "openid "+sites+" "+analytics)
	cases := map[string]struct {
		query url.Values
		form  string
		error string
		scope string
	}{
		"all":            {both, "decision=allow&account=anna&scope=all", "", "openid " + sites + " " + analytics},
		"unticked":       {both, "decision=allow&account=anna&scope=" + url.QueryEscape(analytics), "", "openid " + analytics},
		"all unticked":   {both, "decision=allow&account=anna", "", "openid"},
		"nothing left":   {asked("scope", business), "decision=allow&account=anna", "access_denied", ""},
		"denied":         {both, "decision=deny&account=anna&scope=all", "access_denied", ""},
		"online as well": {asked("access_type", "online"), "decision=allow&account=anna&scope=all", "", "openid " + business},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := newApp(t)
			form, _ := url.ParseQuery(c.form)
			back := a.sentBack(a.post(authorize(c.query), form))
			if back.Get("error") != c.error || back.Get("scope") != c.scope || (back.Get("code") == "") != (c.error != "") {
				t.Errorf("got %v", back)
			}
			if back.Get("state") != "7:3:search_profile:a b&c" {
				t.Errorf("state %q", back.Get("state"))
			}
		})
	}
}

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

func TestEventsAreCounted(t *testing.T) {
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
	want := map[string]map[string]int{
		"api_refusals":   {"ACCESS_TOKEN_TYPE_UNSUPPORTED": 1},
		"api_requests":   {"mybusinessaccountmanagement.googleapis.com": 2},
		"consents":       {"allowed": 1, "denied": 1, "shown": 1},
		"token_refusals": {"invalid_grant": 1, "invalid_token": 1},
		"token_requests": {"authorization_code": 1, "refresh_token": 2},
	}
	if !reflect.DeepEqual(a.Counts(), want) {
		t.Errorf("counts %v, want %v", a.Counts(), want)
	}
	if secrets, _ := a.Secrets(); len(secrets) != 6 {
		t.Errorf("%d secrets in the register, want 6", len(secrets))
	}
	a.Reset()
	if status := a.call("GET", "/v1/accounts", got.AccessToken, "").Code; status != 401 || len(a.Counts()["consents"]) != 0 {
		t.Errorf("after a reset: %d, %v", status, a.Counts())
	}
}

func TestActionsEndTokens(t *testing.T) {
	for name, c := range map[string]struct {
		action, options string
		ended           int
		access, refresh int // status of using the tokens of anna after it
	}{
		"access":             {"expire-access-tokens", "", 2, 401, 200},
		"access of one":      {"expire-access-tokens", `{"account":"marek"}`, 1, 200, 200},
		"everyone's grants":  {"revoke-grants", "", 4, 401, 400},
		"anna's grant":       {"revoke-grants", `{"account":"anna"}`, 2, 401, 400},
		"marek's grant":      {"revoke-grants", `{"account":"marek"}`, 2, 200, 200},
		"unknown account":    {"revoke-grants", `{"account":"ewa"}`, -1, 200, 200},
		"unknown option":     {"revoke-grants", `{"person":"anna"}`, -1, 200, 200},
		"options not object": {"revoke-grants", `[]`, -1, 200, 200},
		"unknown action":     {"expire-tokens", "", -1, 200, 200},
	} {
		t.Run(name, func(t *testing.T) {
			a := newApp(t)
			got := a.connect("anna")
			a.connect("marek")
			if ended, err := a.Act(c.action, strings.NewReader(c.options)); (err != nil) != (c.ended < 0) || err == nil && ended != c.ended {
				t.Errorf("%d tokens ended, %v, want %d", ended, err, c.ended)
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

func TestAReplacedRefreshTokenEndsTheGrantWhenItComesAgain(t *testing.T) {
	a := newApp(t)
	first, stranger := a.connect("anna"), a.connect("marek")
	a.SetToggle("rotate_refresh_tokens", true)
	second := read[tokens](t, a.post("/token", refreshing(first.RefreshToken)))
	third := read[tokens](t, a.post("/token", refreshing(second.RefreshToken)))
	for _, value := range []string{first.RefreshToken, third.RefreshToken} {
		if answer := a.post("/token", refreshing(value)); answer.Code != 400 {
			t.Errorf("got %d %s", answer.Code, answer.Body)
		}
	}
	for token, want := range map[string]int{first.AccessToken: 401, third.AccessToken: 401, stranger.AccessToken: 200} {
		if answer := a.call("GET", "/v1/accounts", token, ""); answer.Code != want {
			t.Errorf("an access token: %d, want %d", answer.Code, want)
		}
	}
}
