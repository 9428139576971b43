package meta_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/meta"
)

const (
	clientID = "4711"
	secret   = "5ec2e7"
	redirect = "http://localhost:8080/api/oauth/callback/provider_social"
	appToken = clientID + "|" + secret
	version  = "/v25.0/"

	anna    = "1022000000100001"
	piotr   = "1022000000100004"
	bakery  = "105600000010001" // with an Instagram account
	branch  = "105600000010002" // without one
	market  = "105600000010003" // anna may only read its statistics
	garage  = "105600000010004" // marek's
	studio  = "105600000010005" // zofia's; its Instagram account hides likes
	gallery = "105600000010006" // zofia's, hardly any fans
	photo   = "17841400000000101"

	everything = "pages_show_list,pages_read_engagement,read_insights,instagram_basic,instagram_manage_insights,business_management"
)

func init() { time.Local = time.FixedZone("CET", 3600) } // no answer depends on the zone of the machine

// app is the registered app before a new fake, with a clock that a test may move.
type app struct {
	*meta.Provider
	t   *testing.T
	now time.Time
}

func newApp(t *testing.T) *app {
	w := &app{t: t, now: time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC).Local()}
	w.Provider = meta.New(meta.Options{
		ClientID: clientID, ClientSecret: secret, RedirectURI: redirect, Now: func() time.Time { return w.now },
	})
	return w
}

// answer is a response of the Graph API.
type answer struct{ *httptest.ResponseRecorder }

// refusal returns "code" or "code/subcode", or nothing for a success.
func (a answer) refusal() string {
	var body struct {
		Error *struct {
			Code    int
			Subcode int `json:"error_subcode"`
		}
	}
	_ = json.Unmarshal(a.Body.Bytes(), &body)
	switch {
	case body.Error == nil:
		return ""
	case body.Error.Subcode > 0:
		return fmt.Sprintf("%d/%d", body.Error.Code, body.Error.Subcode)
	}
	return fmt.Sprint(body.Error.Code)
}

// value decodes a response.
func value[T any](a answer) T {
	var body T
	_ = json.Unmarshal(a.Body.Bytes(), &body)
	return body
}

func (w *app) send(method, target, token, form string) answer {
	r := httptest.NewRequest(method, target, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	recorder := httptest.NewRecorder()
	w.ServeHTTP(recorder, r)
	return answer{recorder}
}

// proof is computed independently of the fake (RFC 2104).
func proof(token string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(token))
	return hex.EncodeToString(mac.Sum(nil))
}

// call makes a signed call of the Graph API; target is a path with a query.
func (w *app) call(method, token, target string) answer {
	separator := "?"
	if strings.Contains(target, "?") {
		separator = "&"
	}
	return w.send(method, version+target+separator+"appsecret_proof="+proof(token), token, "")
}

func (w *app) get(token, target string) answer { return w.call(http.MethodGet, token, target) }

// check is a call that is refused with a code, or answered with a text if there is one.
type check struct{ token, target, refusal, text string }

func (w *app) check(checks ...check) {
	w.t.Helper()
	for _, c := range checks {
		if a := w.get(c.token, c.target); a.refusal() != c.refusal || !strings.Contains(a.Body.String(), c.text) {
			w.t.Errorf("%s: got %q in %.1000s, want %q with %q", c.target, a.refusal(), a.Body, c.refusal, c.text)
		}
	}
}

func dialog(change ...string) string {
	query := url.Values{
		"client_id": {clientID}, "redirect_uri": {redirect}, "response_type": {"code"}, "state": {"st"}, "scope": {everything},
	}
	for i := 0; i < len(change); i += 2 {
		query.Set(change[i], change[i+1])
	}
	return version + "dialog/oauth?" + query.Encode()
}

// code runs the dialog and returns the code. Scopes are all if none are named.
func (w *app) code(address, account string, scopes ...string) string {
	w.t.Helper()
	if scopes == nil {
		scopes = []string{"all"}
	}
	a := w.send(http.MethodPost, address, "", url.Values{"decision": {"allow"}, "account": {account}, "scope": scopes}.Encode())
	location, err := url.Parse(a.Header().Get("Location"))
	if err != nil || a.Code != http.StatusFound || location.Query().Get("state") != "st" || len(location.Query()) != 2 {
		w.t.Fatalf("dialog: %d %s", a.Code, location)
	}
	return location.Query().Get("code")
}

// trade calls the token endpoint.
func (w *app) trade(pairs ...string) answer {
	form := url.Values{"client_id": {clientID}, "client_secret": {secret}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return w.send(http.MethodPost, version+"oauth/access_token", "", form.Encode())
}

type given struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int    `json:"expires_in"`
}

// redeem returns the short-lived token for a code.
func (w *app) redeem(code string) string {
	return value[given](w.trade("redirect_uri", redirect, "code", code)).AccessToken
}

// login returns a long-lived token with the permissions, or all of them.
func (w *app) login(account string, permissions ...string) string {
	if permissions == nil {
		permissions = strings.Split(everything, ",")
	}
	return w.Grant(account, permissions...).User
}

// page returns the token of a page of a person who manages it.
func (w *app) page(user, page string) string {
	w.t.Helper()
	token := value[given](w.get(user, page+"?fields=access_token")).AccessToken
	if token == "" {
		w.t.Fatalf("no token of page %s", page)
	}
	return token
}

// list returns the objects of a list.
func (w *app) list(token, target string) []map[string]any {
	return value[struct{ Data []map[string]any }](w.get(token, target)).Data
}
