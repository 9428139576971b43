package search

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"backend.example/deploy/sandbox/internal/oauth"
	"backend.example/deploy/sandbox/search/tokens"
)

// showConsent answers the page on which a person decides.
func (s *site) showConsent(w http.ResponseWriter, r *http.Request) {
	a, err := s.readAuthorization(r)
	if err != nil {
		complain(w, err)
		return
	}
	s.counter.Add(countConsents, "shown")
	s.page(a).Send(w)
}

// decideConsent takes the form of the page, posted to the same address, and sends
// the person back with a code or with access_denied.
func (s *site) decideConsent(w http.ResponseWriter, r *http.Request) {
	a, err := s.readAuthorization(r)
	if err != nil {
		complain(w, err)
		return
	}
	decision, err := s.page(a).Decide(w, r)
	switch {
	case err != nil:
		complain(w, invalidRequest(err.Error()))
	case !decision.Allowed || len(decision.Scopes) == 0:
		s.counter.Add(countConsents, "denied")
		sendBack(w, a, url.Values{"error": {"access_denied"}})
	default:
		s.counter.Add(countConsents, "allowed")
		code := s.tokens.IssueCode(tokens.Consent{
			Account: decision.Account, Scopes: decision.Scopes, RedirectURI: a.redirectURI, Challenge: a.challenge,
			Offline: a.offline, Prompted: a.prompted,
		})
		sendBack(w, a, url.Values{"code": {code}, "scope": {strings.Join(decision.Scopes, " ")}, "authuser": {"0"}, "prompt": {"consent"}})
	}
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

func complain(w http.ResponseWriter, err error) {
	var c complaint
	if !errors.As(err, &c) {
		c = invalidRequest(err.Error())
	}
	oauth.SendRefusal(w, c.status, c.code, c.text)
}
