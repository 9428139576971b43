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
	bakery  = "105600000010001" // with a photo account
	branch  = "105600000010002" // without one
	market  = "105600000010003" // anna may only read its statistics
	garage  = "105600000010004" // marek's
	gallery = "105600000010006" // zofia's, hardly any fans
	photo   = "17841400000000101"

	everything = "pages_show_list,pages_read_engagement,read_insights,instagram_basic,instagram_manage_insights,business_management"
)

// app is the registered app before a new fake, with a clock that a test may move.
type app struct {
	*meta.Provider
	t   *testing.T
	now time.Time
}

func newApp(t *testing.T) *app {
	w := &app{t: t, now: time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC)}
	clock := func() time.Time { return w.now }
	w.Provider = meta.New(meta.Options{
		ClientID: clientID, ClientSecret: secret, RedirectURI: redirect, Now: clock,
	})
	return w
}

// answer is what the Graph API said.
type answer struct {
	*httptest.ResponseRecorder
	body map[string]any
}

// refusal is "code" or "code/subcode"; empty for a success.
func (a answer) refusal() string {
	refused, found := a.body["error"].(map[string]any)
	if !found {
		return ""
	}
	if subcode, found := refused["error_subcode"]; found {
		return fmt.Sprintf("%v/%.0f", refused["code"], subcode)
	}
	return fmt.Sprint(refused["code"])
}

func (a answer) message() string {
	refused, _ := a.body["error"].(map[string]any)
	return fmt.Sprint(refused["message"])
}

// list is the objects under "data".
func (a answer) list() []map[string]any {
	var list []map[string]any
	items, _ := a.body["data"].([]any)
	for _, item := range items {
		list = append(list, item.(map[string]any))
	}
	return list
}

func (a answer) ids() string {
	var ids []string
	for _, item := range a.list() {
		ids = append(ids, fmt.Sprint(item["id"]))
	}
	return strings.Join(ids, " ")
}

func (w *app) send(r *http.Request) answer {
	w.t.Helper()
	recorder := httptest.NewRecorder()
	w.ServeHTTP(recorder, r)
	a := answer{ResponseRecorder: recorder}
	if strings.HasPrefix(recorder.Header().Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(recorder.Body.Bytes(), &a.body); err != nil {
			w.t.Fatalf("%s %s: %v in %s", r.Method, r.URL, err, recorder.Body)
		}
	}
	return a
}

// proof is computed apart from the fake (RFC 2104).
func proof(token string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(token))
	return hex.EncodeToString(mac.Sum(nil))
}

// call makes a signed call of the Graph API; target is a path with a query.
func (w *app) call(method, token, target string) answer {
	w.t.Helper()
	separator := "?"
	if strings.Contains(target, "?") {
		separator = "&"
	}
	r := httptest.NewRequest(method, version+target+separator+"appsecret_proof="+proof(token), nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return w.send(r)
}

func (w *app) get(token, target string) answer {
	w.t.Helper()
	return w.call(http.MethodGet, token, target)
}

// wantRefusal checks that reading target is refused with a code.
func (w *app) wantRefusal(token, target, want string) {
	w.t.Helper()
	if a := w.get(token, target); a.refusal() != want {
		w.t.Errorf("%s: got %q in %s, want %q", target, a.refusal(), a.Body, want)
	}
}

func (w *app) dialogAddress(change ...string) string {
	query := url.Values{
		"client_id": {clientID}, "redirect_uri": {redirect}, "response_type": {"code"}, "state": {"st"}, "scope": {everything},
	}
	for i := 0; i < len(change); i += 2 {
		query.Set(change[i], change[i+1])
		if change[i+1] == "" {
			query.Del(change[i])
		}
	}
	return version + "dialog/oauth?" + query.Encode()
}

// decide posts the form of the dialog's page and returns the answer with its
// address, which is where the person is sent.
func (w *app) decide(address, form string) (answer, *url.URL) {
	w.t.Helper()
	r := httptest.NewRequest(http.MethodPost, address, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	a := w.send(r)
	location, err := url.Parse(a.Header().Get("Location"))
	if err != nil {
		w.t.Fatal(err)
	}
	return a, location
}

// code runs the dialog; scopes are all when none are named.
func (w *app) code(account string, scopes ...string) string {
	w.t.Helper()
	if scopes == nil {
		scopes = []string{"all"}
	}
	a, location := w.decide(w.dialogAddress("auth_type", "rerequest"), url.Values{"decision": {"allow"}, "account": {account}, "scope": scopes}.Encode())
	code := location.Query().Get("code")
	if a.Code != http.StatusFound || code == "" {
		w.t.Fatalf("dialog: %d %s", a.Code, location)
	}
	return code
}

// trade asks the token endpoint.
func (w *app) trade(pairs ...string) answer {
	w.t.Helper()
	form := url.Values{"client_id": {clientID}, "client_secret": {secret}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	r := httptest.NewRequest(http.MethodPost, version+"oauth/access_token", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return w.send(r)
}

// login gives a long-lived token with the permissions, or all of them.
func (w *app) login(account string, permissions ...string) string {
	if permissions == nil {
		permissions = strings.Split(everything, ",")
	}
	return w.Grant(account, permissions...).User
}

// pageToken gives that of a page of somebody who manages it.
func (w *app) pageToken(user, page string) string {
	w.t.Helper()
	token, _ := w.get(user, page+"?fields=access_token").body["access_token"].(string)
	if token == "" {
		w.t.Fatalf("no token of page %s", page)
	}
	return token
}

func (w *app) set(toggles string) {
	w.t.Helper()
	if err := w.ReadToggles(strings.NewReader(toggles)); err != nil {
		w.t.Fatal(err)
	}
}

// act performs an action and returns how many tokens it ended.
func (w *app) act(name, options string) int {
	w.t.Helper()
	ended, err := w.Act(name, strings.NewReader(options))
	if err != nil {
		w.t.Fatal(err)
	}
	return ended
}

// counted returns one counter, e.g. of "token_requests" and "authorization_code".
func (w *app) counted(group, name string) int { return w.Counts()[group][name] }
