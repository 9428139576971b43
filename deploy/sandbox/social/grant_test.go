package social_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

// granted lists the permissions that /me/permissions tells as granted.
func (w *world) granted(token string) string {
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
	w := newWorld(t)
	token := w.login("anna", "pages_show_list")
	if got := w.granted(token); got != "public_profile pages_show_list" {
		t.Errorf("granted %q", got)
	}
	if got := len(w.get(token, "me/permissions").list()); got != 7 {
		t.Errorf("%d permissions, want those declined too", got)
	}
}

func TestWhatWasDeclinedIsOnlyAskedForAgainOnRequest(t *testing.T) {
	w := newWorld(t)
	token := w.login("anna", "pages_show_list")
	_, location := w.decide(w.dialogAddress(), "decision=allow&account=anna&scope=all")
	w.trade("redirect_uri", redirect, "code", location.Query().Get("code"))
	if got := w.granted(token); got != "public_profile pages_show_list" {
		t.Errorf("without rerequest: %q", got)
	}
	w.login("anna")
	if got := w.granted(token); !strings.Contains(got, "read_insights") {
		t.Errorf("with rerequest: %q", got)
	}
}

func TestWhoMayReadPermissions(t *testing.T) {
	w := newWorld(t)
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
			w := newWorld(t)
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

func TestOnePermissionCanBeWithdrawn(t *testing.T) {
	w := newWorld(t)
	token := w.login("anna")
	if a := w.call(http.MethodDelete, appToken, anna+"/permissions/read_insights"); a.refusal() != "" {
		t.Errorf("got %s", a.Body)
	}
	if got := w.granted(token); strings.Contains(got, "read_insights") || !strings.Contains(got, "pages_show_list") {
		t.Errorf("left: %q", got)
	}
	for _, name := range []string{"read_insights", "nothing"} {
		if a := w.call(http.MethodDelete, appToken, anna+"/permissions/"+name); a.refusal() != "100" {
			t.Errorf("%s: %s", name, a.Body)
		}
	}
	if a := w.call(http.MethodDelete, w.login("marek"), anna+"/permissions/pages_show_list"); a.refusal() != "100/33" {
		t.Errorf("by somebody else: %s", a.Body)
	}
}

// debug is what /debug_token says of a token.
func (w *world) debug(caller, token string) map[string]any {
	w.t.Helper()
	data, _ := w.get(caller, "debug_token?input_token="+strings.ReplaceAll(token, "|", "%7C")).body["data"].(map[string]any)
	return data
}

func TestDebugToken(t *testing.T) {
	w := newWorld(t)
	user := w.login("anna", "pages_show_list", "business_management")
	page := w.pageToken(user, bakery)
	start, day := float64(w.now.Unix()), float64(24*60*60)
	scopes := []any{"public_profile", "pages_show_list", "business_management"}
	granular := []any{map[string]any{"scope": "pages_show_list"}}
	facts := func(extra map[string]any) map[string]any {
		all := map[string]any{"app_id": clientID, "application": "Katalog firm", "is_valid": true, "data_access_expires_at": start + 90*day, "issued_at": start}
		for name, value := range extra {
			all[name] = value
		}
		return all
	}
	cases := map[string]struct {
		token string
		want  map[string]any
	}{
		"person":  {user, facts(map[string]any{"type": "USER", "user_id": anna, "expires_at": start + 5183944, "scopes": scopes, "granular_scopes": granular})},
		"page":    {page, facts(map[string]any{"type": "PAGE", "user_id": anna, "profile_id": bakery, "expires_at": 0.0, "scopes": scopes, "granular_scopes": granular})},
		"unknown": {"EAAGx", map[string]any{"is_valid": false, "data_access_expires_at": 0.0, "expires_at": 0.0, "scopes": []any{}, "error": map[string]any{"code": 190.0, "message": "Invalid OAuth access token - Cannot parse access token"}}},
		"app": {appToken, map[string]any{
			"app_id": clientID, "application": "Katalog firm", "is_valid": true, "type": "APP", "data_access_expires_at": 0.0, "expires_at": 0.0, "scopes": []any{},
		}},
	}
	for name, c := range cases {
		if got := w.debug(appToken, c.token); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v\nwant %v", name, got, c.want)
		}
	}
}

func TestDebugTokenOfADeadToken(t *testing.T) {
	w := newWorld(t)
	user := w.short("anna")
	page := w.pageToken(user, bakery)
	w.now = w.now.Add(90 * time.Minute)
	for _, token := range []string{user, page} {
		got := w.debug(appToken, token)
		if death, _ := got["error"].(map[string]any); got["is_valid"] != false || death["subcode"] != 463.0 || got["user_id"] != anna {
			t.Errorf("got %v", got)
		}
	}
}

func TestDebugTokenTellsWhichPagesWereChosen(t *testing.T) {
	w := newWorld(t)
	granular := w.debug(appToken, w.chosen(branch))["granular_scopes"].([]any)
	if len(granular) != 2 || !reflect.DeepEqual(granular[0], map[string]any{"scope": "pages_show_list", "target_ids": []any{branch}}) {
		t.Errorf("got %v", granular)
	}
}

func TestWhoMayDebugTokens(t *testing.T) {
	w := newWorld(t)
	user, other := w.login("anna"), w.login("marek")
	if got := w.debug(user, user); got["is_valid"] != true {
		t.Errorf("one's own: %v", got)
	}
	w.wantRefusal(user, "debug_token?input_token="+other, "100")
	w.wantRefusal(appToken, "debug_token", "100")
}
