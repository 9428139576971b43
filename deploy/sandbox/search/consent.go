package search

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"backend.example/deploy/sandbox/internal/consent"
	"backend.example/deploy/sandbox/search/ledger"
)

// showConsent answers the page on which a person decides. Whoever must not be
// asked (prompt=none) is sent back: nobody is ever signed in here.
func (s *site) showConsent(w http.ResponseWriter, r *http.Request) {
	a, err := s.readAuthorization(r)
	switch {
	case err != nil:
		s.complain(w, err)
	case s.knobs.On(knobDeny):
		s.deny(w, a)
	case slices.Contains(a.prompt, "none"):
		sendBack(w, a, url.Values{"error": {"interaction_required"}})
	default:
		s.tally.Add(countConsents, "shown")
		s.page(a).Send(w)
	}
}

// decideConsent takes the form of the page, posted to the same address, and sends
// the person back with a code or with access_denied.
func (s *site) decideConsent(w http.ResponseWriter, r *http.Request) {
	a, err := s.readAuthorization(r)
	if err != nil {
		s.complain(w, err)
		return
	}
	decision, err := s.page(a).Decide(w, r)
	switch {
	case err != nil:
		s.complain(w, invalidRequest(err.Error()))
	case !decision.Allowed || len(decision.Scopes) == 0 || s.knobs.On(knobDeny):
		s.deny(w, a)
	default:
		s.tally.Add(countConsents, "allowed")
		s.sendCode(w, a, decision)
	}
}

func (s *site) deny(w http.ResponseWriter, a authorization) {
	s.tally.Add(countConsents, "denied")
	sendBack(w, a, url.Values{"error": {"access_denied"}})
}

func (s *site) sendCode(w http.ResponseWriter, a authorization, decision consent.Decision) {
	prompted := slices.Contains(a.prompt, "consent")
	code := s.ledger.IssueCode(ledger.Consent{
		Account: decision.Account, Scopes: decision.Scopes, RedirectURI: a.redirectURI, Challenge: a.challenge,
		Offline: a.offline, Prompted: prompted, Incremental: a.incremental,
	})
	s.tally.Add(countIssued, "code")
	if a.challenge != "" {
		s.tally.Add(countIssued, "code_with_pkce")
	}
	answer := url.Values{"code": {code}, "scope": {strings.Join(decision.Scopes, " ")}, "authuser": {"0"}, "prompt": {"none"}}
	if prompted {
		answer.Set("prompt", "consent")
	}
	sendBack(w, a, answer)
}

// sendBack redirects to the app; the address it gave is known to be its own.
func sendBack(w http.ResponseWriter, a authorization, answer url.Values) {
	if a.state != "" {
		answer.Set("state", a.state)
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Location", a.redirectURI+"?"+answer.Encode())
	w.WriteHeader(http.StatusFound)
}

func (s *site) complain(w http.ResponseWriter, err error) {
	var c complaint
	if !errors.As(err, &c) {
		c = invalidRequest(err.Error())
	}
	s.tally.Add(countAuthorizationRefusals, c.code)
	consent.SendRefusal(w, c.status, c.code, c.text)
}
