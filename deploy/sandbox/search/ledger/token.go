package ledger

import (
	"slices"
	"time"
)

// Refusal is why the token endpoint gives nothing, in the provider's words.
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
)

// Error is the description.
func (r Refusal) Error() string { return string(r) }

// Tokens is what the token endpoint gives.
type Tokens struct {
	Account     string
	Scopes      []string
	Access      string
	AccessLife  time.Duration
	Refresh     string        // empty: none is given
	RefreshLife time.Duration // zero: not told
}

// Redeem gives the tokens for a code. A known code is spent by the attempt,
// whether it succeeds or not. There is a refresh token when one was asked for,
// and it is the account's first consent or the consent was prompted.
func (l *Ledger) Redeem(value, redirectURI, verifier string) (Tokens, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	code, known := l.codes[value]
	if !known {
		return Tokens{}, UnknownCode
	}
	spent := code.used || l.now().Sub(code.made) > codeLife
	code.used = true
	if spent {
		return Tokens{}, SpentCode
	}
	if err := code.check(redirectURI, verifier); err != nil {
		return Tokens{}, err
	}
	l.prune()
	first := l.grants[code.Account] == nil
	grant := l.grantOf(code.Consent)
	scopes := code.Scopes
	if code.Incremental {
		scopes = slices.Clone(grant.scopes)
	}
	tokens := l.giveAccess(grant, scopes)
	if rules := l.rules(); code.Offline && (first || code.Prompted) && !rules.Withhold {
		l.giveRefresh(&tokens, grant, rules)
	}
	return tokens, nil
}

func (c *code) check(redirectURI, verifier string) error {
	switch {
	case redirectURI != c.RedirectURI:
		return WrongRedirect
	case c.Challenge == "" && verifier != "":
		return SpareVerifier
	case c.Challenge != "" && verifier == "":
		return MissingVerifier
	case c.Challenge != "" && !c.Challenge.Answers(verifier):
		return WrongVerifier
	}
	return nil
}

// Refresh gives a new access token. A refresh token that was replaced is known to
// be stolen, or sent twice, when it comes again: the whole grant ends (RFC 9700,
// section 4.14.2).
func (l *Ledger) Refresh(value string) (Tokens, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	token, known := l.refresh[value]
	if known && token.rotated {
		l.end(token.grant)
	}
	if !known || !token.live(l.now()) {
		return Tokens{}, DeadRefresh
	}
	l.prune()
	token.used = l.now()
	tokens := l.giveAccess(token.grant, token.scopes)
	if rules := l.rules(); rules.Rotate {
		token.rotated = true
		l.giveRefresh(&tokens, token.grant, rules)
	}
	return tokens, nil
}

func (t *refreshToken) live(now time.Time) bool {
	expired := !t.ends.IsZero() && !now.Before(t.ends)
	return !t.dead && !t.rotated && !t.grant.ended && !expired && now.Sub(t.used) <= unusedLife
}

// grantOf returns the account's grant with the consent's scopes added.
func (l *Ledger) grantOf(consent Consent) *grant {
	g := l.grants[consent.Account]
	if g == nil {
		g = &grant{account: consent.Account}
		l.grants[consent.Account] = g
	}
	for _, scope := range consent.Scopes {
		if !slices.Contains(g.scopes, scope) {
			g.scopes = append(g.scopes, scope)
		}
	}
	return g
}

func (l *Ledger) giveAccess(g *grant, scopes []string) Tokens {
	life := l.rules().AccessLife
	if life == 0 {
		life = accessLife
	}
	value := l.issuer.Issue("access_token", "ya29.")
	l.access[value] = &accessToken{grant: g, scopes: scopes, ends: l.now().Add(life)}
	return Tokens{Account: g.account, Scopes: scopes, Access: value, AccessLife: life}
}

func (l *Ledger) giveRefresh(tokens *Tokens, g *grant, rules Rules) {
	token := &refreshToken{grant: g, scopes: tokens.Scopes, used: l.now()}
	if rules.RefreshLife > 0 {
		token.ends = l.now().Add(rules.RefreshLife)
	}
	g.refresh = slices.DeleteFunc(g.refresh, func(t *refreshToken) bool { return !t.live(l.now()) })
	if len(g.refresh) == maxRefresh {
		g.refresh[0].dead = true
		g.refresh = g.refresh[1:]
	}
	g.refresh = append(g.refresh, token)
	tokens.Refresh, tokens.RefreshLife = l.issuer.Issue("refresh_token", "1//0"), rules.RefreshLife
	l.refresh[tokens.Refresh] = token
}
