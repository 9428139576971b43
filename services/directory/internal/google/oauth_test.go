package google_test

import (
	"encoding/base64"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
)

// code returns the code of a consent page on which Anna allowed everything.
func (s site) code() string {
	return s.Provider.Code("anna", oauth2.S256ChallengeFromVerifier(verifier), "openid", scopeProfile)
}

func (s site) exchange(t *testing.T, code, verifier, redirectURL string) (provider.Token, error) {
	return s.Exchange(t.Context(), []provider.Service{provider.SearchProfile}, code, verifier, redirectURL)
}

func TestToken(t *testing.T) {
	s := newSite(t)
	token, err := s.exchange(t, s.code(), verifier, redirectURL)
	wantFault(t, err, none)
	if token.RefreshToken == "" || token.ProviderUserID == "" {
		t.Errorf("token = %+v, want a refresh token and a person", token)
	}
	renewed, err := s.Refresh(t.Context(), provider.Token{RefreshToken: token.RefreshToken})
	wantFault(t, err, none)
	if renewed.AccessToken == token.AccessToken || renewed.RefreshToken != token.RefreshToken {
		t.Errorf("renewed token = %+v, want another one with the same refresh token", renewed)
	}
	for _, token := range []provider.Token{token, renewed} {
		if diff := cmp.Diff(new(now.Add(3599*time.Second)), token.ExpiresAt); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"openid", scopeProfile}, token.Scopes); diff != "" {
			t.Error(diff)
		}
		if locations, err := s.Locations(t.Context(), token.AccessToken); err != nil || len(locations.Items) == 0 {
			t.Errorf("the token reads %d locations, %v", len(locations.Items), err)
		}
	}
	s.SetToggle("rotate_refresh_tokens", true)
	rotated, err := s.Refresh(t.Context(), provider.Token{RefreshToken: token.RefreshToken})
	wantFault(t, err, none)
	if rotated.RefreshToken == token.RefreshToken || rotated.RefreshToken == "" {
		t.Errorf("refresh token = %q, want the new one", rotated.RefreshToken)
	}
}

func TestTokenRefused(t *testing.T) {
	s := newSite(t)
	_, err := s.exchange(t, "4/other", verifier, redirectURL)
	wantFault(t, err, provider.CodeReconnect)
	_, err = s.exchange(t, s.code(), "another-verifier-of-forty-three-characters-", redirectURL)
	wantFault(t, err, provider.CodeReconnect)
	_, err = s.exchange(t, s.code(), verifier, redirectURL+"/")
	wantFault(t, err, provider.CodeOperator)
	s.SetToggle("withhold_refresh_tokens", true)
	_, err = s.exchange(t, s.code(), verifier, redirectURL)
	wantFault(t, err, provider.CodeReconnect)
	s.SetToggle("withhold_refresh_tokens", false)
	other := google.New(google.Options{
		ClientID: clientID, ClientSecret: "other", Transport: testkit.NewTransport(t, s.Provider), Now: clock,
		Metrics: metrics.New(nil),
	})
	_, err = other.Refresh(t.Context(), provider.Token{RefreshToken: s.Grant("anna", scopeProfile).Refresh})
	wantFault(t, err, provider.CodeOperator)
	_, err = s.Refresh(t.Context(), provider.Token{AccessToken: someToken})
	wantFault(t, err, provider.CodeReconnect)
}

func TestTokenReplies(t *testing.T) {
	idToken := func(claims string) string {
		encoded := base64.RawURLEncoding.EncodeToString([]byte(claims))
		return `"scope":"openid","id_token":"e30.` + encoded + `.signature"`
	}
	type granted struct {
		scopes []string
		person string
	}
	for fields, want := range map[string]granted{
		`"scope":null`:                     {[]string{"openid", scopeProfile}, ""}, // as asked for
		idToken(`{"sub":"108","aud":"x"}`): {[]string{"openid"}, "108"},
		idToken(`{"sub":7}`):               {[]string{"openid"}, ""},
		`"scope":"x y"`:                    {[]string{"x", "y"}, ""},
		`"scope":"x","id_token":"a.b"`:     {[]string{"x"}, ""},
		`"scope":"x","id_token":"a.!.c"`:   {[]string{"x"}, ""},
	} {
		s := newSite(t)
		s.SetReply("POST /token", ok(`{"access_token":"a","refresh_token":"r",`+fields+`}`))
		token, err := s.exchange(t, someCode, verifier, redirectURL)
		wantFault(t, err, none)
		wantToken := provider.Token{AccessToken: "a", RefreshToken: "r", Scopes: want.scopes,
			ProviderUserID: want.person}
		if diff := cmp.Diff(wantToken, token); diff != "" {
			t.Errorf("%s: %s", fields, diff)
		}
	}
}

// Each error is tried at the exchange and at the renewal. Only the reason for an invalid grant differs.
func TestTokenErrors(t *testing.T) {
	const (
		quoted      = someToken + " " + someCode
		codeExpired = "Kod autoryzacji wygasł lub został już użyty. Połącz konto ponownie."
		ended       = "Google cofnęło nam dostęp albo dostęp wygasł. Połącz konto ponownie."
		signIn      = "Zasady bezpieczeństwa konta wymagają ponownego zalogowania. Połącz konto ponownie."
		policy      = "Administrator konta nie zezwala na ten dostęp. Skontaktuj się z nim i połącz konto ponownie."
	)
	type messages struct{ exchange, renewal string }
	both := func(message string) messages { return messages{message, message} }
	oauthError := func(status int, code string) fake.Reply { return failed(status, `{"error":"`+code+`"}`) }
	limited := fake.Reply{Status: 403, Body: `{"error":"rate_limit_exceeded"}`,
		Header: http.Header{"Retry-After": {"3"}}}
	for name, test := range map[string]struct {
		reply fake.Reply
		want  fault.Code
		texts messages
		wait  time.Duration
	}{
		"invalid grant":  {oauthError(400, "invalid_grant"), provider.CodeReconnect, messages{codeExpired, ended}, 0},
		"error with 200": {ok(`{"error":"invalid_grant"}`), provider.CodeReconnect, messages{codeExpired, ended}, 0},
		"sign in again": {oauthError(400, `invalid_grant","error_subtype":"invalid_rapt`), provider.CodeReconnect,
			both(signIn), 0},
		"sign in again too": {oauthError(400, `invalid_grant","error_subtype":"rapt_required`),
			provider.CodeReconnect,
			both(signIn), 0},
		"policy":       {oauthError(400, "admin_policy_enforced"), provider.CodeReconnect, both(policy), 0},
		"denied":       {oauthError(403, "access_denied"), provider.CodeReconnect, both(policy), 0},
		"organization": {oauthError(403, "org_internal"), provider.CodeReconnect, both(policy), 0},
		"client": {oauthError(401, `invalid_client","x":"`+quoted), provider.CodeOperator, messages{},
			0},
		"deleted client":      {oauthError(401, "deleted_client"), provider.CodeOperator, messages{}, 0},
		"unauthorized client": {oauthError(401, "unauthorized_client"), provider.CodeOperator, messages{}, 0},
		"disabled client":     {oauthError(401, "disabled_client"), provider.CodeOperator, messages{}, 0},
		"redirect address":    {oauthError(400, "redirect_uri_mismatch"), provider.CodeOperator, messages{}, 0},
		"scope":               {oauthError(400, "invalid_scope"), provider.CodeOperator, messages{}, 0},
		"internal failure":    {oauthError(400, "internal_failure"), provider.CodeTemporary, messages{}, 0},
		"unavailable":         {oauthError(400, "temporarily_unavailable"), provider.CodeTemporary, messages{}, 0},
		"server error":        {oauthError(400, "server_error"), provider.CodeTemporary, messages{}, 0},
		"status before code":  {oauthError(500, "invalid_grant"), provider.CodeTemporary, messages{}, 0},
		"rate":                {limited, provider.CodeThrottled, messages{}, 3 * time.Second},
		"too many":            {after(failed(429, ""), "3"), provider.CodeThrottled, messages{}, 3 * time.Second},
		"400 page":            {failed(400, `<html>`+quoted), provider.CodeChanged, messages{}, 0},
		"unknown code":        {oauthError(400, quoted), provider.CodeChanged, messages{}, 0},
		"page with 200":       {ok(`<html>` + quoted), provider.CodeChanged, messages{}, 0},
		"expiry is a text":    {ok(`{"access_token":"a","expires_in":"x"}`), provider.CodeChanged, messages{}, 0},
		"no token":            {ok(`{"token_type":"Bearer"}`), provider.CodeChanged, messages{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t)
				s.SetReply("POST /token", test.reply)
				_, err := s.exchange(t, someCode, verifier, redirectURL)
				exchange := wantFault(t, err, test.want)
				if tries := len(s.Requests()); tries != 1 {
					t.Errorf("the code was sent %d times, and is valid for one", tries)
				}
				_, err = s.Refresh(t.Context(), provider.Token{RefreshToken: someToken})
				renewal := wantFault(t, err, test.want)
				if got := (messages{exchange.Message,
					renewal.Message}); test.texts != (messages{}) && got != test.texts {
					t.Errorf("messages %+v, want %+v", got, test.texts)
				}
				if renewal.RetryAfter != test.wait {
					t.Errorf("RetryAfter = %v, want %v", renewal.RetryAfter, test.wait)
				}
			})
		})
	}
}

func TestRevoke(t *testing.T) {
	s := newSite(t)
	tokens := s.Grant("anna", scopeProfile)
	for range 2 { // the second time, the grant does not exist any more
		wantFault(t, s.Revoke(t.Context(), provider.Token{AccessToken: "other", RefreshToken: tokens.Refresh}), none)
		_, err := s.Locations(t.Context(), tokens.Access)
		wantFault(t, err, provider.CodeReconnect)
	}
	token := s.Grant("anna", scopeProfile).Access
	wantFault(t, s.Revoke(t.Context(), provider.Token{AccessToken: token}), none)
	_, err := s.Locations(t.Context(), token)
	wantFault(t, err, provider.CodeReconnect)
	s.SetReply("POST /revoke", failed(400, `{"error":"invalid_request"}`))
	wantFault(t, s.Revoke(t.Context(), provider.Token{RefreshToken: someToken}), provider.CodeChanged)
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.SetReply("POST /revoke", failed(503, someToken))
		wantFault(t, s.Revoke(t.Context(), provider.Token{RefreshToken: someToken}), provider.CodeTemporary)
	})
}
