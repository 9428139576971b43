package meta_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestTheDialog(t *testing.T) {
	for name, c := range map[string]struct {
		address string
		status  int
		want    string // in the page
	}{
		"name":          {dialog("scope", "pages_show_list"), 200, "Imię i nazwisko"},
		"note":          {dialog(), 200, "strona warsztatu, bez konta ze zdjęciami"},
		"client":        {dialog("client_id", "4712"), 400, "PLATFORM__INVALID_APP_ID"},
		"redirect":      {dialog("redirect_uri", redirect+"/"), 400, "URL_BLOCKED"},
		"configuration": {dialog("config_id", "1"), 400, "invalid_request"},
		"scope":         {dialog("scope", "pages_show_list,publish_all"), 400, "invalid_scopes"},
		"auth type":     {dialog("auth_type", "reauthenticate"), 400, "invalid_request"},
		"challenge":     {dialog("code_challenge", "abc"), 400, "invalid_request"},
		"version":       {strings.Replace(dialog(), version, "/v20.0/", 1), 400, "Unknown path components"},
	} {
		w := newApp(t)
		if a := w.send("GET", c.address, "", ""); a.Code != c.status || !strings.Contains(a.Body.String(), c.want) {
			t.Errorf("%s: got %d %s", name, a.Code, a.Body)
		}
		if a := w.send("POST", c.address, "", "decision=allow&account=anna"); (a.Header().Get("Location") == "") != (c.status == 400) {
			t.Errorf("%s: sent to %q", name, a.Header().Get("Location"))
		}
	}
	const denied = redirect + "?error=access_denied&error_code=200&error_description=Permissions+error&error_reason=user_denied&state=st"
	w := newApp(t)
	a := w.send("POST", dialog(), "", "decision=deny")
	if secrets, _ := w.Secrets(); a.Header().Get("Location") != denied || w.Counts()["consents"]["denied"] != 1 || len(secrets) != 0 {
		t.Errorf("a refusal sends to %q, counts %v, secrets %v", a.Header().Get("Location"), w.Counts(), secrets)
	}
}

func TestACodeGivesATokenAndThatALongerOne(t *testing.T) {
	w := newApp(t)
	short := value[given](w.trade("redirect_uri", redirect, "code", w.code(dialog(), "anna")))
	a := w.trade("grant_type", "fb_exchange_token", "fb_exchange_token", short.AccessToken)
	long, counts := value[given](a), w.Counts()["token_requests"]
	if short.TokenType != "bearer" || short.ExpiresIn != 5400 || long.ExpiresIn != 5183944 || long.AccessToken == short.AccessToken {
		t.Errorf("short-lived %+v, long-lived %+v", short, long)
	}
	if counts["authorization_code"] != 1 || counts["fb_exchange_token"] != 1 || a.Header().Get("Facebook-Api-Version") != "v25.0" {
		t.Errorf("counts %v, header %v", counts, a.Header())
	}
	query := url.Values{"client_id": {clientID}, "client_secret": {secret}, "redirect_uri": {redirect}, "code": {w.code(dialog(), "anna")}}
	if a := w.send("GET", version+"oauth/access_token?"+query.Encode(), "", ""); a.Code != 200 {
		t.Errorf("with a query: %d %s", a.Code, a.Body)
	}
	w.SetToggle("omit_expires_in", true)
	if a := w.trade("redirect_uri", redirect, "code", w.code(dialog(), "anna")); a.Code != 200 || strings.Contains(a.Body.String(), "expires_in") {
		t.Errorf("without expires_in: %s", a.Body)
	}
}

func TestTheTokenEndpointRefuses(t *testing.T) {
	w := newApp(t)
	used, late := w.code(dialog(), "anna"), w.code(dialog(), "anna")
	short := w.redeem(used)
	page := w.page(w.login("anna"), bakery)
	for _, c := range []struct {
		later time.Duration
		pairs []string
		want  string
	}{
		{0, []string{"client_id", "4712"}, "101"},
		{0, []string{"client_secret", "x"}, "1"},
		{0, []string{"grant_type", "refresh_token"}, "100"},
		{0, []string{"code", used}, "191"},
		{0, []string{"redirect_uri", redirect}, "1"},
		{0, []string{"redirect_uri", redirect, "code", "AQx"}, "100"},
		{0, []string{"redirect_uri", redirect, "code", used}, "100/36009"},
		{0, []string{"redirect_uri", redirect + "x", "code", w.code(dialog(), "anna")}, "100/36008"},
		{0, []string{"grant_type", "fb_exchange_token"}, "100"},
		{0, []string{"grant_type", "fb_exchange_token", "fb_exchange_token", "EAAGx"}, "190"},
		{0, []string{"grant_type", "fb_exchange_token", "fb_exchange_token", page}, "190"},
		{10*time.Minute + 1, []string{"redirect_uri", redirect, "code", late}, "100/36007"},
		{80 * time.Minute, []string{"grant_type", "fb_exchange_token", "fb_exchange_token", short}, "190/463"},
	} {
		w.now = w.now.Add(c.later)
		if a := w.trade(c.pairs...); a.Code != http.StatusBadRequest || a.refusal() != c.want {
			t.Errorf("%v: got %d %s, want %s", c.pairs, a.Code, a.Body, c.want)
		}
	}
}

// granted returns the permissions that /me/permissions lists as granted, and the number of
// all.
func (w *app) granted(token string) (names string, all int) {
	list := w.list(token, "me/permissions")
	for _, p := range list {
		if p["status"] == "granted" {
			names += p["permission"].(string) + " "
		}
	}
	return names, len(list)
}

func TestUntickedPermissionsAreDeclinedUntilTheyAreAskedForAgain(t *testing.T) {
	w := newApp(t)
	token := w.redeem(w.code(dialog(), "anna", "pages_show_list"))
	for _, c := range []struct {
		address string // of a further dialog
		ticked  string
		want    string
	}{
		{"", "", "public_profile pages_show_list "},
		{dialog(), "all", "public_profile pages_show_list "},
		{dialog(), "read_insights", "public_profile "},
		{dialog("auth_type", "rerequest"), "all", "public_profile pages_show_list pages_read_engagement read_insights business_management instagram_basic instagram_manage_insights "},
	} {
		if c.address != "" {
			w.redeem(w.code(c.address, "anna", c.ticked))
		}
		if got, all := w.granted(token); got != c.want || all != 7 {
			t.Errorf("after %q: granted %q of %d", c.address, got, all)
		}
	}
}

func TestPermissionsAreReadAndWithdrawn(t *testing.T) {
	for _, byApp := range []bool{true, false} {
		w := newApp(t)
		user := w.login("anna")
		page := w.page(user, bakery)
		w.check(
			check{user, "me/permissions", "", "granted"}, check{user, anna + "/permissions", "", "granted"}, check{user, piotr + "/permissions", "100/33", ""},
			check{appToken, anna + "/permissions", "", "granted"}, check{appToken, piotr + "/permissions", "100/33", ""},
			check{page, "me/permissions", "100", ""}, check{page, anna + "/permissions", "100/33", ""},
		)
		token, node := user, "me"
		if byApp {
			token, node = appToken, anna
		}
		for _, c := range []struct{ token, node, want string }{
			{page, anna, `"error_subcode":33`}, {token, node, `{"success":true}`}, {appToken, anna, `"error_subcode":33`},
		} {
			if a := w.call(http.MethodDelete, c.token, c.node+"/permissions"); !strings.Contains(a.Body.String(), c.want) {
				t.Errorf("by app %t: got %s, want %s", byApp, a.Body, c.want)
			}
		}
		w.check(check{user, "me", "190/458", ""}, check{page, "me", "190/458", ""}, check{w.login("anna"), "me", "", ""})
	}
}

func TestActionsEndTokens(t *testing.T) {
	w := newApp(t)
	user, other := w.login("anna"), w.login("marek")
	page := w.page(user, bakery)
	act := func(action, options string, want int) {
		t.Helper()
		if ended, err := w.Act(action, strings.NewReader(options)); err != nil || ended != want {
			t.Errorf("%s %s: %d tokens ended, %v, want %d", action, options, ended, err, want)
		}
	}
	act("expire-tokens", `{"account": "anna"}`, 1) // a page's token has no end
	w.check(check{user, "me", "190/463", ""}, check{page, "me", "", ""}, check{other, "me", "", ""})
	if a := w.trade("grant_type", "fb_exchange_token", "fb_exchange_token", user); a.refusal() != "190/463" {
		t.Errorf("an expired token is exchanged: %s", a.Body)
	}
	act("expire-tokens", "", 1)
	w.check(check{other, "me", "190/463", ""})
	user = w.login("anna")
	code := w.code(dialog(), "anna")
	act("revoke-grants", `{"account": "anna"}`, 2)
	if a := w.trade("redirect_uri", redirect, "code", code); a.refusal() != "190/458" {
		t.Errorf("a code of a revoked grant is exchanged: %s", a.Body)
	}
	w.check(check{user, "me", "190/458", ""}, check{page, bakery, "190/458", ""}, check{appToken, anna + "/permissions", "100/33", ""})
	w.login("anna")
	act("revoke-grants", "", 1)
	w.check(check{appToken, anna + "/permissions", "100/33", ""})
}

func TestAPageTokenEndsWithAShortLivedOne(t *testing.T) {
	w := newApp(t)
	page, lasting := w.page(w.redeem(w.code(dialog(), "anna")), bakery), w.page(w.login("anna"), bakery)
	w.now = w.now.Add(90 * time.Minute)
	w.check(check{page, "me", "190/463", ""}, check{lasting, "me", "", ""})
}

func TestDebugToken(t *testing.T) {
	w := newApp(t)
	token := w.login("anna")
	w.check(
		check{token, "debug_token?input_token=" + token, "100", ""},
		check{appToken, "debug_token?input_token=" + token, "", `"data_access_expires_at":1803033000,"is_valid":true`},
		check{appToken, "debug_token?input_token=" + token, "", `"user_id":"` + anna + `"`},
		check{appToken, "debug_token?input_token=" + token, "", `"type":"USER"`},
		check{appToken, "debug_token?input_token=" + w.page(token, bakery), "", `"type":"PAGE"`},
		check{appToken, "debug_token?input_token=x", "", `"is_valid":false`},
	)
}
