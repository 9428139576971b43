package provider

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"

	"backend.example/services/directory/internal/directory"
)

// longLived is the life of a long-lived token whose end is not told, and the
// longest that is believed
// (https://developers.facebook.com/docs/facebook-login/guides/access-tokens/get-long-lived).
// One that lives longer is only renewed earlier than it has to be.
const longLived = 60 * 24 * time.Hour

// Exchange turns the code into a short-lived token, and that into a long-lived one.
func (s *Social) Exchange(ctx context.Context, _ directory.Service, code, verifier, redirectURL string) (directory.Token, error) {
	var parameters []oauth2.AuthCodeOption
	if s.options.PKCE {
		parameters = append(parameters, oauth2.VerifierOption(verifier))
	}
	withClient := context.WithValue(ctx, oauth2.HTTPClient, s.graph.client)
	short, err := s.oauth(redirectURL).Exchange(withClient, code, parameters...)
	if err != nil {
		return directory.Token{}, s.tokenFault(ctx, err)
	}
	token, err := s.lengthen(ctx, short.AccessToken)
	if err != nil {
		return directory.Token{}, err
	}
	return s.describe(ctx, token)
}

// Refresh exchanges the user's token, which works as long as it has not expired:
// there are no refresh tokens.
func (s *Social) Refresh(ctx context.Context, c directory.Connection) (directory.Token, error) {
	return s.lengthen(ctx, c.UserToken())
}

// lengthen exchanges a user's token for a long-lived one. The exchange leaves that
// token as it is, and may be made again.
func (s *Social) lengthen(ctx context.Context, token string) (directory.Token, error) {
	a, err := ask(ctx, s.graph.client, request{
		method: http.MethodPost, addr: s.graph.base + exchangePath,
		form: url.Values{
			"grant_type": {"fb_exchange_token"}, "fb_exchange_token": {token},
			"client_id": {s.options.ClientID}, "client_secret": {s.options.ClientSecret},
		},
	}, tokenRefused)
	if err != nil {
		return directory.Token{}, err
	}
	var reply struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"` // seconds; may be absent
	}
	if err := a.decode(&reply); err != nil {
		return directory.Token{}, err
	}
	if reply.AccessToken == "" {
		return directory.Token{}, directory.Unreadable(errors.New(a.what + ": no token"))
	}
	life := longLived
	if reply.ExpiresIn > 0 {
		life = time.Duration(min(reply.ExpiresIn, int64(longLived/time.Second))) * time.Second
	}
	end := s.options.Now().Add(life)
	return directory.Token{AccessToken: reply.AccessToken, ExpiresAt: &end}, nil
}

// describe adds who granted what: the user may untick scopes in the dialog.
func (s *Social) describe(ctx context.Context, token directory.Token) (directory.Token, error) {
	caller := s.graph.with(token.AccessToken)
	me, err := caller.me(ctx)
	if err != nil {
		return directory.Token{}, err
	}
	var permissions struct {
		Data []struct {
			Permission string `json:"permission"`
			Status     string `json:"status"` // granted, declined, expired
		} `json:"data"`
	}
	if err := caller.get(ctx, "me/permissions", url.Values{}, &permissions); err != nil {
		return directory.Token{}, err
	}
	token.ProviderUserID = me.ID
	for _, p := range permissions.Data {
		if p.Status == "granted" {
			token.Scopes = append(token.Scopes, p.Permission)
		}
	}
	return token, nil
}

// tokenFault translates an error of package oauth2.
func (s *Social) tokenFault(ctx context.Context, err error) error {
	const what = "token endpoint of provider_social"
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return failure(ctx, what, err)
	}
	return tokenRefused(answer{
		what: what, status: refused.Response.StatusCode, header: refused.Response.Header, body: refused.Body,
	})
}

// tokenRefused says what a refusal by the token endpoint means. Some codes mean
// something else there: 1 is a wrong client secret, and the subcodes of 100 tell
// what is wrong with the authorization code.
func tokenRefused(a answer) error {
	refused := readGraphError(a)
	switch {
	case refused.Code == 100 && (refused.Subcode == 36007 || refused.Subcode == 36009):
		return directory.Dead(refused, reasonCode)
	case refused.Code == 100 && refused.Subcode == 36008:
		return directory.NotSetUp(refused) // redirect address
	case refused.Code == 1 && !refused.Transient && refused.status == http.StatusBadRequest:
		return directory.NotSetUp(refused)
	default:
		return refused.fault(readUsage(a.header).regain)
	}
}
