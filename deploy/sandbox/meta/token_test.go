package meta_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

func (w *app) showDialog(address string) (*goquery.Document, int) {
	w.t.Helper()
	a := w.send(httptest.NewRequest(http.MethodGet, address, nil))
	document, err := goquery.NewDocumentFromReader(a.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return document, a.Code
}

func values(d *goquery.Document, name string) string {
	return strings.Join(d.Find("input[name="+name+"]").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("value", "") }), " ")
}

func TestTheDialogAsksForWhatTheAppAsksFor(t *testing.T) {
	w := newApp(t)
	page, status := w.showDialog(w.dialogAddress("scope", "pages_show_list,read_insights"))
	if status != http.StatusOK || values(page, "scope") != "pages_show_list read_insights" {
		t.Errorf("got %d, permissions %q", status, values(page, "scope"))
	}
	if got := values(page, "account"); got != "anna marek zofia piotr tomasz" {
		t.Errorf("accounts %q", got)
	}
	if text := page.Text(); !strings.Contains(text, "Imię i nazwisko") || !strings.Contains(text, "Katalog firm prosi") {
		t.Errorf("page says %s", text)
	}
}

func TestAWrongDialogSendsNobodyBack(t *testing.T) {
	cases := map[string]struct{ name, value, want string }{
		"client":        {"client_id", "4712", "PLATFORM__INVALID_APP_ID"},
		"no client":     {"client_id", "", "PLATFORM__INVALID_APP_ID"},
		"redirect":      {"redirect_uri", redirect + "/", "URL_BLOCKED"},
		"no redirect":   {"redirect_uri", "", "URL_BLOCKED"},
		"response type": {"response_type", "token", "invalid_response_type"},
		"configuration": {"config_id", "1", "invalid_request"},
		"scope":         {"scope", "pages_show_list,publish_all", "invalid_scopes"},
		"spaces":        {"scope", "pages_show_list read_insights", "invalid_scopes"},
		"auth type":     {"auth_type", "reauthenticate", "invalid_request"},
		"challenge":     {"code_challenge", "abc", "invalid_request"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newApp(t)
			address := w.dialogAddress(c.name, c.value)
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				a := w.send(httptest.NewRequest(method, address, nil))
				if a.Code != http.StatusBadRequest || a.Header().Get("Location") != "" || !strings.Contains(a.Body.String(), c.want) {
					t.Errorf("%s: got %d, %q in %s", method, a.Code, a.Header().Get("Location"), a.Body)
				}
			}
		})
	}
}

func TestAnAllowedLoginSendsACodeBack(t *testing.T) {
	w := newApp(t)
	a, location := w.decide(w.dialogAddress(), "decision=allow&account=anna&scope=all")
	query := location.Query()
	if a.Code != http.StatusFound || !strings.HasPrefix(location.String(), redirect+"?") || query.Get("state") != "st" || len(query) != 2 {
		t.Errorf("sent to %s", location)
	}
	if secrets, _ := w.Secrets(); len(secrets) != 1 || secrets[0].Value != query.Get("code") || secrets[0].Kind != "code" {
		t.Errorf("issued %+v", secrets)
	}
	if a, _ := w.decide(w.dialogAddress("state", ""), "decision=allow&account=anna&scope=all"); strings.Contains(a.Header().Get("Location"), "state") {
		t.Errorf("sent to %s", a.Header().Get("Location"))
	}
	if w.counted("consents", "allowed") != 2 {
		t.Error("the logins are not counted")
	}
}

func TestADeniedLoginSendsTheErrorBack(t *testing.T) {
	want := redirect + "?error=access_denied&error_code=200&error_description=Permissions+error&error_reason=user_denied&state=st"
	w := newApp(t)
	if a, location := w.decide(w.dialogAddress(), "decision=deny"); a.Code != http.StatusFound || location.String() != want {
		t.Errorf("sent to %s", location)
	}
	if secrets, _ := w.Secrets(); w.counted("consents", "denied") != 1 || len(secrets) != 0 {
		t.Error("the denial is not counted as such, or a code was issued")
	}
}

func TestACodeGivesATokenAndThatALongerOne(t *testing.T) {
	w := newApp(t)
	a := w.trade("redirect_uri", redirect, "code", w.code("anna"))
	if a.Code != http.StatusOK || a.body["token_type"] != "bearer" || a.body["expires_in"] != 5400.0 || len(a.body) != 3 {
		t.Errorf("short-lived: %d %v", a.Code, a.body)
	}
	long := w.trade("grant_type", "fb_exchange_token", "fb_exchange_token", a.body["access_token"].(string))
	if long.body["expires_in"] != 5183944.0 || long.body["access_token"] == a.body["access_token"] {
		t.Errorf("long-lived: %v", long.body)
	}
	if w.counted("token_requests", "authorization_code") != 1 || w.counted("token_requests", "fb_exchange_token") != 1 {
		t.Errorf("requests are counted wrongly: %v", w.Counts())
	}
	if long.Header().Get("X-App-Usage") == "" || long.Header().Get("Facebook-Api-Version") != "v25.0" {
		t.Errorf("header %v", long.Header())
	}
}

func TestTheTokenEndpointTakesAQueryToo(t *testing.T) {
	w := newApp(t)
	query := url.Values{"client_id": {clientID}, "client_secret": {secret}, "redirect_uri": {redirect}, "code": {w.code("anna")}}
	if a := w.send(httptest.NewRequest(http.MethodGet, version+"oauth/access_token?"+query.Encode(), nil)); a.Code != http.StatusOK {
		t.Errorf("got %d %s", a.Code, a.Body)
	}
}

func TestTheTokenEndpointRefuses(t *testing.T) {
	w := newApp(t)
	used := w.code("anna")
	w.trade("redirect_uri", redirect, "code", used)
	page := w.pageToken(w.login("anna"), bakery)
	cases := map[string]struct {
		pairs []string
		want  string
	}{
		"no client":        {[]string{"client_id", ""}, "101"},
		"another client":   {[]string{"client_id", "4712"}, "101"},
		"no secret":        {[]string{"client_secret", ""}, "1"},
		"another secret":   {[]string{"client_secret", "x"}, "1"},
		"grant type":       {[]string{"grant_type", "refresh_token"}, "100"},
		"no redirect":      {[]string{"code", used}, "191"},
		"no code":          {[]string{"redirect_uri", redirect}, "1"},
		"unknown code":     {[]string{"redirect_uri", redirect, "code", "AQx"}, "100"},
		"used code":        {[]string{"redirect_uri", redirect, "code", used}, "100/36009"},
		"another redirect": {[]string{"redirect_uri", redirect + "x", "code", w.code("anna")}, "100/36008"},
		"no token":         {[]string{"grant_type", "fb_exchange_token"}, "100"},
		"unknown token":    {[]string{"grant_type", "fb_exchange_token", "fb_exchange_token", "EAAGx"}, "190"},
		"page's token":     {[]string{"grant_type", "fb_exchange_token", "fb_exchange_token", page}, "190"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if a := w.trade(c.pairs...); a.Code != http.StatusBadRequest || a.refusal() != c.want {
				t.Errorf("got %d %s, want %s", a.Code, a.Body, c.want)
			}
		})
	}
}

func TestLateCodesAndTokensAreRefused(t *testing.T) {
	w := newApp(t)
	code := w.code("anna")
	short := w.trade("redirect_uri", redirect, "code", w.code("anna")).body["access_token"].(string)
	w.now = w.now.Add(10*time.Minute + time.Second)
	if a := w.trade("redirect_uri", redirect, "code", code); a.refusal() != "100/36007" {
		t.Errorf("the code after ten minutes: %s", a.Body)
	}
	w.now = w.now.Add(80 * time.Minute)
	if a := w.trade("grant_type", "fb_exchange_token", "fb_exchange_token", short); a.refusal() != "190/463" {
		t.Errorf("the token after its life: %s", a.Body)
	}
}

func TestTheLifeOfATokenCanBeLeftOut(t *testing.T) {
	w := newApp(t)
	w.SetToggle("omit_expires_in", true)
	if a := w.trade("redirect_uri", redirect, "code", w.code("anna")); len(a.body) != 2 {
		t.Errorf("expires_in is told: %v", a.body)
	}
}

// granted lists the permissions that /me/permissions tells as granted.
func (w *app) granted(token string) string {
	w.t.Helper()
	var names []string
	for _, p := range w.get(token, "me/permissions").list() {
		if p["status"] == "granted" {
			names = append(names, p["permission"].(string))
		}
	}
	return strings.Join(names, " ")
}

func TestUntickedPermissionsAreDeclined(t *testing.T) {
	w := newApp(t)
	redeem := func(code string) string {
		return w.trade("redirect_uri", redirect, "code", code).body["access_token"].(string)
	}
	token := redeem(w.code("anna", "pages_show_list"))
	if got, all := w.granted(token), w.get(token, "me/permissions").list(); got != "public_profile pages_show_list" || len(all) != 7 {
		t.Errorf("granted %q of %d", got, len(all))
	}
	_, location := w.decide(w.dialogAddress(), "decision=allow&account=anna&scope=all")
	redeem(location.Query().Get("code"))
	if got := w.granted(token); got != "public_profile pages_show_list" {
		t.Errorf("asked again without rerequest: %q", got)
	}
	redeem(w.code("anna"))
	if got := w.granted(token); !strings.Contains(got, "read_insights") {
		t.Errorf("with rerequest: %q", got)
	}
}

func TestWhoMayReadPermissions(t *testing.T) {
	w := newApp(t)
	token := w.login("anna")
	page := w.pageToken(token, bakery)
	for target, want := range map[string]string{"me/permissions": "", anna + "/permissions": "", piotr + "/permissions": "100/33"} {
		w.wantRefusal(token, target, want)
	}
	w.wantRefusal(appToken, anna+"/permissions", "")
	w.wantRefusal(appToken, piotr+"/permissions", "100/33")
	w.wantRefusal(page, "me/permissions", "100")
	w.wantRefusal(page, anna+"/permissions", "100/33")
}

func TestTheAppOrThePersonCanWithdrawEverything(t *testing.T) {
	for name, caller := range map[string]func(user string) (token, node string){
		"app": func(string) (string, string) { return appToken, anna }, "person": func(user string) (string, string) { return user, "me" },
	} {
		t.Run(name, func(t *testing.T) {
			w := newApp(t)
			user := w.login("anna")
			page := w.pageToken(user, bakery)
			token, node := caller(user)
			if a := w.call(http.MethodDelete, page, anna+"/permissions"); a.refusal() != "100/33" {
				t.Errorf("with a page's token: %s", a.Body)
			}
			if a := w.call(http.MethodDelete, token, node+"/permissions"); a.Body.String() != "{\"success\":true}\n" {
				t.Errorf("got %s", a.Body)
			}
			w.wantRefusal(user, "me", "190/458")
			w.wantRefusal(page, "me", "190/458")
			if a := w.call(http.MethodDelete, appToken, anna+"/permissions"); a.refusal() != "100/33" {
				t.Errorf("the second time: %s", a.Body)
			}
			w.wantRefusal(w.login("anna"), "me", "")
		})
	}
}

func TestExpiredTokensLeaveThePagesAlone(t *testing.T) {
	w := newApp(t)
	user, other := w.login("anna"), w.login("marek")
	page := w.pageToken(user, bakery)
	if got := w.act("expire-tokens", `{"account": "anna"}`); got != 1 {
		t.Errorf("%d tokens expired, want one", got)
	}
	w.wantRefusal(user, "me", "190/463")
	w.wantRefusal(page, "me", "")
	w.wantRefusal(other, "me", "")
	if a := w.trade("grant_type", "fb_exchange_token", "fb_exchange_token", user); a.refusal() != "190/463" {
		t.Errorf("an expired token is exchanged: %s", a.Body)
	}
	if got := w.act("expire-tokens", ""); got != 1 {
		t.Errorf("%d tokens of all accounts expired", got)
	}
	w.wantRefusal(other, "me", "190/463")
}

func TestARevokedGrantEndsEverything(t *testing.T) {
	w := newApp(t)
	user := w.login("anna")
	page := w.pageToken(user, bakery)
	if got := w.act("revoke-grants", `{"account": "anna"}`); got != 2 {
		t.Errorf("%d tokens ended, want those of the person and of the page", got)
	}
	w.wantRefusal(user, "me", "190/458")
	w.wantRefusal(page, bakery, "190/458")
	w.wantRefusal(appToken, anna+"/permissions", "100/33")
}
