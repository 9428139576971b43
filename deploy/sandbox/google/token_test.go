package google_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

func TestTheConsentPage(t *testing.T) {
	answer := newApp(t).get(authorize("scope", "openid "+sites+" "+analytics), "")
	page, err := goquery.NewDocumentFromReader(answer.Body)
	if err != nil || answer.Code != 200 || answer.Header().Get("Cache-Control") != "no-store" || answer.Header().Get("Referrer-Policy") != "no-referrer" {
		t.Fatalf("got %d %v, %v", answer.Code, answer.Header(), err)
	}
	for selector, want := range map[string]string{
		"form[method=post]:not([action]) input[type=radio][name=account]": "anna marek zofia piotr tomasz",
		"input[type=radio][checked]":                                      "anna",
		"input[type=checkbox][name=scope][checked]":                       sites + " " + analytics, // openid is fixed
		"button[name=decision]":                                           "allow deny",
		"script":                                                          "",
	} {
		got := page.Find(selector).Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("value", "") })
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", selector, got, want)
		}
	}
	if got := page.Find("h1").Text(); got != "Katalog firm prosi o dostęp do konta" {
		t.Errorf("heading %q", got)
	}
}

// The person sees what is wrong, and is not sent to an address that is not registered.
func TestWrongAuthorizations(t *testing.T) {
	const allow = "decision=allow&account=anna&scope=all"
	for name, c := range map[string]struct{ address, form, code string }{
		"unknown client":      {authorize("client_id", "other"), allow, "invalid_client"},
		"no redirect":         {authorize("redirect_uri", ""), allow, "redirect_uri_mismatch"},
		"other provider":      {authorize("redirect_uri", strings.Replace(redirect, "search", "social", 1)), allow, "redirect_uri_mismatch"},
		"no type":             {authorize("response_type", ""), allow, "unsupported_response_type"},
		"no scope":            {authorize("scope", " "), allow, "invalid_request"},
		"unknown scope":       {authorize("scope", "openid drive"), allow, "invalid_scope"},
		"odd access":          {authorize("access_type", "always"), allow, "invalid_request"},
		"odd prompt":          {authorize("prompt", "login"), allow, "invalid_request"},
		"plain challenge":     {authorize("code_challenge_method", "plain"), allow, "invalid_request"},
		"challenge alone":     {authorize("code_challenge_method", ""), allow, "invalid_request"},
		"challenge too short": {authorize("code_challenge", "abc"), allow, "invalid_request"},
		"repeated":            {authorize() + "&state=x", allow, "invalid_request"},
		"another word":        {authorize(), "decision=ok&account=anna", "decision must be allow or deny"},
		"no account":          {authorize(), "decision=allow&scope=all", "is not one of: anna, marek"},
		"unasked scope":       {authorize(), "decision=allow&account=anna&scope=drive", "was not asked for"},
		"huge":                {authorize(), "decision=allow&account=" + strings.Repeat("a", 100<<10), "cannot be read"},
	} {
		a := newApp(t)
		form, _ := url.ParseQuery(c.form)
		answers := []*httptest.ResponseRecorder{a.post(c.address, form)}
		if c.form == allow {
			answers = append(answers, a.get(c.address, ""))
		}
		for _, answer := range answers {
			if answer.Code != 400 || !strings.Contains(answer.Body.String(), c.code) || answer.Header().Get("Location") != "" {
				t.Errorf("%s: got %d %s %.2000s", name, answer.Code, answer.Header(), answer.Body)
			}
		}
		if secrets, _ := a.Secrets(); len(secrets) != 0 {
			t.Errorf("%s: issued %d secrets", name, len(secrets))
		}
	}
}

func TestDecisions(t *testing.T) {
	both := authorize("scope", "openid "+sites+" "+analytics)
	for _, c := range []struct{ address, form, error, scope string }{
		{both, "decision=allow&account=anna&scope=all", "", "openid " + sites + " " + analytics},
		{both, "decision=allow&account=anna&scope=" + url.QueryEscape(analytics), "", "openid " + analytics},
		{both, "decision=allow&account=anna", "", "openid"},
		{authorize("scope", business), "decision=allow&account=anna", "access_denied", ""},
		{both, "decision=deny&account=anna&scope=all", "access_denied", ""},
		{authorize("access_type", "online"), "decision=allow&account=anna&scope=all", "", "openid " + business},
	} {
		back := newApp(t).decide(c.address, c.form)
		if back.Get("error") != c.error || back.Get("scope") != c.scope || (back.Get("code") == "") != (c.error != "") ||
			back.Get("state") != "7:3:search_profile:a b&c" {
			t.Errorf("%s: got %v", c.form, back)
		}
	}
}

func TestACodeGivesTokens(t *testing.T) {
	a, subjects := newApp(t), map[any]bool{}
	for _, person := range []string{"anna", "marek", "zofia", "piotr", "tomasz"} {
		got := a.connect(person)
		if got.AccessToken == "" || got.ExpiresIn != 3599 || got.RefreshToken == "" || got.Scope != "openid "+business || got.TokenType != "Bearer" {
			t.Errorf("got %+v", got)
		}
		var claims map[string]any
		parts := strings.Split(got.IDToken+"..", ".")
		mac := hmac.New(sha256.New, []byte("secret")) // HS256 (RFC 7515, appendix A.1)
		mac.Write([]byte(parts[0] + "." + parts[1]))
		text, err := base64.RawURLEncoding.DecodeString(parts[1])
		if err != nil || json.Unmarshal(text, &claims) != nil || parts[2] != base64.RawURLEncoding.EncodeToString(mac.Sum(nil)) || claims["aud"] != "client" || claims["iss"] != "https://accounts.google.com" ||
			len(claims["sub"].(string)) != 21 || claims["exp"].(float64)-claims["iat"].(float64) != 3599 {
			t.Errorf("ID token %s: %v", text, err)
		}
		subjects[claims["sub"]] = true
	}
	if got := a.connect("anna", "scope", business).IDToken; got != "" || len(subjects) != 5 {
		t.Errorf("ID token without openid %q, %d subjects", got, len(subjects))
	}
}

func TestTheTokenEndpointRefuses(t *testing.T) {
	a := newApp(t)
	code := func() string { return a.allow("anna") }
	repeated := exchange(code())
	repeated.Add("code", "x")
	for name, c := range map[string]struct {
		form   url.Values
		status int
		code   string
	}{
		"no grant type":    {exchange(code(), "grant_type", ""), 400, "invalid_request"},
		"other grant type": {exchange(code(), "grant_type", "password"), 400, "unsupported_grant_type"},
		"unknown client":   {exchange(code(), "client_id", "x"), 401, "invalid_client"},
		"wrong secret":     {exchange(code(), "client_secret", "x"), 401, "invalid_client"},
		"no client":        {exchange(code(), "client_id", ""), 400, "invalid_request"},
		"no secret":        {exchange(code(), "client_secret", ""), 400, "invalid_request"},
		"no code":          {exchange(""), 400, "invalid_request"},
		"unknown code":     {exchange("x"), 400, "invalid_grant"},
		"other redirect":   {exchange(code(), "redirect_uri", redirect+"/"), 400, "redirect_uri_mismatch"},
		"no verifier":      {exchange(code(), "code_verifier", ""), 400, "invalid_grant"},
		"wrong verifier":   {exchange(code(), "code_verifier", verifier[1:]+"A"), 400, "invalid_grant"},
		"spare verifier":   {exchange(a.Code("anna", "", business)), 400, "invalid_grant"},
		"spare short one":  {exchange(a.Code("anna", "", business), "code_verifier", "abc"), 400, "invalid_grant"},
		"unknown refresh":  {refreshing("x"), 400, "invalid_grant"},
		"access token":     {refreshing(a.connect("anna").AccessToken), 400, "invalid_grant"},
		"repeated":         {repeated, 400, "invalid_request"},
	} {
		answer := a.post("/token", c.form)
		var body struct {
			Error       string `json:"error"`
			Description string `json:"error_description"`
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil || answer.Code != c.status || body.Error != c.code || body.Description == "" {
			t.Errorf("%s: got %d %s, want %d %s", name, answer.Code, answer.Body, c.status, c.code)
		}
	}
	if answer := a.post("/token?"+exchange(code()).Encode(), url.Values{}); answer.Code != 400 {
		t.Errorf("parameters in the address: %d", answer.Code)
	}
	if answer := a.call("POST", "/token", "", exchange(code()).Encode()); answer.Code != 400 {
		t.Errorf("no content type: %d", answer.Code)
	}
}

func TestACodeIsGoodOnceAndForTenMinutes(t *testing.T) {
	a := newApp(t)
	code, late := a.allow("anna"), ""
	for _, c := range []struct {
		later  time.Duration
		code   *string
		status int
	}{{10 * time.Minute, &code, 200}, {0, &code, 400}, {0, &late, 400}} {
		a.now = a.now.Add(c.later)
		if answer := a.post("/token", exchange(*c.code)); answer.Code != c.status {
			t.Errorf("%s later: %d %s, want %d", c.later, answer.Code, answer.Body, c.status)
		}
	}
	late = a.allow("anna")
	a.now = a.now.Add(10*time.Minute + 1)
	if answer := a.post("/token", exchange(late)); answer.Code != 400 || !strings.Contains(answer.Body.String(), "invalid_grant") {
		t.Errorf("after ten minutes: %d %s", answer.Code, answer.Body)
	}
}

func TestACodeIsUsedUpByAWrongAttempt(t *testing.T) {
	for _, name := range []string{"redirect_uri", "code_verifier"} {
		a := newApp(t)
		code := a.allow("anna")
		for _, form := range []url.Values{exchange(code, name, "wrong"), exchange(code)} {
			if answer := a.post("/token", form); answer.Code != 400 {
				t.Errorf("wrong %s: got %d %s", name, answer.Code, answer.Body)
			}
		}
	}
}

func TestACodeEndsWithItsGrant(t *testing.T) {
	a := newApp(t)
	code := a.allow("anna")
	a.Do("revoke-grants", `{"account":"anna"}`)
	if answer := a.post("/token", exchange(code)); answer.Code != 400 || !strings.Contains(answer.Body.String(), "invalid_grant") {
		t.Errorf("got %d %s", answer.Code, answer.Body)
	}
}

func TestAVerifierHas43To128Characters(t *testing.T) {
	a := newApp(t)
	for length, status := range map[int]int{42: 400, 43: 200, 128: 200, 129: 400} {
		text := strings.Repeat("v", length)
		sum := sha256.Sum256([]byte(text))
		code := a.Code("anna", base64.RawURLEncoding.EncodeToString(sum[:]), business)
		answer := a.post("/token", exchange(code, "code_verifier", text))
		if answer.Code != status || strings.Contains(answer.Body.String(), `"refresh_token"`) != (status == 200) {
			t.Errorf("%d characters: got %d %s, want %d", length, answer.Code, answer.Body, status)
		}
	}
}

// TestManyRefreshesAtOnce has the race detector watch the store of tokens.
func TestManyRefreshesAtOnce(t *testing.T) {
	a := newApp(t)
	first := a.connect("anna")
	var refreshes sync.WaitGroup
	begin := make(chan bool)
	for range 200 {
		refreshes.Go(func() {
			<-begin
			if answer := a.post("/token", refreshing(first.RefreshToken)); answer.Code != 200 {
				t.Errorf("got %d %s", answer.Code, answer.Body)
			}
		})
	}
	close(begin)
	refreshes.Wait()
}

func TestWhenThereIsARefreshToken(t *testing.T) {
	a := newApp(t)
	for _, c := range []struct {
		person, access, prompt string
		withhold, want         bool
	}{
		{"anna", "online", "consent", false, false}, {"anna", "offline", "", false, false}, {"anna", "offline", "select_account", false, false},
		{"anna", "offline", "consent", false, true}, {"marek", "offline", "", false, true}, // the first consent
		{"anna", "offline", "consent", true, false},
	} {
		a.SetToggle("withhold_refresh_tokens", c.withhold)
		if got := a.connect(c.person, "access_type", c.access, "prompt", c.prompt); (got.RefreshToken != "") != c.want {
			t.Errorf("%+v: got %q", c, got.RefreshToken)
		}
	}
}

func TestRefresh(t *testing.T) {
	a := newApp(t)
	first := a.connect("anna")
	got := read[tokens](t, a.post("/token", refreshing(first.RefreshToken)))
	if got.AccessToken == first.AccessToken || got.RefreshToken != "" || got.Scope != first.Scope || a.get("/v1/accounts", got.AccessToken).Code != 200 {
		t.Errorf("got %+v", got)
	}
	a.SetToggle("access_token_seconds", 5)
	got = read[tokens](t, a.post("/token", refreshing(first.RefreshToken)))
	for later, status := range map[time.Duration]int{5*time.Second - 1: 200, 5 * time.Second: 401} {
		begin := a.now
		a.now = a.now.Add(later)
		if answer := a.get("/v1/accounts", got.AccessToken); answer.Code != status || (status == 401) != strings.Contains(answer.Body.String(), "ACCESS_TOKEN_EXPIRED") {
			t.Errorf("of %d seconds, %s later: %d %s", got.ExpiresIn, later, answer.Code, answer.Body)
		}
		a.now = begin
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
	later := a.connect("anna")
	for range 2 { // which ended with the earlier grant, but was never replaced
		a.post("/token", refreshing(third.RefreshToken))
	}
	for token, want := range map[string]int{first.AccessToken: 401, third.AccessToken: 401, stranger.AccessToken: 200, later.AccessToken: 200} {
		if answer := a.get("/v1/accounts", token); answer.Code != want {
			t.Errorf("an access token: %d, want %d", answer.Code, want)
		}
	}
}

func TestRevoke(t *testing.T) {
	a := newApp(t)
	got := a.connect("anna")
	for _, c := range []struct {
		path   string
		form   url.Values
		status int
		text   string
	}{
		{"/revoke", url.Values{}, 400, "invalid_request"},
		{"/revoke", url.Values{"token": {got.AccessToken}}, 200, "{}"},
		{"/revoke", url.Values{"token": {got.AccessToken}}, 400, "invalid_token"},
		{"/revoke", url.Values{"token": {got.RefreshToken}}, 400, "invalid_token"},
		{"/token", refreshing(got.RefreshToken), 400, "invalid_grant"},
	} {
		if answer := a.post(c.path, c.form); answer.Code != c.status || !strings.Contains(answer.Body.String(), c.text) {
			t.Errorf("%v: got %d %s, want %d %s", c.form, answer.Code, answer.Body, c.status, c.text)
		}
	}
}

func TestActionsEndTokens(t *testing.T) {
	for _, c := range []struct {
		action, options string
		ended           int // -1 for an error
		access, refresh int // status of using the tokens of anna after it
	}{
		{"expire-access-tokens", "", 2, 401, 200},
		{"expire-access-tokens", `{"account":"marek"}`, 1, 200, 200},
		{"revoke-grants", "", 4, 401, 400},
		{"revoke-grants", `{"account":"anna"}`, 2, 401, 400},
		{"revoke-grants", `{"account":"marek"}`, 2, 200, 200},
		{"revoke-grants", `{"account":"ewa"}`, -1, 200, 200},
		{"revoke-grants", `{"person":"anna"}`, -1, 200, 200},
		{"revoke-grants", `[]`, -1, 200, 200},
		{"expire-tokens", "", -1, 200, 200},
	} {
		a := newApp(t)
		got := a.connect("anna")
		a.connect("marek")
		if ended, err := a.Act(c.action, strings.NewReader(c.options)); (err != nil) != (c.ended < 0) || err == nil && ended != c.ended {
			t.Errorf("%s %s: %d tokens ended, %v, want %d", c.action, c.options, ended, err, c.ended)
		}
		access, refresh := a.get("/v1/accounts", got.AccessToken).Code, a.post("/token", refreshing(got.RefreshToken)).Code
		if access != c.access || refresh != c.refresh {
			t.Errorf("%s %s: access %d, refresh %d; want %d, %d", c.action, c.options, access, refresh, c.access, c.refresh)
		}
	}
}

func TestEventsAreCounted(t *testing.T) {
	a := newApp(t)
	a.get(authorize(), "")
	got := a.connect("anna")
	a.decide(authorize(), "decision=deny")
	a.post("/token", refreshing(got.RefreshToken))
	a.post("/token", refreshing("1//nonsense"))
	a.get("/v1/accounts", got.AccessToken)
	a.get("/v1/accounts", "nonsense")
	a.post("/revoke", url.Values{"token": {"nonsense"}})
	want := map[string]map[string]int{
		"api_refusals":   {"ACCESS_TOKEN_TYPE_UNSUPPORTED": 1},
		"api_requests":   {"mybusinessaccountmanagement.googleapis.com": 2},
		"consents":       {"allowed": 1, "denied": 1, "shown": 1},
		"token_refusals": {"invalid_grant": 1, "invalid_token": 1},
		"token_requests": {"authorization_code": 1, "refresh_token": 2},
	}
	if secrets, _ := a.Secrets(); !reflect.DeepEqual(a.Counts(), want) || len(secrets) != 6 {
		t.Errorf("counts %v, want %v; %d secrets, want 6", a.Counts(), want, len(secrets))
	}
	a.Reset()
	if status := a.get("/v1/accounts", got.AccessToken).Code; status != 401 || len(a.Counts()["consents"]) != 0 {
		t.Errorf("after a reset: %d, %v", status, a.Counts())
	}
}
