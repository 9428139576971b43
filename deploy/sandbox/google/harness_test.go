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

func init() { time.Local = time.FixedZone("CET", 3600) } // no answer depends on the zone of the machine

// app is the registered app before a new fake, with a clock that a test may move.
type app struct {
	*google.Provider
	t   *testing.T
	now time.Time
}

func newApp(t *testing.T) *app {
	a := &app{t: t, now: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC).Local()}
	a.Provider = google.New(google.Options{
		ClientID: "client", ClientSecret: "secret", RedirectURI: redirect, Now: func() time.Time { return a.now },
	})
	return a
}

// call sends a request with a token, unless that is empty.
func (a *app) call(method, target, token, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, target, strings.NewReader(body))
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	recorder := httptest.NewRecorder()
	a.ServeHTTP(recorder, request)
	return recorder
}

func (a *app) get(target, token string) *httptest.ResponseRecorder {
	return a.call(http.MethodGet, target, token, "")
}

func (a *app) post(target string, form url.Values) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, target, strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	recorder := httptest.NewRecorder()
	a.ServeHTTP(recorder, request)
	return recorder
}

// change sets values, given as pairs of name and value. An empty value removes the name.
func change(values url.Values, changes []string) url.Values {
	for i := 0; i < len(changes); i += 2 {
		values.Set(changes[i], changes[i+1])
		if changes[i+1] == "" {
			values.Del(changes[i])
		}
	}
	return values
}

// authorize returns the address of an authorization as the service requests it.
func authorize(changes ...string) string {
	return "/o/oauth2/v2/auth?" + change(url.Values{
		"client_id": {"client"}, "redirect_uri": {redirect}, "response_type": {"code"}, "state": {"7:3:search_profile:a b&c"},
		"scope": {"openid " + business}, "access_type": {"offline"}, "prompt": {"consent"},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}, changes).Encode()
}

// decide posts the form of the consent page and returns the query that is sent back.
func (a *app) decide(address, form string) url.Values {
	a.t.Helper()
	values, _ := url.ParseQuery(form)
	answer := a.post(address, values)
	back, err := url.Parse(answer.Header().Get("Location"))
	if err != nil || answer.Code != http.StatusFound || !strings.HasPrefix(back.String(), redirect+"?") ||
		answer.Header().Get("Cache-Control") != "no-store" || answer.Header().Get("Referrer-Policy") != "no-referrer" {
		a.t.Fatalf("not sent back: %d %s %s", answer.Code, answer.Header(), answer.Body)
	}
	return back.Query()
}

// allow returns the code that a person's consent to everything gives.
func (a *app) allow(person string, changes ...string) string {
	a.t.Helper()
	return a.decide(authorize(changes...), "decision=allow&scope=all&account="+person).Get("code")
}

type tokens struct {
	AccessToken  string `json:"access_token"`
	ExpiresIn    int    `json:"expires_in"`
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
	TokenType    string `json:"token_type"`
	IDToken      string `json:"id_token"`
}

// exchange returns the form that redeems a code.
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
	return read[tokens](a.t, a.post("/token", exchange(a.allow(person, changes...))))
}

func read[T any](t *testing.T, answer *httptest.ResponseRecorder) T {
	t.Helper()
	var body T
	if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil || answer.Code != http.StatusOK {
		t.Fatalf("got %d %s, %v", answer.Code, answer.Body, err)
	}
	return body
}
