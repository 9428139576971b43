package search

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"backend.example/deploy/sandbox/search/ledger"
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

// tokenAnswer is what the token endpoint gives.
type tokenAnswer struct {
	AccessToken           string `json:"access_token"`
	ExpiresIn             int    `json:"expires_in"` // seconds
	RefreshToken          string `json:"refresh_token,omitempty"`
	RefreshTokenExpiresIn int    `json:"refresh_token_expires_in,omitempty"`
	Scope                 string `json:"scope"`
	TokenType             string `json:"token_type"`
	IDToken               string `json:"id_token,omitempty"`
}

// giveTokens is the token endpoint: a code or a refresh token for an access token.
func (s *site) giveTokens(w http.ResponseWriter, r *http.Request) {
	form, err := readForm(w, r)
	if err != nil {
		s.refuse(w, countTokenRefusals, err)
		return
	}
	grantType := form.Get("grant_type")
	s.tally.Add(countTokenRequests, countedGrant(grantType))
	if err = s.authenticate(form, grantType); err != nil {
		s.refuse(w, countTokenRefusals, err)
		return
	}
	tokens, err := s.redeem(form, grantType)
	if err != nil {
		s.refuse(w, countTokenRefusals, err)
		return
	}
	s.sendTokens(w, tokens)
}

// countedGrant keeps the counters to a few names.
func countedGrant(grantType string) string {
	if grantType == "authorization_code" || grantType == "refresh_token" {
		return grantType
	}
	return "other"
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

func (s *site) authenticate(form url.Values, grantType string) error {
	id, secret := form.Get("client_id"), form.Get("client_secret")
	switch {
	case grantType == "":
		return badRequest("invalid_request", "Required parameter is missing: grant_type")
	case countedGrant(grantType) == "other":
		return badRequest("unsupported_grant_type", "Invalid grant_type: "+grantType)
	case id == "":
		return badRequest("invalid_request", "Could not determine client ID from request.")
	case !s.client.Is(id):
		return tokenRefusal{http.StatusUnauthorized, "invalid_client", "The OAuth client was not found."}
	case secret == "":
		return badRequest("invalid_request", "client_secret is missing.")
	case !s.client.Authenticates(id, secret):
		return tokenRefusal{http.StatusUnauthorized, "invalid_client", "Unauthorized"}
	}
	return nil
}

func (s *site) redeem(form url.Values, grantType string) (ledger.Tokens, error) {
	if grantType == "refresh_token" {
		if form.Get("refresh_token") == "" {
			return ledger.Tokens{}, badRequest("invalid_request", "Missing required parameter: refresh_token")
		}
		return s.ledger.Refresh(form.Get("refresh_token"))
	}
	if form.Get("code") == "" {
		return ledger.Tokens{}, badRequest("invalid_request", "Missing required parameter: code")
	}
	return s.ledger.Redeem(form.Get("code"), form.Get("redirect_uri"), form.Get("code_verifier"))
}

func (s *site) sendTokens(w http.ResponseWriter, tokens ledger.Tokens) {
	answer := tokenAnswer{
		AccessToken: tokens.Access, ExpiresIn: int(tokens.AccessLife.Seconds()), TokenType: "Bearer",
		RefreshToken: tokens.Refresh, RefreshTokenExpiresIn: int(tokens.RefreshLife.Seconds()), Scope: strings.Join(tokens.Scopes, " "),
	}
	s.tally.Add(countIssued, "access_token")
	if tokens.Refresh != "" {
		s.tally.Add(countIssued, "refresh_token")
	}
	if slices.Contains(tokens.Scopes, scopeOpenID) {
		answer.IDToken = s.identify(tokens)
		s.issuer.Enter("id_token", answer.IDToken)
		s.tally.Add(countIssued, "id_token")
	}
	sendOAuth(w, http.StatusOK, answer)
}

// refuse answers an error, which is a tokenRefusal or of the ledger, and counts it.
func (s *site) refuse(w http.ResponseWriter, group string, err error) {
	var refusal tokenRefusal
	var reason ledger.Refusal
	switch {
	case errors.As(err, &refusal):
	case errors.Is(err, ledger.WrongRedirect):
		refusal = badRequest("redirect_uri_mismatch", "Bad Request")
	case errors.As(err, &reason):
		refusal = badRequest("invalid_grant", reason.Error())
	default:
		refusal = tokenRefusal{http.StatusInternalServerError, "internal_failure", "Internal error"}
	}
	s.tally.Add(group, refusal.Code)
	sendOAuth(w, refusal.status, refusal)
}

func sendOAuth(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache, no-store, max-age=0, must-revalidate")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
