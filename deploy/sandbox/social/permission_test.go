package social_test

import (
	"net/http"
	"strings"
	"testing"
)

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
