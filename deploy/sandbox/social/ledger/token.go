package ledger

import (
	"slices"
	"time"
)

// Kind is whose a token is.
type Kind string

// The kinds.
const (
	User Kind = "USER"
	Page Kind = "PAGE"
	App  Kind = "APP"
)

// Cause is why a token opens nothing: the subcode of error 190, and zero for one
// that was never given out.
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

// Causes lists those that can be given to tokens.
func Causes() []Cause {
	return []Cause{AppRemoved, Checkpoint, PasswordChanged, Expired, Unconfirmed, Invalid, RoleLost}
}

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
	account string // empty: the app's own
	page    string
	issued  time.Time
	ends    time.Time         // zero: never
	long    bool              // a person's, made from another token
	cause   Cause             // of its death; zero: none
	pages   map[string]string // page → its token, of a person's token
}

// Token is what a token is good for.
type Token struct {
	Kind     Kind
	Account  string // empty: the app's own
	Page     string // of a page's
	Issued   time.Time
	Ends     time.Time // zero: never
	DataEnds time.Time // zero: never
	Scopes   []string  // permissions that the account grants now
}

// Has reports whether the account grants a permission now.
func (t Token) Has(permission string) bool { return slices.Contains(t.Scopes, permission) }

// Given is a token that was given out.
type Given struct {
	Value string
	Life  time.Duration // zero: no end
}

// Check returns what a token is good for; the error is a Cause, and what is known
// of the token comes along.
func (l *Ledger) Check(value string) (Token, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, known := l.tokens[value]
	if !known {
		return Token{}, Unknown
	}
	view := Token{Kind: t.kind, Account: t.account, Page: t.page, Issued: t.issued, Ends: t.ends, Scopes: l.scopes(t.account)}
	if g := l.grants[t.account]; g != nil {
		view.DataEnds = g.login.Add(dataLife)
	}
	if cause := t.death(l.now()); cause != 0 {
		return view, cause
	}
	return view, nil
}

func (t *token) death(now time.Time) Cause {
	if t.cause == 0 && !t.ends.IsZero() && !now.Before(t.ends) {
		return Expired
	}
	return t.cause
}

// Lengthen gives a long-lived token for a living one of a person. The error is a
// Cause; a page's token and the app's own count as unknown.
func (l *Ledger) Lengthen(value string) (Given, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, known := l.tokens[value]
	if !known || t.kind != User {
		return Given{}, Unknown
	}
	if cause := t.death(l.now()); cause != 0 {
		return Given{}, cause
	}
	return l.giveUser(t.account, true), nil
}

func (l *Ledger) giveUser(account string, long bool) Given {
	life, kind := l.userLife(long), "user_token"
	if long {
		kind = "long_lived_token"
	}
	value := l.issuer.Issue(kind, "EAAG")
	l.tokens[value] = &token{
		kind: User, account: account, issued: l.now(), ends: l.now().Add(life), long: long, pages: make(map[string]string),
	}
	return Given{Value: value, Life: life}
}

// AppToken gives a token of the app itself, which has no end.
func (l *Ledger) AppToken(client string) Given {
	l.mu.Lock()
	defer l.mu.Unlock()
	value := l.issuer.Issue("app_token", client+"|")
	l.tokens[value] = &token{kind: App, issued: l.now()}
	return Given{Value: value}
}

// PageToken gives the token of a page to the holder of a person's token: the same
// one each time, so that made is true once. It ends with a short-lived token and
// never with a long-lived one. It is empty when the holder's is not known.
func (l *Ledger) PageToken(user, page string) (value string, made bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	holder, known := l.tokens[user]
	if !known || holder.kind != User {
		return "", false
	}
	if value, given := holder.pages[page]; given {
		return value, false
	}
	value = l.issuer.Issue("page_token", "EAAG")
	t := &token{kind: Page, account: holder.account, page: page, issued: l.now()}
	if !holder.long {
		t.ends = holder.ends
	}
	l.tokens[value], holder.pages[page] = t, value
	return value, true
}
