// Package ledger owns what provider_social remembers of logins: the codes, grants
// and tokens that it gave out, how long each is good, and why one no longer is. It
// knows no HTTP and no pages; checking clients and proofs, and who manages what,
// stays in package social.
//
// A grant is what one account allowed the app, whenever it did. Permissions belong
// to the grant: a token has those that the grant has now.
package ledger

import (
	"slices"
	"sync"
	"time"

	"backend.example/deploy/sandbox/internal/issued"
	"backend.example/deploy/sandbox/internal/pkce"
)

// The lives of what is not told otherwise
// (https://developers.facebook.com/docs/facebook-login/guides/access-tokens).
const (
	codeLife  = 10 * time.Minute
	shortLife = 90 * time.Minute
	longLife  = 5183944 * time.Second // almost 60 days
	dataLife  = 90 * 24 * time.Hour   // since the last login
	keptCodes = time.Hour             // a code is known as used or expired for so long
)

// Rules are what can be changed while the ledger is in use; the zero value is the
// usual behaviour.
type Rules struct {
	UserLife time.Duration // of the tokens of people, short and long; zero: as usual
	Missing  []string      // permissions that count as declined
}

// Login is what somebody decided in the dialog.
type Login struct {
	Account     string
	Asked       []string // permissions
	Allowed     []string // of those
	Pages       []string // ids of those that the app may see; nil: all, later ones too
	Again       bool     // permissions that were declined before may be asked for again
	RedirectURI string
	Challenge   pkce.Challenge // empty: no verifier is expected
}

// Ledger remembers. It is safe for concurrent use.
type Ledger struct {
	issuer issued.Issuer
	now    func() time.Time
	rules  func() Rules

	mu     sync.Mutex
	codes  map[string]*code
	grants map[string]*grant // by account
	tokens map[string]*token
	lost   []role
}

type code struct {
	Login
	made time.Time
	used bool
}

// role is that of an account for a page.
type role struct{ account, page string }

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
	l.tokens = make(map[string]*token)
	l.lost = nil
}

// LoseRole takes an account's role for a page away, and with it the page's tokens
// that the account was given. It returns how many tokens died.
func (l *Ledger) LoseRole(account, page string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if lost := (role{account, page}); !slices.Contains(l.lost, lost) {
		l.lost = append(l.lost, lost)
	}
	return l.kill(RoleLost, func(t *token) bool { return t.account == account && t.page == page })
}

// HasRole reports whether an account's role for a page was not taken away.
func (l *Ledger) HasRole(account, page string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !slices.Contains(l.lost, role{account, page})
}
