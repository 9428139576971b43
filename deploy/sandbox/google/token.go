package google

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"backend.example/deploy/sandbox/fake"
)

// The kinds of tokens.
const (
	accessToken  = "access_token"
	refreshToken = "refresh_token"
)

const (
	accessLife = 3599 * time.Second
	maxForm    = 64 << 10
)

// tokenError is an error response of the token and revocation endpoints (RFC 6749, section 5.2).
type tokenError struct {
	status      int
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

func (e tokenError) Error() string { return e.Code + ": " + e.Description }

func badRequest(code, description string) tokenError {
	return tokenError{http.StatusBadRequest, code, description}
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	form, err := readForm(w, r)
	if err != nil {
		p.sendToken(w, nil, err)
		return
	}
	response, err := p.grant(form)
	p.sendToken(w, response, err)
}

func (p *Provider) grant(form url.Values) (Object, error) {
	grantType := form.Get("grant_type")
	switch grantType {
	case "authorization_code", "refresh_token":
	case "":
		return nil, badRequest("invalid_request", "Missing required parameter: grant_type")
	default:
		return nil, badRequest("unsupported_grant_type", "Invalid grant_type: "+grantType)
	}
	p.Count("token_requests", grantType)
	if err := p.checkClient(form); err != nil {
		return nil, err
	}
	if grantType == "refresh_token" {
		return p.refresh(form.Get("refresh_token"))
	}
	return p.redeem(form)
}

// readForm returns the parameters of the body, each of them once. Those in the address are ignored.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/x-www-form-urlencoded" {
		return nil, badRequest("invalid_request", "Content-Type must be application/x-www-form-urlencoded")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return nil, badRequest("invalid_request", "Bad Request")
	}
	for _, values := range r.PostForm {
		if len(values) > 1 {
			return nil, badRequest("invalid_request", "OAuth 2 parameters can only have a single value")
		}
	}
	return r.PostForm, nil
}

func (p *Provider) checkClient(form url.Values) error {
	id, secret := form.Get("client_id"), form.Get("client_secret")
	switch {
	case id == "" || secret == "":
		return badRequest("invalid_request", "client_id or client_secret is missing.")
	case !p.Authenticates(id, secret):
		return tokenError{http.StatusUnauthorized, "invalid_client", "Unauthorized"}
	}
	return nil
}

// redeem gives a refresh token if one was asked for, and it is the account's first consent or a prompted one.
func (p *Provider) redeem(form url.Values) (Object, error) {
	if form.Get("code") == "" {
		return nil, badRequest("invalid_request", "Missing required parameter: code")
	}
	consent, err := p.Tokens.Redeem(form.Get("code"), form.Get("redirect_uri"), form.Get("code_verifier"))
	switch {
	case errors.Is(err, fake.ErrUnknownCode):
		return nil, badRequest("invalid_grant", "Malformed auth code.")
	case errors.Is(err, fake.ErrRedirect):
		return nil, badRequest("redirect_uri_mismatch", "Bad Request")
	case errors.Is(err, fake.ErrVerifier):
		return nil, badRequest("invalid_grant", "Invalid code verifier.")
	case err != nil:
		return nil, badRequest("invalid_grant", "Bad Request")
	}
	response := p.give(consent.Account, consent.Allowed)
	asked := consent.First || consent.Again
	if consent.Refreshable && asked && !p.On(toggleWithhold) {
		response["refresh_token"] = p.giveRefresh(consent.Account, consent.Allowed)
	}
	return response, nil
}

func (p *Provider) refresh(value string) (Object, error) {
	if value == "" {
		return nil, badRequest("invalid_request", "Missing required parameter: refresh_token")
	}
	token, _ := p.Use(value, p.On(toggleRotate))
	if token.Kind != refreshToken { // a token that is unknown or ended has no kind
		return nil, badRequest("invalid_grant", "Token has been expired or revoked.")
	}
	response := p.give(token.Account, token.Scopes)
	if p.On(toggleRotate) {
		response["refresh_token"] = p.giveRefresh(token.Account, token.Scopes)
	}
	return response, nil
}

func (p *Provider) giveRefresh(account string, scopes []string) string {
	return p.Issue("1//0", fake.Token{Kind: refreshToken, Account: account, Scopes: scopes})
}

func (p *Provider) give(account string, scopes []string) Object {
	life := accessLife
	if seconds := p.Number(toggleAccessSeconds); seconds > 0 {
		life = time.Duration(seconds) * time.Second
	}
	response := Object{
		"access_token": p.Issue(
			"ya29.", fake.Token{Kind: accessToken, Account: account, Scopes: scopes, Ends: p.Now().Add(life)},
		),
		"expires_in": int(life.Seconds()), "scope": strings.Join(scopes, " "), "token_type": "Bearer",
	}
	if slices.Contains(scopes, "openid") {
		response["id_token"] = p.Register("id_token", p.identify(account, life))
	}
	return response
}

// identify returns an ID token (OpenID Connect Core, section 2), signed with the client secret (HS256) instead of a
// key of the provider.
func (p *Provider) identify(account string, life time.Duration) string {
	claims, err := json.Marshal(map[string]any{
		"iss": "https://accounts.google.com", "azp": p.Options.ClientID, "aud": p.Options.ClientID,
		"sub": fmt.Sprintf("1%020d", fake.Rand("subject", account).Uint64N(1e18)),
		"iat": p.Now().Unix(), "exp": p.Now().Add(life).Unix(),
	})
	if err != nil {
		panic(err) // strings and numbers alone
	}
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode(claims)
	mac := hmac.New(sha256.New, []byte(p.Options.ClientSecret))
	mac.Write([]byte(signed))
	return signed + "." + encode(mac.Sum(nil))
}

// revoke ends the grant of a token (RFC 7009, with the provider's responses).
func (p *Provider) revoke(w http.ResponseWriter, r *http.Request) {
	form, err := readForm(w, r)
	if err != nil {
		p.sendToken(w, nil, err)
		return
	}
	if form.Get("token") == "" {
		p.sendToken(w, nil, badRequest("invalid_request", "Missing required parameter: token"))
		return
	}
	token, err := p.Tokens.Check(form.Get("token"))
	if err != nil {
		p.sendToken(w, nil, badRequest("invalid_token", "Token expired or revoked"))
		return
	}
	p.End(token.Account, fake.ErrRevoked)
	p.sendToken(w, struct{}{}, nil)
}

func (p *Provider) sendToken(w http.ResponseWriter, body any, err error) {
	w.Header().Set("Cache-Control", "no-cache, no-store, max-age=0, must-revalidate")
	var refused tokenError
	if errors.As(err, &refused) {
		p.Count("token_refusals", refused.Code)
		fake.SendJSON(w, refused.status, refused)
		return
	}
	fake.SendJSON(w, http.StatusOK, body)
}

// Tokens are what an app has after a person let it use their account.
type Tokens struct {
	Access  string
	Refresh string // empty if it is withheld
}

// Grant lets the app use an account ("anna") with the scopes, without the browser.
func (p *Provider) Grant(account string, scopes ...string) Tokens {
	given, err := p.redeem(
		url.Values{"code": {p.Code(account, "", scopes...)}, "redirect_uri": {p.Options.RedirectURI}},
	)
	if err != nil {
		panic(err)
	}
	refresh, _ := given["refresh_token"].(string)
	return Tokens{given["access_token"].(string), refresh}
}
