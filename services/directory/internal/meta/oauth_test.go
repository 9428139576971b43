package meta_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/provider/providertest"
	"backend.example/services/internal/kit/fault"
)

const (
	socialToken = "POST /v25.0/oauth/access_token"
	annaID      = "1022000000100001"
)

func TestSocialToken(t *testing.T) {
	fake, s := newMeta(t)
	fake.SetToggle("missing_permissions", []string{"read_insights"})
	token, err := newSocial(s).Exchange(t.Context(), []provider.Service{provider.SocialPages},
		fake.Code("anna", challenge(), socialScopes...), verifier, redirectURL)
	wantFault(t, err, "")
	expires := now.Add(5183944 * time.Second)
	if token.AccessToken == "" || token.RefreshToken != "" {
		t.Fatalf("token = %+v, want a long-lived one of %s until %v", token, annaID, expires)
	}
	if token.ProviderUserID != annaID || !token.ExpiresAt.Equal(expires) {
		t.Errorf("token = %+v, want a long-lived one of %s until %v", token, annaID, expires)
	}
	if want := slices.DeleteFunc(slices.Clone(socialScopes), func(s string) bool {
		return s == "read_insights"
	}); !slices.Equal(
		slices.Sorted(slices.Values(token.Scopes)), slices.Sorted(slices.Values(want))) {
		t.Errorf("scopes = %v, want the granted ones %v", token.Scopes, want)
	}
	if end := now.Add(90 * 24 * time.Hour); token.DataAccessExpiresAt == nil || !token.DataAccessExpiresAt.Equal(end) {
		t.Errorf("data can be read until %v, want %v", token.DataAccessExpiresAt, end)
	}
	sent := [][]string{slices.Sorted(maps.Keys(s.Calls[0].Form)), slices.Sorted(maps.Keys(s.Calls[1].Form))}
	want := [][]string{
		{"client_id", "client_secret", "code", "code_verifier", "grant_type", "redirect_uri"},
		{"client_id", "client_secret", "fb_exchange_token", "grant_type"},
	}
	if !slices.EqualFunc(sent, want, slices.Equal) || len(s.Calls[0].Query)+len(s.Calls[1].Query) > 0 {
		t.Errorf("sent %v, want %v in the body", sent, want)
	}
	id, name, err := newSocial(s).Account(t.Context(), provider.SocialPages, token)
	if err != nil || id != annaID || name != "Anna Kowalska" {
		t.Errorf("Account = %q, %q, %v", id, name, err)
	}
}

func TestSocialDataAccessUnknown(t *testing.T) {
	for name, answer := range map[string]reply{
		"no end": ok(`{"data":{"data_access_expires_at":0}}`), "absent": ok(`{"data":{}}`), "another form": ok(`[]`),
		"refused": graphError(190, 0, "app token"), "overflowing": ok(`{"data":{"data_access_expires_at":1e40}}`),
	} {
		fake, s := newMeta(t)
		s.Replies["GET /v25.0/debug_token"] = answer
		token, err := newSocial(s).
			Refresh(t.Context(), provider.Token{AccessToken: fake.Grant("anna", socialScopes...).User})
		if err != nil || token.AccessToken == "" || token.DataAccessExpiresAt != nil {
			t.Errorf("%s: token %+v, %v", name, token, err)
		}
	}
}

// TestSocialDataAccessHangs: the token does not wait for what can be missed.
func TestSocialDataAccessHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake, s := newMeta(t)
		user := fake.Grant("anna", socialScopes...).User
		hanging := roundTrip(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/debug_token") {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return s.RoundTrip(r)
		})
		began := time.Now()
		token, err := newSocial(hanging).Refresh(t.Context(), provider.Token{AccessToken: user})
		if took := time.Since(began); err != nil || token.AccessToken == "" || took > 5*time.Second {
			t.Errorf("token %+v, %v after %v", token, err, took)
		}
	})
}

// roundTrip is a transport.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestSocialTokenWithoutPKCE(t *testing.T) {
	fake, s := newMeta(t)
	social := meta.New(meta.Options{ClientID: clientID, ClientSecret: clientSecret, Transport: s, Now: clock})
	_, err := social.Exchange(t.Context(), []provider.Service{provider.SocialPages},
		fake.Code("anna", "", socialScopes...), verifier, redirectURL)
	if wantFault(t, err, ""); s.Calls[0].Form.Has("code_verifier") {
		t.Error("a verifier is sent although there was no challenge")
	}
}

func TestSocialRefresh(t *testing.T) {
	fake, s := newMeta(t)
	user := fake.Grant("anna", socialScopes...).User
	tests := []struct {
		name       string
		connection provider.Token
		omitExpiry bool
		term       time.Duration
	}{
		{name: "the user's token", connection: provider.Token{AccessToken: user}, term: 5183944 * time.Second},
		{
			name: "no expiry in the answer", connection: provider.Token{AccessToken: user}, omitExpiry: true,
			term: 60 * 24 * time.Hour,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fake.SetToggle("omit_expires_in", test.omitExpiry)
			token, err := newSocial(s).Refresh(t.Context(), test.connection)
			wantFault(t, err, "")
			if want := now.Add(test.term); token.AccessToken == "" || !token.ExpiresAt.Equal(want) {
				t.Errorf("token = %+v, want one until %v", token, want)
			}
			if end := now.Add(90 * 24 * time.Hour); token.DataAccessExpiresAt == nil ||
				!token.DataAccessExpiresAt.Equal(end) {
				t.Errorf("data can be read until %v, want %v", token.DataAccessExpiresAt, end)
			}
		})
	}
	s.Replies[socialToken] = ok(`{"access_token":"a","expires_in":9223372036854775807}`)
	token, err := newSocial(s).Refresh(t.Context(), provider.Token{AccessToken: user})
	if wantFault(t, err, ""); !token.ExpiresAt.Equal(now.Add(60 * 24 * time.Hour)) {
		t.Errorf("a token for ever expires at %v, want 60 days at most", token.ExpiresAt)
	}
	delete(s.Replies, socialToken)
	fake.Do("expire-tokens", `{"account":"anna"}`)
	_, err = newSocial(s).Refresh(t.Context(), provider.Token{AccessToken: user})
	wantFault(t, err, providertest.Reconnect)
}

// Each row is tried at the exchange of a code and, where it applies, at a renewal.
func TestSocialTokenErrors(t *testing.T) {
	const me, permissions = "GET /v25.0/me", "GET /v25.0/me/permissions"
	passing := graphError(1, 0, "unknown")
	passing.Status = http.StatusInternalServerError
	tests := []struct {
		name    string
		at      string // empty: both exchanges of the token endpoint
		reply   reply
		want    string
		message string // empty: any
	}{
		{
			name: "code expired", reply: graphError(100, 36007, someCode), want: providertest.Reconnect,
			message: "Kod autoryzacji wygasł lub został już użyty. Połącz konto ponownie.",
		},
		{name: "code used", reply: graphError(100, 36009, someCode), want: providertest.Reconnect},
		{name: "that subcode of another code", reply: graphError(2, 36009, "later"), want: providertest.Temporary},
		{name: "redirect address", reply: graphError(100, 36008, redirectURL), want: providertest.Operator},
		{name: "another parameter", reply: graphError(100, 0, "Missing client_id parameter"),
			want: providertest.Changed},
		{name: "client id", reply: graphError(101, 0, "Error validating application"), want: providertest.Operator},
		{name: "client secret", reply: graphError(1, 0, "Error validating client secret: "+clientSecret),
			want: providertest.Operator},
		{name: "code 1 with 500", reply: passing, want: providertest.Temporary},
		{name: "code 1 that is transient", reply: failed(400, `{"error":{"code":1,"is_transient":true}}`),
			want: providertest.Temporary},
		{name: "limit", reply: graphError(613, 0, "limit"), want: providertest.Throttled},
		{name: "app removed", reply: graphError(190, 458, someToken), want: providertest.Reconnect},
		{name: "gateway page", reply: failed(502, "<html>"+someCode), want: providertest.Temporary},
		{name: "answer is a page", reply: ok("<html>" + someCode), want: providertest.Changed},
		{name: "answer is a form", reply: ok("access_token=" + someToken), want: providertest.Changed},
		{name: "expiry is a text", reply: ok(`{"access_token":"a","expires_in":"soon"}`), want: providertest.Changed},
		{name: "no token", reply: ok(`{"token_type":"bearer"}`), want: providertest.Changed},
		{
			name: "long-lived token refused", at: socialToken + " fb_exchange_token",
			reply: graphError(190, 463, someToken), want: providertest.Reconnect,
		},
		{name: "no permissions", at: permissions, reply: graphError(2, 0, "later"), want: providertest.Temporary},
		{name: "permissions of another form", at: permissions, reply: ok(`{"data":"` + someToken + `"}`),
			want: providertest.Changed},
		{name: "no user id", at: me, reply: ok(`{"name":"Anna"}`), want: providertest.Changed},
		{name: "token revoked at once", at: me, reply: graphError(190, 460, someToken), want: providertest.Reconnect},
	}
	for _, test := range tests {
		runQuickly(t, test.name, func(t *testing.T) {
			fake, s := newMeta(t)
			at := test.at
			if at == "" {
				at = socialToken
			}
			s.Replies[at] = test.reply
			_, err := newSocial(s).Exchange(t.Context(), []provider.Service{provider.SocialPages},
				fake.Code("anna", challenge(), socialScopes...), verifier, redirectURL)
			if f := wantFault(t, err, test.want); test.message != "" && f.Message != test.message {
				t.Errorf("message = %q, want %q", f.Message, test.message)
			}
			if test.at != "" {
				return
			}
			if text := err.Error(); !strings.Contains(text, "token endpoint of provider_social: ") {
				t.Errorf("the error %q does not name the address", text)
			}
			s.Calls = nil
			_, err = newSocial(s).Refresh(t.Context(), provider.Token{AccessToken: someToken})
			if wantFault(t, err, test.want); len(s.Calls) != tries(test.want) {
				t.Errorf("%d calls, want %d", len(s.Calls), tries(test.want))
			}
		})
	}
}

func TestSocialRevoke(t *testing.T) {
	fake, s := newMeta(t)
	tokens := fake.Grant("anna", socialScopes...)
	chosen := provider.Token{ProviderUserID: annaID, AccessToken: tokens.User}
	const app = clientID + "|" + clientSecret
	for _, name := range []string{"a grant", "a grant that is already revoked"} {
		if err := newSocial(s).Revoke(t.Context(), chosen); err != nil || s.Calls[0].Token != app {
			t.Errorf("revoking %s with %q: %v", name, s.Calls[0].Token, err)
		}
		_, err := newSocial(s).Pages(t.Context(), tokens.User, nil)
		wantFault(t, err, providertest.Reconnect)
	}
	s.Calls = nil
	user := fake.Grant("anna", socialScopes...).User // of a connection from before the user's id was kept
	if err := newSocial(s).Revoke(t.Context(), provider.Token{AccessToken: user}); err != nil ||
		s.Calls[0].Token != user {
		t.Errorf("revoking without a user id: %v", err)
	}
	tests := []struct {
		name  string
		reply reply
		want  string
	}{
		{name: "answer as documented", reply: ok("true")},
		{name: "app removed before", reply: graphError(190, 458, app)},
		{name: "unknown user", reply: graphError(100, 33, app)},
		{name: "app token refused", reply: graphError(190, 0, app), want: providertest.Reconnect},
		{name: "later", reply: graphError(2, 0, app), want: providertest.Temporary},
	}
	for _, test := range tests {
		runQuickly(t, test.name, func(t *testing.T) {
			s := newServer(t, nil)
			s.Replies["DELETE /v25.0/"+annaID+"/permissions"] = test.reply
			wantFault(t, newSocial(s).Revoke(t.Context(), chosen), test.want)
			if len(s.Calls) != tries(test.want) {
				t.Errorf("%d calls, want %d", len(s.Calls), tries(test.want))
			}
		})
	}
}

// signedWith signs a payload as the provider does, apart from the client (RFC 2104).
func signedWith(secret, payload string, encoding *base64.Encoding) string {
	encoded := encoding.EncodeToString([]byte(payload))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(encoded))
	return encoding.EncodeToString(mac.Sum(nil)) + "." + encoded
}

func TestSignedRequest(t *testing.T) {
	const payload = `{"algorithm":"HMAC-SHA256","issued_at":1763719200,"user_id":"1022000000100001","expires":0}`
	social := newSocial(nil)
	digests := map[string]bool{}
	for name, encoding := range map[string]*base64.Encoding{"without padding": base64.RawURLEncoding,
		"with padding": base64.URLEncoding} {
		got, err := social.ReadRequest(signedWith(clientSecret, payload, encoding))
		if err != nil || got.PersonID != annaID {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		if !got.IssuedAt.Equal(time.Date(2025, 11, 21, 10, 0, 0, 0, time.UTC)) || len(got.Digest) != 32 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		digests[got.Digest] = true
	}
	later, err := social.ReadRequest(
		signedWith(clientSecret, strings.Replace(payload, "1763719200", "1763719201", 1), base64.RawURLEncoding),
	)
	if err != nil || digests[later.Digest] {
		t.Errorf("another request: %+v, %v", later, err)
	}
}

func TestSignedRequestRefused(t *testing.T) {
	const good = `{"algorithm":"HMAC-SHA256","issued_at":1763719200,"user_id":"1"}`
	raw := base64.RawURLEncoding
	signed := signedWith(clientSecret, good, raw)
	signature, payload, _ := strings.Cut(signed, ".")
	for name, text := range map[string]string{
		"nothing":             "",
		"a dot":               ".",
		"no payload":          signature,
		"no signature":        "." + payload,
		"signature cut":       signature[:len(signature)-4] + "." + payload,
		"another payload":     signature + "." + raw.EncodeToString([]byte(strings.Replace(good, `"1"`, `"2"`, 1))),
		"another secret":      signedWith("other", good, raw),
		"no secret":           signedWith("", good, raw),
		"signed when decoded": decodedSignature(good) + "." + payload,
		"another algorithm":   signedWith(clientSecret, strings.Replace(good, "HMAC-SHA256", "none", 1), raw),
		"no algorithm":        signedWith(clientSecret, `{"issued_at":1763719200,"user_id":"1"}`, raw),
		"no user":             signedWith(clientSecret, `{"algorithm":"HMAC-SHA256","issued_at":1763719200}`, raw),
		"user with a path": signedWith(
			clientSecret, `{"algorithm":"HMAC-SHA256","issued_at":1763719200,"user_id":"../me"}`, raw,
		),
		"no time": signedWith(clientSecret, `{"algorithm":"HMAC-SHA256","user_id":"1"}`, raw),
		"time before all time": signedWith(clientSecret, `{"algorithm":"HMAC-SHA256","issued_at":-1,"user_id":"1"}`,
			raw),
		"not base64url": decodedSignature(payload+"!") + "." + payload + "!",
		"not JSON":      signedWith(clientSecret, "x", raw),
		"a third part":  signed + "." + payload,
	} {
		if got, err := newSocial(nil).ReadRequest(text); !fault.Is(err, provider.CodeInvalidRequest.Name) ||
			got != (provider.PersonRequest{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// decodedSignature signs what the payload means, which a careless client would accept.
func decodedSignature(payload string) string {
	mac := hmac.New(sha256.New, []byte(clientSecret))
	mac.Write([]byte(payload))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// FuzzSignedRequest: nothing that is not signed is believed, and nothing panics.
func FuzzSignedRequest(f *testing.F) {
	f.Add("a.b")
	f.Add(signedWith("other", `{"algorithm":"HMAC-SHA256","issued_at":1,"user_id":"1"}`, base64.URLEncoding))
	social := meta.New(meta.Options{ClientSecret: clientSecret})
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := social.ReadRequest(text); err == nil {
			t.Errorf("believed %+v", got)
		}
	})
}
