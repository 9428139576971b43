package social_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

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
		"configuration": {"config_id", "1", "invalid_config_id"},
		"scope":         {"scope", "pages_show_list,publish_all", "invalid_scopes"},
		"spaces":        {"scope", "pages_show_list read_insights", "invalid_scopes"},
		"auth type":     {"auth_type", "reauthenticate", "invalid_auth_type"},
		"challenge":     {"code_challenge", "abc", "invalid_code_challenge"},
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
	if secrets, _ := w.Secrets.List(); len(secrets) != 1 || secrets[0].Value != query.Get("code") || secrets[0].Kind != "code" {
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
	if secrets, _ := w.Secrets.List(); w.counted("consents", "denied") != 1 || len(secrets) != 0 {
		t.Error("the denial is not counted as such, or a code was issued")
	}
}
