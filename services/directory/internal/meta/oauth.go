package meta

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// longLivedTerm is how long a long-lived token is valid if the answer does not say, and the
// longest term that is believed
// (https://developers.facebook.com/docs/facebook-login/guides/access-tokens/get-long-lived).
const longLivedTerm = 60 * 24 * time.Hour

// Exchange turns the code into a short-lived token, and that into a long-lived one.
func (s *Client) Exchange(ctx context.Context, _ []provider.Service, code, verifier,
	redirectURL string) (provider.Token, error) {
	var parameters []oauth2.AuthCodeOption
	if s.options.PKCE {
		parameters = append(parameters, oauth2.VerifierOption(verifier))
	}
	withClient := context.WithValue(ctx, oauth2.HTTPClient, s.client)
	short, err := s.oauth(redirectURL).Exchange(withClient, code, parameters...)
	if err != nil {
		return provider.Token{}, provider.OAuthFault(ctx, "token endpoint of provider_social", err, socialTokenFault)
	}
	token, err := s.exchangeLongLived(ctx, short.AccessToken)
	if err != nil {
		return provider.Token{}, err
	}
	return s.withGrant(ctx, token)
}

// Refresh exchanges the user's token while it is valid, because there are no refresh tokens.
func (s *Client) Refresh(ctx context.Context, grant provider.Token) (token provider.Token, err error) {
	defer func() { s.options.Metrics.Call(string(provider.Social), "refresh", err) }()
	token, err = s.exchangeLongLived(ctx, grant.AccessToken)
	if err != nil {
		return provider.Token{}, err
	}
	token.DataAccessExpiresAt = s.dataAccessEnd(ctx, token.AccessToken)
	return token, nil
}

// exchangeLongLived leaves the token valid, so that a failed try is repeated.
func (s *Client) exchangeLongLived(ctx context.Context, token string) (provider.Token, error) {
	res, err := provider.Send(ctx, s.client, provider.Request{
		Method: http.MethodPost, URL: s.baseURL + tokenPath,
		Form: url.Values{
			"grant_type": {"fb_exchange_token"}, "fb_exchange_token": {token},
			"client_id": {s.options.ClientID}, "client_secret": {s.options.ClientSecret},
		},
	}, socialTokenFault)
	if err != nil {
		return provider.Token{}, provider.Named("Facebook", err)
	}
	var reply struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"` // seconds; may be absent
	}
	if err := res.Decode(&reply); err != nil {
		return provider.Token{}, err
	}
	if reply.AccessToken == "" {
		return provider.Token{}, provider.Unreadable(errors.New(res.Endpoint + ": no token"))
	}
	term := longLivedTerm
	if reply.ExpiresIn > 0 {
		term = time.Duration(min(reply.ExpiresIn, int64(longLivedTerm/time.Second))) * time.Second
	}
	expires := s.options.Now().Add(term)
	return provider.Token{AccessToken: reply.AccessToken, ExpiresAt: &expires}, nil
}

func (s *Client) withGrant(ctx context.Context, token provider.Token) (provider.Token, error) {
	graph := s.withToken(token.AccessToken)
	me, err := graph.me(ctx)
	if err != nil {
		return provider.Token{}, err
	}
	var permissions struct {
		Data []struct {
			Permission string `json:"permission"`
			Status     string `json:"status"` // granted, declined, expired
		} `json:"data"`
	}
	if err := graph.get(ctx, "me/permissions", url.Values{}, &permissions); err != nil {
		return provider.Token{}, err
	}
	token.ProviderUserID = me.ID
	for _, p := range permissions.Data {
		if p.Status == "granted" {
			token.Scopes = append(token.Scopes, p.Permission)
		}
	}
	token.DataAccessExpiresAt = s.dataAccessEnd(ctx, token.AccessToken)
	return token, nil
}

const dataAccessLimit = 5 * time.Second

// dataAccessEnd returns when the token stops giving access to data, about 90 days after the last use
// (https://developers.facebook.com/docs/facebook-login/auth-vs-data); nil without an answer.
func (s *Client) dataAccessEnd(ctx context.Context, token string) *time.Time {
	var answer struct {
		Data struct {
			DataAccessExpiresAt int64 `json:"data_access_expires_at"` // Unix seconds; 0: no end
		} `json:"data"`
	}
	ctx, cancel := context.WithTimeout(ctx, dataAccessLimit)
	defer cancel()
	unpaced := *s // it takes no turn, because a renewal holds a lock until it has returned
	unpaced.options.Budget = nil
	app := unpaced.withToken(s.options.ClientID + "|" + s.options.ClientSecret)
	err := app.get(ctx, "debug_token", url.Values{"input_token": {token}}, &answer)
	if err != nil || answer.Data.DataAccessExpiresAt <= 0 {
		return nil
	}
	end := time.Unix(answer.Data.DataAccessExpiresAt, 0).UTC()
	return &end
}

// Subcodes of codeParameter at the token endpoint.
const (
	subcodeExpired  = 36007 // the authorization code has expired
	subcodeRedirect = 36008 // the redirect address is not that of the authorization
	subcodeUsed     = 36009 // the authorization code was used before
)

// socialTokenFault translates an error of the token endpoint, where code 1 is a wrong client secret.
func socialTokenFault(res provider.Response) error {
	e := parseGraphError(res)
	switch {
	case e.Code == codeParameter && (e.Subcode == subcodeExpired || e.Subcode == subcodeUsed):
		return provider.Revoked(e, provider.ReasonCode)
	case e.Code == codeParameter && e.Subcode == subcodeRedirect:
		return provider.NotSetUp(e)
	case e.Code == 1 && !e.Transient && e.status == http.StatusBadRequest:
		return provider.NotSetUp(e)
	default:
		return e.fault()
	}
}

type node struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (c *caller) me(ctx context.Context) (node, error) {
	var me node
	err := c.get(ctx, "me", url.Values{"fields": {"id,name"}}, &me)
	if err != nil {
		return me, err
	}
	if !graphID.MatchString(me.ID) {
		return me, provider.Unreadable(errors.New("me: no id"))
	}
	return me, nil
}

// Account names the person who connected the account.
func (s *Client) Account(ctx context.Context, _ provider.Service, token provider.Token) (id, name string, err error) {
	me, err := s.withToken(token.AccessToken).me(ctx)
	return me.ID, me.Name, err
}

// Revoke withdraws everything by the app's own token: that of a page may not revoke.
func (s *Client) Revoke(ctx context.Context, grant provider.Token) error {
	user, token := grant.ProviderUserID, s.options.ClientID+"|"+s.options.ClientSecret
	if user == "" {
		user, token = "me", grant.AccessToken
	}
	// The body of a success differs from its documentation.
	_, err := s.withToken(token).call(ctx, http.MethodDelete, url.PathEscape(user)+"/permissions", url.Values{})
	e, refused := errors.AsType[*graphError](err)
	hasRemovedApp := refused && e.Code == codeToken && e.Subcode == 458
	if hasRemovedApp || fault.Is(err, provider.CodeGone) {
		return nil
	}
	return err
}

// ReadRequest reads a signed_request: a signature, a dot and a payload, which is signed as it
// was sent, both base64url
// (https://developers.facebook.com/docs/development/create-an-app/app-dashboard/data-deletion-callback).
// Anything else is the fault invalid_request.
func (s *Client) ReadRequest(signed string) (request provider.PersonRequest, err error) {
	signature, payload, _ := strings.Cut(signed, ".")
	sum := s.mac(payload)
	given, err := decodeURL(signature)
	if err != nil || !hmac.Equal(given, sum) {
		return request, provider.CodeInvalidRequest.Wrap(errors.New("wrong signature"))
	}
	text, err := decodeURL(payload)
	if err != nil {
		return request, provider.CodeInvalidRequest.Wrap(errors.New("payload is not base64url"))
	}
	var body struct {
		Algorithm string `json:"algorithm"`
		UserID    string `json:"user_id"`   // of the person, as this app knows them
		IssuedAt  int64  `json:"issued_at"` // Unix seconds
	}
	err = json.Unmarshal(text, &body)
	isComplete := graphID.MatchString(body.UserID) && body.IssuedAt > 0
	if err != nil || body.Algorithm != "HMAC-SHA256" || !isComplete {
		return request, provider.CodeInvalidRequest.Wrap(errors.New("payload is not as documented"))
	}
	digest := sha256.Sum256(sum)
	return provider.PersonRequest{
		PersonID: body.UserID, IssuedAt: time.Unix(body.IssuedAt, 0).UTC(), Digest: hex.EncodeToString(digest[:16]),
	}, nil
}

func decodeURL(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
}
