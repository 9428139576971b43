package tokens

import (
	"slices"
	"time"
)

// Refusal is why nothing is given or opened, in the provider's words.
type Refusal string

// The refusals.
const (
	UnknownCode     Refusal = "Malformed auth code."
	SpentCode       Refusal = "Bad Request" // used, or older than ten minutes
	WrongRedirect   Refusal = "The redirect_uri differs from that of the authorization request."
	MissingVerifier Refusal = "Missing code verifier."
	WrongVerifier   Refusal = "Invalid code verifier."
	SpareVerifier   Refusal = "code_verifier or verifier is not needed."
	DeadRefresh     Refusal = "Token has been expired or revoked."
	NothingToRevoke Refusal = "Token expired or revoked"
	UnknownAccess   Refusal = "unknown or revoked"
	ExpiredAccess   Refusal = "expired"
)

// Error is the description.
func (r Refusal) Error() string { return string(r) }

// Tokens is what the token endpoint gives.
type Tokens struct {
	Account    string
	Scopes     []string
	Access     string
	AccessLife time.Duration
	Refresh    string // empty: none is given
}

// IssueCode returns a code for the consent, good once and for ten minutes.
func (s *Store) IssueCode(consent Consent) string {
	value := s.secrets.Issue("code", "4/0A")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes[value] = &code{Consent: consent, made: s.now()}
	return value
}

// Redeem gives the tokens for a code. A known code is spent by the attempt, whether it
// succeeds or not. There is a refresh token when one was asked for, and it is the
// account's first consent or the consent was prompted.
func (s *Store) Redeem(value, redirectURI, verifier string) (Tokens, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	code, known := s.codes[value]
	if !known {
		return Tokens{}, UnknownCode
	}
	spent := code.used || s.now().Sub(code.made) > codeLife
	code.used = true
	switch {
	case spent:
		return Tokens{}, SpentCode
	case redirectURI != code.RedirectURI:
		return Tokens{}, WrongRedirect
	case code.Challenge == "" && verifier != "":
		return Tokens{}, SpareVerifier
	case code.Challenge != "" && verifier == "":
		return Tokens{}, MissingVerifier
	case code.Challenge != "" && !code.Challenge.Answers(verifier):
		return Tokens{}, WrongVerifier
	}
	first := s.grants[code.Account] == nil
	given := s.giveAccess(s.grantOf(code.Consent), code.Scopes)
	if code.Offline && (first || code.Prompted) && !s.rules().Withhold {
		given.Refresh = s.giveRefresh(s.grants[code.Account], code.Scopes)
	}
	return given, nil
}

// Refresh gives a new access token. A refresh token that was replaced is known to be
// stolen, or sent twice, when it comes again: the whole grant ends (RFC 9700, section
// 4.14.2).
func (s *Store) Refresh(value string) (Tokens, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	token, known := s.refresh[value]
	if known && token.rotated {
		s.end(token.grant)
	}
	if !known || !token.live(s.now()) {
		return Tokens{}, DeadRefresh
	}
	token.used = s.now()
	given := s.giveAccess(token.grant, token.scopes)
	if s.rules().Rotate {
		token.rotated = true
		given.Refresh = s.giveRefresh(token.grant, token.scopes)
	}
	return given, nil
}

// grantOf returns the account's grant with the consent's scopes added.
func (s *Store) grantOf(consent Consent) *grant {
	g := s.grants[consent.Account]
	if g == nil {
		g = &grant{account: consent.Account}
		s.grants[consent.Account] = g
	}
	for _, scope := range consent.Scopes {
		if !slices.Contains(g.scopes, scope) {
			g.scopes = append(g.scopes, scope)
		}
	}
	return g
}

func (s *Store) giveAccess(g *grant, scopes []string) Tokens {
	life := s.rules().AccessLife
	if life == 0 {
		life = accessLife
	}
	value := s.secrets.Issue("access_token", "ya29.")
	s.access[value] = &accessToken{grant: g, scopes: scopes, ends: s.now().Add(life)}
	return Tokens{Account: g.account, Scopes: scopes, Access: value, AccessLife: life}
}

func (s *Store) giveRefresh(g *grant, scopes []string) string {
	g.refresh = slices.DeleteFunc(g.refresh, func(t *refreshToken) bool { return !t.live(s.now()) })
	if len(g.refresh) == maxRefresh {
		g.refresh[0].dead = true
		g.refresh = g.refresh[1:]
	}
	token := &refreshToken{grant: g, scopes: scopes, used: s.now()}
	g.refresh = append(g.refresh, token)
	value := s.secrets.Issue("refresh_token", "1//0")
	s.refresh[value] = token
	return value
}

// Access is what an access token opens.
type Access struct {
	Account string
	Scopes  []string
}

// Check returns what an access token opens. The error is UnknownAccess or
// ExpiredAccess.
func (s *Store) Check(value string) (Access, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	token, known := s.access[value]
	switch {
	case !known || token.grant.ended:
		return Access{}, UnknownAccess
	case !token.live(s.now()):
		return Access{}, ExpiredAccess
	}
	return Access{Account: token.grant.account, Scopes: slices.Clone(token.scopes)}, nil
}

// Revoke ends the whole grant to which a live access or refresh token belongs. Without
// such a token the error is NothingToRevoke.
func (s *Store) Revoke(value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if token, known := s.refresh[value]; known && token.live(s.now()) {
		s.end(token.grant)
		return nil
	}
	if token, known := s.access[value]; known && token.live(s.now()) {
		s.end(token.grant)
		return nil
	}
	return NothingToRevoke
}
