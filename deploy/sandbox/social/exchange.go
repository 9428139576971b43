package social

import (
	"errors"
	"net/http"
	"net/url"

	"backend.example/deploy/sandbox/social/ledger"
)

const maxForm = 64 << 10

// givenToken is the token endpoint's answer.
type givenToken struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int64  `json:"expires_in,omitempty"` // seconds
}

// exchange is the token endpoint, with GET and POST: a code for the token of a
// person, that for a long-lived one, and the credentials of the app for its own.
// Every request is counted, whatever becomes of it.
func (s *site) exchange(w http.ResponseWriter, r *http.Request) {
	version := r.PathValue("version")
	var given ledger.Given
	refused := s.wrongCall(w, r)
	grant := grantType(r.Form)
	s.counts.Add("token_requests", known(grant))
	if ordered := orderedRefusal(r); ordered != nil {
		refused = ordered
	}
	if refused == nil {
		given, refused = s.give(grant, r.Form)
	}
	s.tellUsage(w, "", refused)
	if refused != nil {
		s.sendRefusal(w, version, refused)
		return
	}
	answer := givenToken{AccessToken: given.Value, TokenType: "bearer", ExpiresIn: int64(given.Life.Seconds())}
	if s.panel.On(knobNoExpiry) {
		answer.ExpiresIn = 0
	}
	s.send(w, version, answer)
}

// grantType is that of a request; without one it is about a code.
func grantType(form url.Values) string {
	if grant := form.Get("grant_type"); grant != "" {
		return grant
	}
	return "authorization_code"
}

// give gives what a grant type is for.
func (s *site) give(grant string, form url.Values) (ledger.Given, *refusal) {
	if refused := s.wrongClient(form); refused != nil {
		return ledger.Given{}, refused
	}
	switch grant {
	case "authorization_code":
		return s.redeem(form)
	case "fb_exchange_token":
		return s.lengthen(form.Get("fb_exchange_token"))
	case "client_credentials":
		s.counts.Add("issued", "app_token")
		return s.ledger.AppToken(s.client.ID), nil
	default:
		return ledger.Given{}, badParameter("Invalid grant_type: %s", grant)
	}
}

// known keeps what a client makes up out of the counters.
func known(grant string) string {
	switch grant {
	case "authorization_code", "fb_exchange_token", "client_credentials":
		return grant
	default:
		return "other"
	}
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

func (s *site) redeem(form url.Values) (ledger.Given, *refusal) {
	switch {
	case form.Get("redirect_uri") == "":
		return ledger.Given{}, refuse(191, 0, "Missing redirect_uri parameter.")
	case form.Get("code") == "":
		return ledger.Given{}, refuse(1, 0, "Missing authorization code")
	}
	given, err := s.ledger.Redeem(form.Get("code"), form.Get("redirect_uri"), form.Get("code_verifier"))
	if err != nil {
		return ledger.Given{}, refusedCode(err)
	}
	s.counts.Add("issued", "user_token")
	return given, nil
}

// refusedCode words why a code gives nothing.
func refusedCode(err error) *refusal {
	var cause ledger.Cause
	switch {
	case errors.As(err, &cause):
		return deadToken(cause)
	case errors.Is(err, ledger.UsedCode):
		return refuse(100, 36009, err.Error())
	case errors.Is(err, ledger.ExpiredCode):
		return refuse(100, 36007, err.Error())
	case errors.Is(err, ledger.WrongRedirect):
		return refuse(100, 36008, err.Error())
	default:
		return refuse(100, 0, err.Error())
	}
}

func (s *site) lengthen(token string) (ledger.Given, *refusal) {
	if token == "" {
		return ledger.Given{}, badParameter("fb_exchange_token parameter not specified")
	}
	given, err := s.ledger.Lengthen(token)
	var cause ledger.Cause
	if errors.As(err, &cause) {
		return ledger.Given{}, deadToken(cause)
	}
	s.counts.Add("issued", "long_lived_token")
	return given, nil
}
