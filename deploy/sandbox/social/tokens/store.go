// Package tokens owns what provider_social remembers of logins: the codes, grants and
// tokens that it gave out, how long each is good, and why one no longer is. It knows
// no HTTP and no pages; checking clients and proofs, and who manages what, stays in
// package social.
//
// A grant is what one account allowed the app, whenever it did. Permissions belong to
// the grant: a token has those that the grant has now.
package tokens

import (
	"maps"
	"slices"
	"sync"
	"time"

	"backend.example/deploy/sandbox/internal/oauth"
	"backend.example/deploy/sandbox/upstream"
)

// How long things are good
// (https://developers.facebook.com/docs/facebook-login/guides/access-tokens).
const (
	codeLife  = 10 * time.Minute
	shortLife = 90 * time.Minute
	longLife  = 5183944 * time.Second // almost 60 days
)

// Login is what somebody decided in the dialog.
type Login struct {
	Account     string
	Asked       []string // permissions
	Allowed     []string // of those
	Again       bool     // permissions that were declined before may be asked for again
	RedirectURI string
	Challenge   oauth.Challenge // empty: no verifier is expected
}

// Store remembers. It is safe for concurrent use.
type Store struct {
	secrets *upstream.Secrets
	now     func() time.Time
	missing func() []string // permissions that count as declined

	mu     sync.Mutex
	codes  map[string]*code
	grants map[string]*grant // by account
	tokens map[string]*token
}

type code struct {
	Login
	made time.Time
	used bool
}

// New returns an empty store, which asks each time for the permissions that count as
// declined.
func New(secrets *upstream.Secrets, now func() time.Time, missing func() []string) *Store {
	s := &Store{secrets: secrets, now: now, missing: missing}
	s.Reset()
	return s
}

// Reset makes the store empty.
func (s *Store) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes = make(map[string]*code)
	s.grants = make(map[string]*grant)
	s.tokens = make(map[string]*token)
}

// End ends the tokens of an account, or those of everybody when account is empty, and
// returns how many there were. AppRemoved ends the grants too; Expired spares tokens
// that never expire.
func (s *Store) End(account string, cause Cause) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cause == AppRemoved {
		maps.DeleteFunc(s.grants, func(name string, _ *grant) bool { return account == "" || name == account })
	}
	ended := 0
	for _, t := range s.tokens {
		spared := account != "" && t.account != account || cause == Expired && t.ends.IsZero()
		if !spared && t.ended(s.now()) == 0 {
			t.cause = cause
			ended++
		}
	}
	return ended
}

// Summary is the contents without any secret.
type Summary struct {
	Grants []GrantSummary `json:"grants"` // by account
	Tokens map[Kind]int   `json:"tokens"` // that are alive
}

// GrantSummary is one grant.
type GrantSummary struct {
	Account     string       `json:"account"`
	Permissions []Permission `json:"permissions"`
}

// Summary tells what is alive now.
func (s *Store) Summary() Summary {
	s.mu.Lock()
	defer s.mu.Unlock()
	summary := Summary{Grants: []GrantSummary{}, Tokens: map[Kind]int{User: 0, Page: 0}}
	for _, account := range slices.Sorted(maps.Keys(s.grants)) {
		summary.Grants = append(summary.Grants, GrantSummary{account, s.permissions(account)})
	}
	for _, t := range s.tokens {
		if t.ended(s.now()) == 0 {
			summary.Tokens[t.kind]++
		}
	}
	return summary
}
