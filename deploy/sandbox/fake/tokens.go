package fake

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

const codeLife = 10 * time.Minute

// Errors of codes and tokens. A provider words them in its own way.
var (
	ErrUnknownCode  = errors.New("the code is unknown")
	ErrUsedCode     = errors.New("the code was used before")
	ErrExpiredCode  = errors.New("the code has expired")
	ErrRedirect     = errors.New("the redirect_uri differs from that of the authorization request")
	ErrVerifier     = errors.New("code_verifier does not match the code_challenge")
	ErrUnknownToken = errors.New("the token is unknown")
	ErrExpired      = errors.New("the token has expired")
	ErrRevoked      = errors.New("the token was revoked")
)

// Consent is what a person decided on a consent page.
type Consent struct {
	Account     string   // key of a person
	Asked       []string // permissions
	Allowed     []string // of those
	RedirectURI string
	Challenge   string // S256 (RFC 7636); empty if no verifier is expected
	Again       bool   // permissions declined before may be asked for again
	Refreshable bool   // the code gives a refresh token
	First       bool   // the account had no grant before
}

// Token is what a token is good for.
type Token struct {
	Kind    string
	Account string   // key of a person; empty for the app's own
	Scopes  []string // of its consent
	Page    string   // of the token of a page
	Ends    time.Time
}

// Permission is one that an account was asked for: granted or declined.
type Permission struct {
	Name   string `json:"permission"`
	Status string `json:"status"`
}

type code struct {
	Consent
	issued time.Time
	used   bool
}

type token struct {
	Token
	ended    error             // why it ended before its time; nil if it did not
	replaced bool              // a newer one took its place
	pages    map[string]string // page → its token, of a person's token
}

// Tokens holds the codes, grants and tokens of a provider. A grant is everything that an account allowed the app;
// all its tokens end with it. It is safe for concurrent use.
type Tokens struct {
	fake *Fake

	mu     sync.Mutex
	codes  map[string]*code
	tokens map[string]*token
	grants map[string][]Permission // by account, in the order in which they were first asked for
}

func newTokens(f *Fake) *Tokens {
	t := &Tokens{fake: f}
	t.reset()
	return t
}

func (t *Tokens) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.codes = map[string]*code{}
	t.tokens = map[string]*token{}
	t.grants = map[string][]Permission{}
}

// IssueCode records a consent and returns a code that is good once and for ten minutes. What was declined before
// stays so, unless it may be asked for again.
func (t *Tokens) IssueCode(consent Consent, prefix string) string {
	value := t.fake.Secret("code", prefix)
	t.mu.Lock()
	defer t.mu.Unlock()
	permissions, known := t.grants[consent.Account]
	consent.First = !known
	for _, name := range consent.Asked {
		status := "declined"
		if slices.Contains(consent.Allowed, name) {
			status = "granted"
		}
		i := slices.IndexFunc(permissions, func(p Permission) bool { return p.Name == name })
		switch {
		case i < 0:
			permissions = append(permissions, Permission{name, status})
		case consent.Again || permissions[i].Status == "granted":
			permissions[i].Status = status
		}
	}
	t.grants[consent.Account] = permissions
	t.codes[value] = &code{Consent: consent, issued: t.fake.Now()}
	return value
}

// Redeem returns the consent of a code. A known code is used up by the attempt, even if the redirect address or the
// verifier is wrong.
func (t *Tokens) Redeem(value, redirectURI, verifier string) (Consent, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	code, known := t.codes[value]
	switch {
	case !known:
		return Consent{}, ErrUnknownCode
	case code.used:
		return Consent{}, ErrUsedCode
	case t.fake.Now().Sub(code.issued) > codeLife:
		return Consent{}, ErrExpiredCode
	}
	code.used = true
	challenge := ""
	if sum := sha256.Sum256([]byte(verifier)); len(verifier) >= 43 && len(verifier) <= 128 { // RFC 7636, section 4.1
		challenge = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	switch {
	case redirectURI != code.RedirectURI:
		return Consent{}, ErrRedirect
	case challenge != code.Challenge, code.Challenge == "" && verifier != "":
		return Consent{}, ErrVerifier
	case t.grants[code.Account] == nil:
		return Consent{}, ErrRevoked
	}
	return code.Consent, nil
}

// Issue returns a new token.
func (t *Tokens) Issue(prefix string, issued Token) string {
	value := t.fake.Secret(issued.Kind, prefix)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tokens[value] = &token{Token: issued}
	return value
}

// Check returns what a token is good for. The error is ErrUnknownToken, ErrExpired or ErrRevoked.
func (t *Tokens) Check(value string) (Token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.check(value)
}

func (t *Tokens) check(value string) (Token, error) {
	token, known := t.tokens[value]
	switch {
	case !known:
		return Token{}, ErrUnknownToken
	case token.ended != nil:
		return Token{}, token.ended
	case !token.Ends.IsZero() && !t.fake.Now().Before(token.Ends):
		return Token{}, ErrExpired
	}
	return token.Token, nil
}

// Use returns what a token is good for, and ends it if another one replaces it. If a replaced token comes again, it
// was sent twice or stolen: the whole grant ends (RFC 9700, section 4.14.2).
func (t *Tokens) Use(value string, replace bool) (Token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found, err := t.check(value)
	switch token := t.tokens[value]; {
	case token == nil:
	case token.replaced:
		t.end(token.Account, ErrRevoked)
	case err == nil && replace:
		token.ended, token.replaced = ErrRevoked, true
	}
	return found, err
}

// PageToken returns the token of a page for the holder of a person's token, the same one each time. It never
// expires if the holder's is long-lived. It is empty if the holder's token is unknown.
func (t *Tokens) PageToken(user, page, prefix string, longLived string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	holder, known := t.tokens[user]
	if !known || holder.Page != "" {
		return ""
	}
	if value, issued := holder.pages[page]; issued {
		return value
	}
	issued := &token{Token: Token{Kind: "page_token", Account: holder.Account, Page: page}}
	if holder.Kind != longLived {
		issued.Ends = holder.Ends
	}
	if holder.pages == nil {
		holder.pages = map[string]string{}
	}
	value := t.fake.Secret(issued.Kind, prefix)
	t.tokens[value], holder.pages[page] = issued, value
	return value
}

// Permissions returns what an account was asked for, or nil if it has no grant.
func (t *Tokens) Permissions(account string) []Permission {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.grants[account])
}

// End ends the live tokens of an account, or of all if account is empty, and returns their number. ErrExpired ends
// those that have an end, ErrRevoked all of them with the grants.
func (t *Tokens) End(account string, cause error) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.end(account, cause)
}

func (t *Tokens) end(account string, cause error) int {
	ended := 0
	for value, token := range t.tokens {
		_, err := t.check(value)
		other := account != "" && token.Account != account
		endless := errors.Is(cause, ErrExpired) && token.Ends.IsZero()
		if err != nil || other || endless {
			continue
		}
		token.ended = cause
		ended++
	}
	if errors.Is(cause, ErrRevoked) {
		maps.DeleteFunc(t.grants, func(name string, _ []Permission) bool { return account == "" || name == account })
	}
	return ended
}
