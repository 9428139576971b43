package google_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/google"
)

const (
	redirect = "http://localhost:8080/api/oauth/callback/provider_search"
	// The pair of RFC 7636, appendix B.
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

	business  = "https://www.googleapis.com/auth/business.manage"
	sites     = "https://www.googleapis.com/auth/webmasters.readonly"
	analytics = "https://www.googleapis.com/auth/analytics.readonly"
)

// app is the registered app, and the people who use it, before a new fake.
type app struct {
	t *testing.T
	*google.Provider
	now time.Time
}

func newApp(t *testing.T) *app {
	a := &app{t: t, now: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return a.now }
	a.Provider = google.New(google.Options{
		ClientID: "client", ClientSecret: "secret", RedirectURI: redirect, Now: clock,
	})
	return a
}

func (a *app) do(request *http.Request) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	a.ServeHTTP(recorder, request)
	return recorder
}

func (a *app) post(target string, form url.Values) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, target, strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return a.do(request)
}

func (a *app) get(target string) *httptest.ResponseRecorder {
	return a.do(httptest.NewRequest(http.MethodGet, target, nil))
}

func (a *app) set(toggles string) {
	a.t.Helper()
	if err := a.ReadToggles(strings.NewReader(toggles)); err != nil {
		a.t.Fatal(err)
	}
}

// asked is the query of an authorization as the service sends it, with changes as
// pairs of name and value; an empty value takes the parameter out.
func asked(changes ...string) url.Values {
	query := url.Values{
		"client_id": {"client"}, "redirect_uri": {redirect}, "response_type": {"code"}, "state": {"7:3:search_profile:a b&c"},
		"scope": {"openid " + business}, "access_type": {"offline"}, "prompt": {"consent"},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}
	return change(query, changes)
}

func change(values url.Values, changes []string) url.Values {
	for i := 0; i < len(changes); i += 2 {
		values.Set(changes[i], changes[i+1])
		if changes[i+1] == "" {
			values.Del(changes[i])
		}
	}
	return values
}

func authorize(query url.Values) string { return "/o/oauth2/v2/auth?" + query.Encode() }

// allow has a person allow what the query asks for, and returns the query with
// which they are sent back.
func (a *app) allow(person string, query url.Values) url.Values {
	a.t.Helper()
	answer := a.post(authorize(query), url.Values{"decision": {"allow"}, "account": {person}, "scope": {"all"}})
	return a.sentBack(answer)
}

func (a *app) sentBack(answer *httptest.ResponseRecorder) url.Values {
	a.t.Helper()
	back, err := url.Parse(answer.Header().Get("Location"))
	if err != nil || answer.Code != http.StatusFound || !strings.HasPrefix(back.String(), redirect+"?") {
		a.t.Fatalf("not sent back: %d %s %s", answer.Code, answer.Header(), answer.Body)
	}
	return back.Query()
}

type tokens struct {
	AccessToken  string `json:"access_token"`
	ExpiresIn    int    `json:"expires_in"`
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
	TokenType    string `json:"token_type"`
	IDToken      string `json:"id_token"`
}

// exchange is the form that redeems a code.
func exchange(code string, changes ...string) url.Values {
	return change(url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "client_id": {"client"}, "client_secret": {"secret"},
		"redirect_uri": {redirect}, "code_verifier": {verifier},
	}, changes)
}

func refreshing(token string, changes ...string) url.Values {
	return change(url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {"client"}, "client_secret": {"secret"},
	}, changes)
}

// connect runs a whole authorization of a person.
func (a *app) connect(person string, changes ...string) tokens {
	a.t.Helper()
	code := a.allow(person, asked(changes...)).Get("code")
	return read[tokens](a.t, a.post("/token", exchange(code)))
}

// call asks an API with a token.
func (a *app) call(method, target, token, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, target, strings.NewReader(body))
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return a.do(request)
}

func read[T any](t *testing.T, answer *httptest.ResponseRecorder) T {
	t.Helper()
	var body T
	if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil || answer.Code != http.StatusOK {
		t.Fatalf("got %d %s, %v", answer.Code, answer.Body, err)
	}
	return body
}

func encode(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
