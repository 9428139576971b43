package google

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/outbound"
)

const searchTokenEndpoint = "token endpoint of provider_search"

// Reasons for connecting again.
const (
	reasonOffline = "Google nie przyznał stałego dostępu. Połącz konto ponownie i zaakceptuj zgody."
	reasonEnded   = "Google cofnęło nam dostęp albo dostęp wygasł. Połącz konto ponownie."
	reasonPolicy  = "Administrator konta nie zezwala na ten dostęp. Skontaktuj się z nim i połącz konto ponownie."
	reasonSignIn  = "Zasady bezpieczeństwa konta wymagają ponownego zalogowania. Połącz konto ponownie."
)

// Exchange turns the code into a token. One without a refresh token is the fault provider_reconnect.
func (s *Client) Exchange(ctx context.Context, services []provider.Service, code, verifier,
	redirectURL string) (provider.Token, error) {
	t, err := s.oauth(redirectURL).Exchange(s.withClient(ctx), code, oauth2.VerifierOption(verifier))
	if err != nil {
		return provider.Token{}, s.tokenFault(ctx, err, provider.ReasonCode)
	}
	token := s.token(t)
	if token.RefreshToken == "" {
		return provider.Token{}, provider.Revoked(errors.New(searchTokenEndpoint+": no refresh token"), reasonOffline)
	}
	if len(token.Scopes) == 0 { // granted as asked (RFC 6749, section 5.1)
		token.Scopes = askedScopes(services)
	}
	return token, nil
}

// Refresh renews the access token. A new refresh token is optional, so that a failed try is repeated.
func (s *Client) Refresh(ctx context.Context, grant provider.Token) (token provider.Token, err error) {
	defer func() { s.options.Metrics.Call(string(provider.Search), "refresh", err) }()
	if grant.RefreshToken == "" {
		return provider.Token{}, provider.Revoked(errors.New("no refresh token is stored"), reasonEnded)
	}
	err = provider.WithRetries(ctx, s.client.Timeout, func(ctx context.Context) error {
		t, err := s.oauth("").TokenSource(s.withClient(ctx), &oauth2.Token{RefreshToken: grant.RefreshToken}).Token()
		if err != nil {
			return s.tokenFault(ctx, err, reasonEnded)
		}
		token = s.token(t)
		return nil
	})
	return token, provider.Named("Google", err)
}

// Revoke withdraws the whole grant, for which any of its tokens will do.
func (s *Client) Revoke(ctx context.Context, grant provider.Token) error {
	token := cmp.Or(grant.RefreshToken, grant.AccessToken)
	_, err := provider.Send(ctx, s.client, provider.Request{
		Method: http.MethodPost, URL: s.at(searchRevokeURL), Form: url.Values{"token": {token}},
	}, func(res provider.Response) error {
		e := parseTokenError(res)
		if e.Code == "invalid_token" { // is withdrawn already
			return nil
		}
		return e.fault(reasonEnded, s.options.Now())
	})
	return err
}

func (s *Client) withClient(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, s.client)
}

func (s *Client) token(t *oauth2.Token) provider.Token {
	token := provider.Token{AccessToken: t.AccessToken, RefreshToken: t.RefreshToken}
	if t.ExpiresIn > 0 {
		end := s.options.Now().Add(time.Duration(t.ExpiresIn) * time.Second)
		token.ExpiresAt = &end
	}
	if scope, ok := t.Extra("scope").(string); ok {
		token.Scopes = strings.Fields(scope)
	}
	if idToken, ok := t.Extra("id_token").(string); ok {
		token.ProviderUserID = subject(idToken)
	}
	return token
}

// subject returns the user of an ID token (OpenID Connect Core, section 2), or nothing. The signature is
// not checked: the token came from the token endpoint over TLS (section 3.1.3.7, point 6).
func subject(idToken string) string {
	parts := strings.Split(idToken, ".")
	if len(parts) != 3 {
		return ""
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims struct {
		Subject string `json:"sub"`
	}
	if err != nil || json.Unmarshal(text, &claims) != nil {
		return ""
	}
	return claims.Subject
}

func (s *Client) tokenFault(ctx context.Context, err error, reason string) error {
	return provider.OAuthFault(ctx, searchTokenEndpoint, err, func(res provider.Response) error {
		return parseTokenError(res).fault(reason, s.options.Now())
	})
}

// tokenError is an error answer of the token or revocation endpoint (RFC 6749, section 5.2)
// without its description, which may quote what was sent.
type tokenError struct {
	Code    string `json:"error"`
	Subtype string `json:"error_subtype"` // the provider's own

	response provider.Response
}

func parseTokenError(res provider.Response) tokenError {
	e := tokenError{response: res}
	_ = json.Unmarshal(res.Body, &e)
	return e
}

var codePattern = regexp.MustCompile(`^([A-Z_]{1,60}|[a-z_]{1,60})$`)

// loggableCode hides what does not have the form of a code: it could be a token.
func loggableCode(code string) string {
	if code == "" || codePattern.MatchString(code) {
		return code
	}
	return "(unreadable code)"
}

// fault translates the error. An invalid grant was revoked, unused for six months, or replaced.
func (e tokenError) fault(reason string, now time.Time) error {
	res := e.response
	err := fmt.Errorf("%s: %d %s %s", res.Endpoint, res.Status, loggableCode(e.Code), loggableCode(e.Subtype))
	wait := outbound.RetryAfter(res.Header, now)
	switch {
	case res.Status == http.StatusTooManyRequests:
		return provider.Throttled(err, wait)
	case res.Status >= 500:
		return provider.Temporary(err).After(wait)
	}
	switch e.Code {
	case "invalid_grant":
		if e.Subtype == "invalid_rapt" || e.Subtype == "rapt_required" {
			reason = reasonSignIn
		}
		return provider.Revoked(err, reason)
	case "access_denied", "admin_policy_enforced", "org_internal":
		return provider.Revoked(err, reasonPolicy)
	case "invalid_client", "unauthorized_client", "deleted_client", "disabled_client", "redirect_uri_mismatch",
		"invalid_scope":
		return provider.NotSetUp(err)
	case "server_error", "temporarily_unavailable", "internal_failure":
		return provider.Temporary(err)
	case "rate_limit_exceeded":
		return provider.Throttled(err, wait)
	}
	return provider.Unreadable(err)
}
