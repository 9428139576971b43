package social

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"

	"backend.example/deploy/sandbox/social/tokens"
)

const maxForm = 64 << 10

// givenToken is the token endpoint's answer.
type givenToken struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int64  `json:"expires_in,omitempty"` // seconds
}

// exchange is the token endpoint, with GET and POST: a code for the token of a person,
// and that for a long-lived one. Every request is counted, whatever becomes of it.
func (s *site) exchange(w http.ResponseWriter, r *http.Request) {
	refused := wrongCall(w, r)
	grantType := cmp.Or(r.Form.Get("grant_type"), "authorization_code")
	s.counter.Add(countTokenRequests, grantType)
	if ordered := orderedRefusal(r); ordered != nil {
		refused = ordered
	}
	var given tokens.Given
	if refused == nil {
		given, refused = s.give(grantType, r.Form)
	}
	s.tellUsage(w, "", refused)
	if refused != nil {
		s.sendRefusal(w, r, refused)
		return
	}
	answer := givenToken{AccessToken: given.Value, TokenType: "bearer", ExpiresIn: int64(given.Life.Seconds())}
	if s.toggles.On(toggleNoExpiry) {
		answer.ExpiresIn = 0
	}
	send(w, r, http.StatusOK, answer)
}

// give gives what a grant type is for.
func (s *site) give(grantType string, form url.Values) (tokens.Given, *refusal) {
	if refused := s.wrongClient(form); refused != nil {
		return tokens.Given{}, refused
	}
	var given tokens.Given
	var err error
	switch {
	case grantType == "fb_exchange_token" && form.Get("fb_exchange_token") == "":
		return given, badParameter("fb_exchange_token parameter not specified")
	case grantType == "fb_exchange_token":
		given, err = s.tokens.Lengthen(form.Get("fb_exchange_token"))
	case grantType != "authorization_code":
		return given, badParameter("Invalid grant_type: %s", grantType)
	case form.Get("redirect_uri") == "":
		return given, refuse(191, 0, "Missing redirect_uri parameter.")
	case form.Get("code") == "":
		return given, refuse(1, 0, "Missing authorization code")
	default:
		given, err = s.tokens.Redeem(form.Get("code"), form.Get("redirect_uri"), form.Get("code_verifier"))
	}
	return given, refusedToken(err)
}

func (s *site) wrongClient(form url.Values) *refusal {
	id, secret := form.Get("client_id"), form.Get("client_secret")
	switch {
	case id == "":
		return refuse(101, 0, "Missing client_id parameter.")
	case !s.client.Is(id):
		return refuse(101, 0, "Error validating application. Cannot get application info due to a system error.")
	case secret == "":
		return refuse(1, 0, "Missing client_secret parameter.")
	case !s.client.Authenticates(id, secret):
		return refuse(1, 0, "Error validating client secret.")
	}
	return nil
}

// refusedToken words why a code or a token gives nothing.
func refusedToken(err error) *refusal {
	var cause tokens.Cause
	switch {
	case err == nil:
		return nil
	case errors.As(err, &cause):
		return deadToken(cause)
	case errors.Is(err, tokens.UsedCode):
		return refuse(100, 36009, err.Error())
	case errors.Is(err, tokens.ExpiredCode):
		return refuse(100, 36007, err.Error())
	case errors.Is(err, tokens.WrongRedirect):
		return refuse(100, 36008, err.Error())
	default:
		return refuse(100, 0, err.Error())
	}
}
