package social_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestExpiredTokensLeaveThePagesAlone(t *testing.T) {
	w := newWorld(t)
	user, other := w.login("anna"), w.login("marek")
	page := w.pageToken(user, bakery)
	if got, err := w.act("expire-tokens", `{"account": "anna"}`); err != nil || got != `{"ended_tokens":2}` {
		t.Errorf("got %s, %v; want the short-lived and the long-lived one", got, err)
	}
	w.wantRefusal(user, "me", "190/463")
	w.wantRefusal(page, "me", "")
	w.wantRefusal(other, "me", "")
	if a := w.trade("grant_type", "fb_exchange_token", "fb_exchange_token", user); a.refusal() != "190/463" {
		t.Errorf("an expired token is exchanged: %s", a.Body)
	}
	if got, _ := w.act("expire-tokens", ""); got != `{"ended_tokens":2}` {
		t.Errorf("of everybody: %s", got)
	}
	w.wantRefusal(other, "me", "190/463")
}

func TestARevokedGrantEndsEverything(t *testing.T) {
	w := newWorld(t)
	user := w.login("anna")
	page := w.pageToken(user, bakery)
	if got, err := w.act("revoke-grants", `{"account": "anna"}`); err != nil || got != `{"ended_tokens":3}` {
		t.Errorf("got %s, %v", got, err)
	}
	w.wantRefusal(user, "me", "190/458")
	w.wantRefusal(page, bakery, "190/458")
	w.wantRefusal(appToken, anna+"/permissions", "100/33")
}

func TestTokensEndWithACause(t *testing.T) {
	for _, subcode := range []string{"458", "459", "460", "463", "464", "467", "492"} {
		w := newWorld(t)
		token := w.login("anna")
		if _, err := w.act("end-tokens", `{"subcode": `+subcode+`}`); err != nil {
			t.Fatal(err)
		}
		w.wantRefusal(token, "me", "190/"+subcode)
	}
}

func TestALostRoleEndsThePagesToken(t *testing.T) {
	w := newWorld(t)
	user := w.login("anna")
	lost, kept := w.pageToken(user, bakery), w.pageToken(user, branch)
	if got, err := w.act("lose-role", `{"account": "anna", "page": "`+bakery+`"}`); err != nil || got != `{"ended_tokens":1}` {
		t.Errorf("got %s, %v", got, err)
	}
	w.wantRefusal(lost, "me", "190/492")
	w.wantRefusal(kept, "me", "")
	w.wantRefusal(user, bakery, "10")
	if got := w.get(user, "me/accounts").ids(); got != branch+" "+market {
		t.Errorf("pages left: %q", got)
	}
}

func TestAPermissionCanBeDeclinedLater(t *testing.T) {
	w := newWorld(t)
	token := w.login("anna")
	got, err := w.act("decline-permission", `{"account": "anna", "permission": "read_insights"}`)
	if err != nil || !strings.Contains(got, `{"permission":"read_insights","status":"declined"}`) {
		t.Errorf("got %s, %v", got, err)
	}
	if strings.Contains(w.granted(token), "read_insights") {
		t.Error("it is still granted")
	}
}

func TestMistakesInOptionsAreNamed(t *testing.T) {
	cases := []struct{ action, options, want string }{
		{"expire-tokens", `{"account": "nobody"}`, `account "nobody" is not one of: anna, marek, zofia, piotr, tomasz`},
		{"expire-tokens", `{"subcode": 460}`, "subcode is not for this action"},
		{"expire-tokens", `{"who": "anna"}`, "not a valid JSON object"},
		{"end-tokens", `{}`, "subcode is needed"},
		{"end-tokens", `{"subcode": 1}`, "subcode 1 is not one of"},
		{"decline-permission", `{}`, "account is needed\npermission is needed"},
		{"decline-permission", `{"account": "anna", "permission": "x"}`, `"x" is not granted`},
		{"lose-role", `{"account": "anna"}`, "page is needed"},
		{"lose-role", `{"account": "anna", "page": "` + garage + `"}`, "is not one that the account manages"},
		{"revoke-grants", `[]`, "not a valid JSON object"},
	}
	w := newWorld(t)
	for _, c := range cases {
		if got, err := w.act(c.action, c.options); err == nil || !strings.Contains(err.Error(), c.want) || got != "null" {
			t.Errorf("%s %s: got %s, %v", c.action, c.options, got, err)
		}
	}
}

func TestTheStateHoldsNoSecret(t *testing.T) {
	w := newWorld(t)
	page := w.pageToken(w.login("anna"), bakery)
	w.wantRefusal(page, "me?fields=planet", "100")
	text, err := json.Marshal(w.Memory.State())
	if err != nil {
		t.Fatal(err)
	}
	secrets, _ := w.secrets.List("social")
	if len(secrets) != 4 {
		t.Errorf("%d secrets in the register, want a code, two tokens of a person and one of a page", len(secrets))
	}
	for _, secret := range secrets {
		if strings.Contains(string(text), secret.Value) {
			t.Errorf("a %s stands in the state", secret.Kind)
		}
	}
	for _, want := range []string{`"account":"` + anna + `"`, `"tokens":{"APP":0,"PAGE":1,"USER":2}`, `"refusals":{"100":1}`, `"pages":null`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

func TestForgetIsANewStart(t *testing.T) {
	w := newWorld(t)
	empty, _ := json.Marshal(w.Memory.State())
	token := w.login("anna")
	if _, err := w.act("lose-role", `{"account": "anna", "page": "`+bakery+`"}`); err != nil {
		t.Fatal(err)
	}
	w.Memory.Forget()
	if got, _ := json.Marshal(w.Memory.State()); string(got) != string(empty) {
		t.Errorf("got %s", got)
	}
	w.wantRefusal(token, "me", "190")
	w.pageToken(w.login("anna"), bakery)
}
