package search

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"backend.example/deploy/sandbox/search/tokens"
)

const maxForm = 64 << 10

// tokenRefusal is an error answer of the token and revocation endpoints
// (RFC 6749, section 5.2).
type tokenRefusal struct {
	status      int
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

func (t tokenRefusal) Error() string { return t.Code + ": " + t.Description }

func badRequest(code, description string) tokenRefusal {
	return tokenRefusal{http.StatusBadRequest, code, description}
}

func missing(parameter string) tokenRefusal {
	return badRequest("invalid_request", "Missing required parameter: "+parameter)
}

// tokenAnswer is what the token endpoint gives.
type tokenAnswer struct {
	AccessToken  string `json:"access_token"`
	ExpiresIn    int    `json:"expires_in"` // seconds
	RefreshToken string `json:"refresh_token,omitempty"`
	Scope        string `json:"scope"`
	TokenType    string `json:"token_type"`
	IDToken      string `json:"id_token,omitempty"`
}

// giveTokens is the token endpoint: a code or a refresh token for an access token.
func (s *site) giveTokens(w http.ResponseWriter, r *http.Request) {
	form, err := readForm(w, r)
	if err != nil {
		s.refuse(w, err)
		return
	}
	grantType := form.Get("grant_type")
	if grantType == "" {
		s.refuse(w, missing("grant_type"))
		return
	}
	if grantType != "authorization_code" && grantType != "refresh_token" {
		s.refuse(w, badRequest("unsupported_grant_type", "Invalid grant_type: "+grantType))
		return
	}
	s.counter.Add(countTokenRequests, grantType)
	given, err := s.redeem(form, grantType)
	if err != nil {
		s.refuse(w, err)
		return
	}
	answer := tokenAnswer{
		AccessToken: given.Access, ExpiresIn: int(given.AccessLife.Seconds()), TokenType: "Bearer",
		RefreshToken: given.Refresh, Scope: strings.Join(given.Scopes, " "),
	}
	if slices.Contains(given.Scopes, scopeOpenID) {
		answer.IDToken = s.identify(given)
		s.secrets.Enter("id_token", answer.IDToken)
	}
	sendOAuth(w, http.StatusOK, answer)
}

// readForm takes parameters from the body alone, each of them once: what stands in
// an address ends up in logs.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
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

func (s *site) redeem(form url.Values, grantType string) (tokens.Tokens, error) {
	id, secret := form.Get("client_id"), form.Get("client_secret")
	switch {
	case id == "":
		return tokens.Tokens{}, badRequest("invalid_request", "Could not determine client ID from request.")
	case !s.client.Is(id):
		return tokens.Tokens{}, tokenRefusal{http.StatusUnauthorized, "invalid_client", "The OAuth client was not found."}
	case secret == "":
		return tokens.Tokens{}, badRequest("invalid_request", "client_secret is missing.")
	case !s.client.Authenticates(id, secret):
		return tokens.Tokens{}, tokenRefusal{http.StatusUnauthorized, "invalid_client", "Unauthorized"}
	case grantType == "refresh_token" && form.Get("refresh_token") == "":
		return tokens.Tokens{}, missing("refresh_token")
	case grantType == "refresh_token":
		return s.tokens.Refresh(form.Get("refresh_token"))
	case form.Get("code") == "":
		return tokens.Tokens{}, missing("code")
	default:
		return s.tokens.Redeem(form.Get("code"), form.Get("redirect_uri"), form.Get("code_verifier"))
	}
}

// revoke ends the grant of a token (RFC 7009, with the provider's answers).
func (s *site) revoke(w http.ResponseWriter, r *http.Request) {
	form, err := readForm(w, r)
	if err == nil && form.Get("token") == "" {
		err = missing("token")
	}
	if err == nil {
		err = s.tokens.Revoke(form.Get("token"))
	}
	if err != nil {
		s.refuse(w, err)
		return
	}
	sendOAuth(w, http.StatusOK, struct{}{})
}

// refuse answers an error, which is a tokenRefusal or of the token store, and counts it.
func (s *site) refuse(w http.ResponseWriter, err error) {
	var refusal tokenRefusal
	switch {
	case errors.As(err, &refusal):
	case errors.Is(err, tokens.WrongRedirect):
		refusal = badRequest("redirect_uri_mismatch", "Bad Request")
	case errors.Is(err, tokens.NothingToRevoke):
		refusal = badRequest("invalid_token", err.Error())
	default:
		refusal = badRequest("invalid_grant", err.Error())
	}
	s.counter.Add(countTokenRefusals, refusal.Code)
	sendOAuth(w, refusal.status, refusal)
}

func sendOAuth(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache, no-store, max-age=0, must-revalidate")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
