package ledger

import (
	"maps"
	"time"
)

// Refusal is why a code gives no token.
type Refusal string

// The refusals, in the provider's words.
const (
	UnknownCode     Refusal = "Invalid verification code format."
	UsedCode        Refusal = "This authorization code has been used."
	ExpiredCode     Refusal = "This authorization code has expired."
	WrongRedirect   Refusal = "Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request"
	MissingVerifier Refusal = "code_verifier is missing"
	WrongVerifier   Refusal = "code_verifier does not match the code_challenge"
	SpareVerifier   Refusal = "code_verifier was sent, but there was no code_challenge"
)

// Error is the message.
func (r Refusal) Error() string { return string(r) }

// IssueCode enters what the login allowed and declined into the account's grant,
// and returns a code that is good once and for ten minutes.
func (l *Ledger) IssueCode(login Login) string {
	value := l.issuer.Issue("code", "AQ")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.enter(login)
	maps.DeleteFunc(l.codes, func(_ string, c *code) bool { return l.now().Sub(c.made) > keptCodes })
	l.codes[value] = &code{Login: login, made: l.now()}
	return value
}

// Redeem gives the short-lived token for a code. A code whose redirect address or
// verifier does not fit is spent by the attempt too.
func (l *Ledger) Redeem(value, redirectURI, verifier string) (Given, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	code, known := l.codes[value]
	switch {
	case !known:
		return Given{}, UnknownCode
	case code.used:
		return Given{}, UsedCode
	case l.now().Sub(code.made) > codeLife:
		return Given{}, ExpiredCode
	}
	code.used = true
	if err := code.check(redirectURI, verifier); err != nil {
		return Given{}, err
	}
	if l.grants[code.Account] == nil {
		return Given{}, AppRemoved
	}
	return l.giveUser(code.Account, false), nil
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

// userLife is how long the token of a person is good.
func (l *Ledger) userLife(long bool) time.Duration {
	switch life := l.rules().UserLife; {
	case life > 0:
		return life
	case long:
		return longLife
	default:
		return shortLife
	}
}
