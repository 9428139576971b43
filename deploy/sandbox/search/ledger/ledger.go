// Package ledger owns what provider_search remembers of consents: the codes,
// grants and tokens that it gave out, and how long each is good. It knows no HTTP;
// parsing requests and checking clients stay in package search.
//
// A grant is what one account allowed the app. All its tokens end with it.
package ledger

import (
	"sync"
	"time"

	"backend.example/deploy/sandbox/internal/issued"
	"backend.example/deploy/sandbox/internal/pkce"
)

// The lives of what is not told otherwise
// (https://developers.google.com/identity/protocols/oauth2).
const (
	codeLife   = 10 * time.Minute
	accessLife = 3599 * time.Second
	unusedLife = 180 * 24 * time.Hour // of a refresh token that nobody uses
	keptCodes  = time.Hour            // a code is known as used or expired for so long
	keptTokens = 24 * time.Hour       // and so is an expired access token
	maxRefresh = 100                  // live refresh tokens of a grant; the oldest dies silently
)

// Rules are what can be changed while the ledger is in use; the zero value is the
// usual behaviour.
type Rules struct {
	Rotate      bool          // each refresh gives a new refresh token in the place of the used one
	Withhold    bool          // no code gives a refresh token
	AccessLife  time.Duration // of access tokens; zero: 3599 s
	RefreshLife time.Duration // of refresh tokens; zero: no end but that of not being used
}

// Consent is what somebody allowed.
type Consent struct {
	Account     string
	Scopes      []string
	RedirectURI string
	Challenge   pkce.Challenge // empty: no verifier is expected
	Offline     bool           // a refresh token was asked for
	Prompted    bool           // with prompt=consent
	Incremental bool           // the tokens cover what was allowed before as well
}

// Ledger remembers. It is safe for concurrent use.
type Ledger struct {
	issuer issued.Issuer
	now    func() time.Time
	rules  func() Rules

	mu      sync.Mutex
	codes   map[string]*code
	grants  map[string]*grant // by account, the live ones
	access  map[string]*accessToken
	refresh map[string]*refreshToken
}

type code struct {
	Consent
	made time.Time
	used bool
}

type grant struct {
	account string
	scopes  []string // everything that was allowed so far
	ended   bool
	refresh []*refreshToken // live ones, oldest first
}

type accessToken struct {
	grant  *grant
	scopes []string
	ends   time.Time
}

type refreshToken struct {
	grant   *grant
	scopes  []string
	used    time.Time // last
	ends    time.Time // zero: never
	dead    bool
	rotated bool // a newer one took its place
}

// New returns an empty ledger, whose rules are asked for each time.
func New(issuer issued.Issuer, now func() time.Time, rules func() Rules) *Ledger {
	l := &Ledger{issuer: issuer, now: now, rules: rules}
	l.Forget()
	return l
}

// Forget makes the ledger empty.
func (l *Ledger) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.codes = make(map[string]*code)
	l.grants = make(map[string]*grant)
	l.access = make(map[string]*accessToken)
	l.refresh = make(map[string]*refreshToken)
}

// IssueCode returns a code for the consent, good once and for ten minutes.
func (l *Ledger) IssueCode(consent Consent) string {
	value := l.issuer.Issue("code", "4/0A")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.codes[value] = &code{Consent: consent, made: l.now()}
	return value
}
