package social_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

func (w *world) showDialog(address string) (*goquery.Document, int) {
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
	w := newWorld(t)
	page, status := w.showDialog(w.dialogAddress("scope", "pages_show_list,read_insights", "login_hint", "marek"))
	if status != http.StatusOK || values(page, "scope") != "pages_show_list read_insights" {
		t.Errorf("got %d, permissions %q", status, values(page, "scope"))
	}
	if got := values(page, "account"); got != "anna anna.pages marek zofia zofia.pages piotr piotr.pages tomasz" {
		t.Errorf("accounts %q", got)
	}
	if got := page.Find("input[checked][name=account]").AttrOr("value", ""); got != "marek" {
		t.Errorf("marked account %q", got)
	}
	if text := page.Text(); !strings.Contains(text, "Imię i nazwisko") || !strings.Contains(text, "Katalog firm prosi") {
		t.Errorf("page says %s", text)
	}
}

func TestTheExampleLinkShowsTheDialog(t *testing.T) {
	w := newWorld(t)
	if _, status := w.showDialog(w.Links[0].Path); status != http.StatusOK {
		t.Errorf("got %d", status)
	}
}

func TestAWrongDialogSendsNobodyBack(t *testing.T) {
	cases := map[string]struct{ name, value, want string }{
		"client":        {"client_id", "4712", "PLATFORM__INVALID_APP_ID"},
		"no client":     {"client_id", "", "PLATFORM__INVALID_APP_ID"},
		"redirect":      {"redirect_uri", redirect + "/", "URL_BLOCKED"},
		"no redirect":   {"redirect_uri", "", "URL_BLOCKED"},
		"response type": {"response_type", "token", "invalid_response_type"},
		"configuration": {"config_id", "1", "invalid_config_id"},
		"scope":         {"scope", "pages_show_list,publish_all", "invalid_scopes"},
		"spaces":        {"scope", "pages_show_list read_insights", "invalid_scopes"},
		"auth type":     {"auth_type", "reauthenticate", "invalid_auth_type"},
		"challenge":     {"code_challenge", "abc", "invalid_code_challenge"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
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

func TestADialogOfAnUnknownVersionIsRefused(t *testing.T) {
	w := newWorld(t)
	if _, status := w.showDialog(strings.Replace(w.dialogAddress(), "v25.0", "v20.0", 1)); status != http.StatusBadRequest {
		t.Errorf("got %d", status)
	}
}

func TestAnAllowedLoginSendsACodeBack(t *testing.T) {
	w := newWorld(t)
	a, location := w.decide(w.dialogAddress(), "decision=allow&account=anna&scope=all")
	query := location.Query()
	if a.Code != http.StatusFound || !strings.HasPrefix(location.String(), redirect+"?") || query.Get("state") != "st" || len(query) != 2 {
		t.Errorf("sent to %s", location)
	}
	if secrets, _ := w.secrets.List("social"); len(secrets) != 1 || secrets[0].Value != query.Get("code") || secrets[0].Kind != "code" {
		t.Errorf("issued %+v", secrets)
	}
	w.knobs(`{"append_fragment": true}`)
	if a, _ := w.decide(w.dialogAddress("state", ""), "decision=allow&account=anna&scope=all"); !strings.HasSuffix(a.Header().Get("Location"), "#_=_") || strings.Contains(a.Header().Get("Location"), "state") {
		t.Errorf("sent to %s", a.Header().Get("Location"))
	}
	if w.counted("consents", "allowed") != 2 {
		t.Error("the logins are not counted")
	}
}

func TestADeniedLoginSendsTheErrorBack(t *testing.T) {
	want := redirect + "?error=access_denied&error_code=200&error_description=Permissions+error&error_reason=user_denied&state=st"
	w := newWorld(t)
	for _, form := range []string{"decision=deny", "decision=allow&account=anna&scope=all"} {
		if a, location := w.decide(w.dialogAddress(), form); a.Code != http.StatusFound || location.String() != want {
			t.Errorf("%s: sent to %s", form, location)
		}
		w.knobs(`{"deny_consent": true}`)
	}
	if w.counted("consents", "denied") != 2 || w.counted("issued", "code") != 0 {
		t.Error("the denials are not counted as such")
	}
}

func TestAFormThatIsNotThePagesIsRefused(t *testing.T) {
	w := newWorld(t)
	for _, form := range []string{"", "decision=allow&account=nobody&scope=all", "decision=allow&account=anna&scope=ads_read"} {
		if a, _ := w.decide(w.dialogAddress(), form); a.Code != http.StatusBadRequest {
			t.Errorf("%q: got %d", form, a.Code)
		}
	}
}

// chosen goes through both steps and returns the user's token.
func (w *world) chosen(pages ...string) string {
	w.t.Helper()
	a, second := w.decide(w.dialogAddress(), "decision=allow&account=anna.pages&scope=pages_show_list&scope=pages_read_engagement")
	if a.Code != http.StatusFound || second.Host != "" {
		w.t.Fatalf("the first step: %d %s", a.Code, second)
	}
	page, _ := w.showDialog(second.String())
	if values(page, "account") != "anna" || values(page, "scope") != bakery+" "+branch+" "+market {
		w.t.Errorf("the second step asks %q, %q", values(page, "account"), values(page, "scope"))
	}
	_, location := w.decide(second.String(), url.Values{"decision": {"allow"}, "account": {"anna"}, "scope": pages}.Encode())
	token, _ := w.trade("redirect_uri", redirect, "code", location.Query().Get("code")).body["access_token"].(string)
	return token
}

func TestPagesCanBeChosen(t *testing.T) {
	w := newWorld(t)
	token := w.chosen(branch)
	if got := w.get(token, "me/accounts").ids(); got != branch {
		t.Errorf("pages %q, want the chosen one", got)
	}
	w.wantRefusal(token, bakery+"?fields=name", "10")
	var missing []string
	for _, p := range w.get(token, "me/permissions").list() {
		if p["status"] == "declined" {
			missing = append(missing, p["permission"].(string))
		}
	}
	if got := strings.Join(missing, " "); got != "read_insights business_management instagram_basic instagram_manage_insights" {
		t.Errorf("declined in the first step: %q", got)
	}
	if got := w.get(w.chosen(), "me/accounts").ids(); got != "" {
		t.Errorf("no page chosen, but seen: %q", got)
	}
}

func TestTheSecondStepGrantsNoMoreThanWasAskedFor(t *testing.T) {
	w := newWorld(t)
	address := w.dialogAddress("scope", "pages_show_list", "chosen_account", "anna", "chosen_scopes", "pages_show_list,read_insights")
	_, location := w.decide(address, "decision=allow&account=anna&scope=all")
	token, _ := w.trade("redirect_uri", redirect, "code", location.Query().Get("code")).body["access_token"].(string)
	if got := w.get(token, "me/permissions").Body.String(); strings.Contains(got, "read_insights") {
		t.Errorf("permissions %s", got)
	}
}
