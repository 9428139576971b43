package google_test

import (
	"cmp"
	"encoding/base64"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/provider/providertest"
)

func TestSearchToken(t *testing.T) {
	fake, s := newGoogle(t)
	token, err := newSearch(s).Exchange(t.Context(), []provider.Service{provider.SearchProfile},
		fake.Code("anna", challenge(), "openid", scopeProfile), verifier, redirectURL)
	wantFault(t, err, "")
	expires := now.Add(3599 * time.Second)
	if token.AccessToken == "" || token.RefreshToken == "" {
		t.Fatalf("token = %+v, want one until %v", token, expires)
	}
	if token.ProviderUserID == "" || !slices.Equal(token.Scopes, []string{"openid", scopeProfile}) {
		t.Fatalf("token = %+v, want one until %v", token, expires)
	}
	if !token.ExpiresAt.Equal(expires) {
		t.Errorf("token = %+v, want one until %v", token, expires)
	}
	sent := slices.Sorted(maps.Keys(s.Calls[0].Form))
	if want := []string{"client_id", "client_secret", "code", "code_verifier", "grant_type",
		"redirect_uri"}; !slices.Equal(sent, want) || s.Calls[0].Token != "" {
		t.Errorf("sent %v, want %v and nothing in a header", sent, want)
	}
	renewed, err := newSearch(s).Refresh(t.Context(), provider.Token{RefreshToken: token.RefreshToken})
	wantFault(t, err, "")
	if renewed.AccessToken == token.AccessToken || renewed.RefreshToken != token.RefreshToken {
		t.Fatalf("renewed token = %+v, want another one with the same refresh token", renewed)
	}
	if !renewed.ExpiresAt.Equal(expires) || !slices.Equal(renewed.Scopes, token.Scopes) {
		t.Errorf("renewed token = %+v, want another one with the same refresh token", renewed)
	}
	sent = slices.Sorted(maps.Keys(s.Calls[1].Form))
	if want := []string{"client_id", "client_secret", "grant_type", "refresh_token"}; !slices.Equal(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}
	for _, accessToken := range []string{token.AccessToken, renewed.AccessToken} {
		if locations, err := newSearch(s).Locations(t.Context(), accessToken); err != nil || len(locations.Items) == 0 {
			t.Errorf("a token of the exchange reads %d locations, %v", len(locations.Items), err)
		}
	}
	fake.SetToggle("rotate_refresh_tokens", true)
	rotated, err := newSearch(s).Refresh(t.Context(), provider.Token{RefreshToken: token.RefreshToken})
	wantFault(t, err, "")
	if rotated.RefreshToken == token.RefreshToken || rotated.RefreshToken == "" {
		t.Errorf("refresh token = %q, want the new one", rotated.RefreshToken)
	}
}

func TestSearchTokenRefused(t *testing.T) {
	fake, s := newGoogle(t)
	code := func() string { return fake.Code("anna", challenge(), "openid", scopeProfile) }
	tests := []struct {
		name                     string
		code, verifier, redirect string
		withhold                 bool
		want                     string
	}{
		{name: "code", code: "4/other", verifier: verifier, redirect: redirectURL, want: providertest.Reconnect},
		{
			name: "verifier", code: code(), verifier: "another-verifier-of-forty-three-characters-",
			redirect: redirectURL, want: providertest.Reconnect,
		},
		{name: "redirect address", code: code(), verifier: verifier, redirect: redirectURL + "/",
			want: providertest.Operator},
		{name: "no refresh token", code: code(), verifier: verifier, redirect: redirectURL, withhold: true,
			want: providertest.Reconnect},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fake.SetToggle("withhold_refresh_tokens", test.withhold)
			_, err := newSearch(s).Exchange(t.Context(), []provider.Service{provider.SearchProfile}, test.code,
				test.verifier, test.redirect)
			wantFault(t, err, test.want)
		})
	}
	fake.SetToggle("withhold_refresh_tokens", false)
	other := google.New(google.Options{ClientID: clientID, ClientSecret: "other", Transport: s, Now: clock})
	_, err := other.Refresh(t.Context(), provider.Token{RefreshToken: fake.Grant("anna", scopeProfile).Refresh})
	wantFault(t, err, providertest.Operator)
	calls := len(s.Calls)
	_, err = newSearch(s).Refresh(t.Context(), provider.Token{AccessToken: someToken})
	if wantFault(t, err, providertest.Reconnect); len(s.Calls) != calls {
		t.Error("a connection without a refresh token calls the provider")
	}
}

func TestSearchTokenReplies(t *testing.T) {
	idToken := func(claims string) string {
		return `","id_token":"e30.` + base64.RawURLEncoding.EncodeToString([]byte(claims)) + `.signature`
	}
	tests := []struct {
		name   string
		scope  string // and what follows it in the reply
		scopes []string
		user   string
	}{
		{name: "as asked for", scope: "", scopes: []string{"openid", scopeProfile}},
		{name: "unticked", scope: "openid" + idToken(`{"sub":"108","aud":"x"}`), scopes: []string{"openid"},
			user: "108"},
		{name: "no id token", scope: "x", scopes: []string{"x"}},
		{name: "id token of one part", scope: `x","id_token":"a`, scopes: []string{"x"}},
		{name: "id token of two parts", scope: `x","id_token":"a.b`, scopes: []string{"x"}},
		{name: "id token that is not base64", scope: `x","id_token":"a.!.c`, scopes: []string{"x"}},
		{name: "id token with other claims", scope: "x" + idToken(`{"sub":7}`), scopes: []string{"x"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t, nil)
			s.Replies["POST /token"] = ok(`{"access_token":"a","refresh_token":"r","scope":"` + test.scope + `"}`)
			if test.scope == "" {
				s.Replies["POST /token"] = ok(`{"access_token":"a","refresh_token":"r"}`)
			}
			token, err := newSearch(s).Exchange(t.Context(), []provider.Service{provider.SearchProfile}, someCode,
				verifier, redirectURL)
			wantFault(t, err, "")
			if !slices.Equal(token.Scopes, test.scopes) || token.ProviderUserID != test.user || token.ExpiresAt != nil {
				t.Errorf("token = %+v, want scopes %v of user %q", token, test.scopes, test.user)
			}
		})
	}
}

// Each error is tried at the exchange and at the renewal. Only the reason for an
// invalid grant differs.
func TestSearchTokenErrors(t *testing.T) {
	const (
		quoted      = someToken + " " + someCode
		codeExpired = "Kod autoryzacji wygasł lub został już użyty. Połącz konto ponownie."
		ended       = "Google cofnęło nam dostęp albo dostęp wygasł. Połącz konto ponownie."
		signIn      = "Zasady bezpieczeństwa konta wymagają ponownego zalogowania. Połącz konto ponownie."
		policy      = "Administrator konta nie zezwala na ten dostęp. Skontaktuj się z nim i połącz konto ponownie."
	)
	oauthError := func(status int, code string) reply { return failed(status, `{"error":"`+code+`"}`) }
	limited := reply{Status: 403, Body: `{"error":"rate_limit_exceeded"}`, Header: http.Header{"Retry-After": {"3"}}}
	tests := []struct {
		name     string
		reply    reply
		want     string
		message  string // at the renewal; empty: any
		exchange string // message at the exchange; empty: the same
		wait     time.Duration
	}{
		{name: "invalid grant", reply: oauthError(400, "invalid_grant"), want: providertest.Reconnect, message: ended,
			exchange: codeExpired},
		{name: "sign in again", reply: oauthError(400, `invalid_grant","error_subtype":"invalid_rapt`),
			want: providertest.Reconnect, message: signIn},
		{name: "sign in again too", reply: oauthError(400, `invalid_grant","error_subtype":"rapt_required`),
			want: providertest.Reconnect, message: signIn},
		{name: "policy", reply: oauthError(400, "admin_policy_enforced"), want: providertest.Reconnect,
			message: policy},
		{name: "denied", reply: oauthError(403, "access_denied"), want: providertest.Reconnect, message: policy},
		{name: "client", reply: oauthError(401, `invalid_client","error_description":"`+quoted),
			want: providertest.Operator},
		{name: "deleted client", reply: oauthError(401, "deleted_client"), want: providertest.Operator},
		{name: "unauthorized client", reply: oauthError(401, "unauthorized_client"), want: providertest.Operator},
		{name: "redirect address", reply: oauthError(400, "redirect_uri_mismatch"), want: providertest.Operator},
		{name: "disabled client", reply: oauthError(401, "disabled_client"), want: providertest.Operator},
		{name: "scope", reply: oauthError(400, "invalid_scope"), want: providertest.Operator},
		{name: "of another organization", reply: oauthError(403, "org_internal"), want: providertest.Reconnect,
			message: policy},
		{name: "internal failure", reply: oauthError(400, "internal_failure"), want: providertest.Temporary},
		{name: "unavailable", reply: oauthError(400, "temporarily_unavailable"), want: providertest.Temporary},
		{name: "server error", reply: oauthError(400, "server_error"), want: providertest.Temporary},
		{name: "rate", reply: limited, want: providertest.Throttled, wait: 3 * time.Second},
		{name: "too many", reply: reply{Status: 429, Header: limited.Header}, want: providertest.Throttled,
			wait: 3 * time.Second},
		{name: "status before code", reply: oauthError(500, "invalid_grant"), want: providertest.Temporary},
		{name: "503 page", reply: reply{Status: 503, Body: quoted, Header: limited.Header},
			want: providertest.Temporary, wait: 3 * time.Second},
		{name: "400 page", reply: failed(400, `<html>`+quoted), want: providertest.Changed},
		{name: "unknown code", reply: oauthError(400, quoted), want: providertest.Changed},
		{name: "error with 200", reply: ok(`{"error":"invalid_grant"}`), want: providertest.Reconnect},
		{name: "page with 200", reply: ok(`<html>` + quoted), want: providertest.Changed},
		{name: "expiry is a text", reply: ok(`{"access_token":"a","expires_in":"` + quoted + `"}`),
			want: providertest.Changed},
		{name: "no token", reply: ok(`{"token_type":"Bearer"}`), want: providertest.Changed},
	}
	for _, test := range tests {
		runQuickly(t, test.name, func(t *testing.T) {
			s := newServer(t, nil)
			s.Replies["POST /token"] = test.reply
			_, exchangeErr := newSearch(s).Exchange(t.Context(), []provider.Service{provider.SearchProfile}, someCode,
				verifier, redirectURL)
			exchange := wantFault(t, exchangeErr, test.want)
			_, refreshErr := newSearch(s).Refresh(t.Context(), provider.Token{RefreshToken: someToken})
			refresh := wantFault(t, refreshErr, test.want)
			if want := cmp.Or(test.exchange, test.message); want != "" &&
				(exchange.Message != want || refresh.Message != test.message) {
				t.Errorf("messages %q and %q, want %q and %q", exchange.Message, refresh.Message, want, test.message)
			}
			if exchange.RetryAfter != test.wait || refresh.RetryAfter != test.wait {
				t.Errorf("RetryAfter = %v and %v, want %v", exchange.RetryAfter, refresh.RetryAfter, test.wait)
			}
			if want := 1 + tries(test.want); len(s.Calls) != want { // a code is valid for one try
				t.Errorf("%d calls, want %d", len(s.Calls), want)
			}
		})
	}
}

func TestSearchRevoke(t *testing.T) {
	fake, s := newGoogle(t)
	tokens := fake.Grant("anna", scopeProfile)
	for _, name := range []string{"a grant", "a grant that is already revoked"} {
		if err := newSearch(s).
			Revoke(t.Context(), provider.Token{AccessToken: "other", RefreshToken: tokens.Refresh}); err != nil {
			t.Errorf("revoking %s: %v", name, err)
		}
		if _, err := newSearch(s).Locations(t.Context(), tokens.Access); err == nil {
			t.Error("the access token still works")
		}
	}
	tests := []struct {
		name       string
		connection provider.Token
		reply      reply
		want       string
	}{
		{name: "access token only", connection: provider.Token{AccessToken: someToken}},
		{name: "down", connection: provider.Token{RefreshToken: someToken}, reply: failed(503, someToken),
			want: providertest.Temporary},
		{
			name: "other error", connection: provider.Token{RefreshToken: someToken},
			reply: failed(400, `{"error":"invalid_request"}`), want: providertest.Changed,
		},
	}
	for _, test := range tests {
		runQuickly(t, test.name, func(t *testing.T) {
			s := newServer(t, nil)
			s.Replies["POST /revoke"] = test.reply
			wantFault(t, newSearch(s).Revoke(t.Context(), test.connection), test.want)
			if form := s.Calls[0].Form; len(s.Calls) != tries(test.want) || len(form) != 1 ||
				form.Get("token") != someToken {
				t.Errorf("%d calls with %v, want %d with the token alone", len(s.Calls), form, tries(test.want))
			}
		})
	}
}
