package tokens

import (
	"slices"
	"time"
)

// Kind is whose a token is.
type Kind string

// The kinds. The app's own token is not remembered: it consists of its credentials.
const (
	User Kind = "USER"
	Page Kind = "PAGE"
	App  Kind = "APP"
)

// Cause is why a token opens nothing: the subcode of error 190, and zero for one that
// was never given out.
type Cause int

// The causes.
const (
	Unknown         Cause = 0
	AppRemoved      Cause = 458
	Checkpoint      Cause = 459
	PasswordChanged Cause = 460
	Expired         Cause = 463
	Unconfirmed     Cause = 464
	Invalid         Cause = 467
	RoleLost        Cause = 492
)

// Error is the message, in the provider's words.
func (c Cause) Error() string {
	const validating = "Error validating access token: "
	switch c {
	case AppRemoved:
		return validating + "The user has not authorized application."
	case Checkpoint:
		return validating + "You cannot access the app till you log in to www.facebook.com and follow the instructions given."
	case PasswordChanged:
		return validating + "The session has been invalidated because the user changed their password or Facebook has changed the session for security reasons."
	case Expired:
		return validating + "Session has expired."
	case Unconfirmed:
		return validating + "Sessions for the user are not allowed because the user is not a confirmed user."
	case Invalid:
		return validating + "The access token is invalid since the user hasn't engaged the app in longer than 90 days."
	case RoleLost:
		return validating + "The session does not match current stored session: the user is no longer an administrator of the page."
	default:
		return "Invalid OAuth access token - Cannot parse access token"
	}
}

type token struct {
	kind    Kind
	account string
	page    string
	ends    time.Time         // zero: never
	long    bool              // a person's, made from another token
	cause   Cause             // why it ended before its time; zero: it did not
	pages   map[string]string // page → its token, of a person's token
}

// ended is why a token is no longer good; zero: it is.
func (t *token) ended(now time.Time) Cause {
	if t.cause == 0 && !t.ends.IsZero() && !now.Before(t.ends) {
		return Expired
	}
	return t.cause
}

// Token is what a token is good for.
type Token struct {
	Kind    Kind
	Account string   // empty: the app's own
	Page    string   // of a page's
	Scopes  []string // permissions that the account grants now
}

// Has reports whether the account grants a permission now.
func (t Token) Has(permission string) bool { return slices.Contains(t.Scopes, permission) }

// Check returns what a token is good for. The error is a Cause.
func (s *Store) Check(value string) (Token, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, known := s.tokens[value]
	if !known {
		return Token{}, Unknown
	}
	if cause := t.ended(s.now()); cause != 0 {
		return Token{}, cause
	}
	view := Token{Kind: t.kind, Account: t.account, Page: t.page}
	for _, p := range s.permissions(t.account) {
		if p.Status == Granted {
			view.Scopes = append(view.Scopes, p.Name)
		}
	}
	return view, nil
}

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

// IssueCode enters what the login allowed and declined into the account's grant, and
// returns a code that is good once and for ten minutes.
func (s *Store) IssueCode(login Login) string {
	value := s.secrets.Issue("code", "AQ")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(login)
	s.codes[value] = &code{Login: login, made: s.now()}
	return value
}

// Given is a token that was given out.
type Given struct {
	Value string
	Life  time.Duration
}

// Redeem gives the short-lived token for a code. A code whose redirect address or
// verifier does not fit is spent by the attempt too.
func (s *Store) Redeem(value, redirectURI, verifier string) (Given, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	code, known := s.codes[value]
	switch {
	case !known:
		return Given{}, UnknownCode
	case code.used:
		return Given{}, UsedCode
	case s.now().Sub(code.made) > codeLife:
		return Given{}, ExpiredCode
	}
	code.used = true
	switch {
	case redirectURI != code.RedirectURI:
		return Given{}, WrongRedirect
	case code.Challenge == "" && verifier != "":
		return Given{}, SpareVerifier
	case code.Challenge != "" && verifier == "":
		return Given{}, MissingVerifier
	case code.Challenge != "" && !code.Challenge.Answers(verifier):
		return Given{}, WrongVerifier
	case s.grants[code.Account] == nil:
		return Given{}, AppRemoved
	}
	return s.giveUser(code.Account, "user_token", shortLife, false), nil
}

// Lengthen gives a long-lived token for a living one of a person. The error is a
// Cause; a page's token counts as unknown.
func (s *Store) Lengthen(value string) (Given, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, known := s.tokens[value]
	if !known || t.kind != User {
		return Given{}, Unknown
	}
	if cause := t.ended(s.now()); cause != 0 {
		return Given{}, cause
	}
	return s.giveUser(t.account, "long_lived_token", longLife, true), nil
}

func (s *Store) giveUser(account, kind string, life time.Duration, long bool) Given {
	value := s.secrets.Issue(kind, "EAAG")
	s.tokens[value] = &token{kind: User, account: account, ends: s.now().Add(life), long: long, pages: make(map[string]string)}
	return Given{Value: value, Life: life}
}

// PageToken gives the token of a page to the holder of a person's token, the same one
// each time. It ends with a short-lived token and never with a long-lived one. It is
// empty when the holder's is not known.
func (s *Store) PageToken(user, page string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	holder, known := s.tokens[user]
	if !known || holder.kind != User {
		return ""
	}
	if value, given := holder.pages[page]; given {
		return value
	}
	t := &token{kind: Page, account: holder.account, page: page}
	if !holder.long {
		t.ends = holder.ends
	}
	value := s.secrets.Issue("page_token", "EAAG")
	s.tokens[value], holder.pages[page] = t, value
	return value
}
