package social_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/social"
)

func TestExpiredTokensLeaveThePagesAlone(t *testing.T) {
	w := newApp(t)
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
	w := newApp(t)
	user := w.login("anna")
	page := w.pageToken(user, bakery)
	if got, err := w.act("revoke-grants", `{"account": "anna"}`); err != nil || got != `{"ended_tokens":3}` {
		t.Errorf("got %s, %v", got, err)
	}
	w.wantRefusal(user, "me", "190/458")
	w.wantRefusal(page, bakery, "190/458")
	w.wantRefusal(appToken, anna+"/permissions", "100/33")
}

func TestMistakesInOptionsAreNamed(t *testing.T) {
	w := newApp(t)
	for _, c := range []struct{ options, want string }{
		{`{"account": "nobody"}`, `nobody has the account "nobody"`},
		{`{"who": "anna"}`, "not a valid JSON object"},
		{`[]`, "not a valid JSON object"},
	} {
		if got, err := w.act("revoke-grants", c.options); err == nil || !strings.Contains(err.Error(), c.want) || got != "null" {
			t.Errorf("%s: got %s, %v", c.options, got, err)
		}
	}
}

func TestTheStateHoldsNoSecret(t *testing.T) {
	w := newApp(t)
	page := w.pageToken(w.login("anna"), bakery)
	w.wantRefusal(page, "me?fields=planet", "100")
	text, err := json.Marshal(w.State())
	if err != nil {
		t.Fatal(err)
	}
	secrets, _ := w.Secrets.List()
	if len(secrets) != 4 {
		t.Errorf("%d secrets in the register, want a code, two tokens of a person and one of a page", len(secrets))
	}
	for _, secret := range secrets {
		if strings.Contains(string(text), secret.Value) {
			t.Errorf("a %s stands in the state", secret.Kind)
		}
	}
	for _, want := range []string{`"account":"` + anna + `"`, `"tokens":{"PAGE":1,"USER":2}`, `"refusals":{"100":1}`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

func TestResetIsANewStart(t *testing.T) {
	w := newApp(t)
	empty, _ := json.Marshal(w.State())
	token := w.login("anna")
	w.Reset()
	if got, _ := json.Marshal(w.State()); string(got) != string(empty) {
		t.Errorf("got %s", got)
	}
	w.wantRefusal(token, "me", "190")
	w.pageToken(w.login("anna"), bakery)
}

// TestTheAppHearsOfItsRemoval: the callback gets a request that the app's secret signs.
func TestTheAppHearsOfItsRemoval(t *testing.T) {
	var path, signed string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, signed = r.URL.Path, r.PostFormValue("signed_request")
		_, _ = w.Write([]byte("heard"))
	}))
	defer receiver.Close()
	w := &app{t: t, Provider: social.New(social.Options{
		ClientID: clientID, ClientSecret: secret, RedirectURI: receiver.URL + "/api/oauth/callback/provider_social",
	})}
	for _, action := range []string{"deauthorize", "data-deletion"} {
		got, err := w.act(action, `{"account":"anna"}`)
		if err != nil || path != "/api/oauth/provider_social/"+action || !strings.Contains(got, "heard") {
			t.Errorf("%s: %v, %v at %s", action, got, err, path)
		}
		signature, payload, _ := strings.Cut(signed, ".")
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(payload))
		text, _ := base64.RawURLEncoding.DecodeString(payload)
		if signature != base64.RawURLEncoding.EncodeToString(mac.Sum(nil)) || !strings.Contains(string(text), `"user_id":"`+anna+`"`) {
			t.Errorf("%s: signed %s", action, signed)
		}
	}
}
