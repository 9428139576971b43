// Package tokens owns what provider_search remembers of consents: the codes, grants
// and tokens that it gave out, and how long each is good. It knows no HTTP; parsing
// requests and checking clients stay in package search.
//
// A grant is what one account allowed the app. All its tokens end with it.
package tokens

import (
	"maps"
	"slices"
	"sync"
	"time"

	"backend.example/deploy/sandbox/internal/oauth"
	"backend.example/deploy/sandbox/upstream"
)

// How long things are good unless a rule says otherwise
// (https://developers.google.com/identity/protocols/oauth2).
const (
	codeLife   = 10 * time.Minute
	accessLife = 3599 * time.Second
	unusedLife = 180 * 24 * time.Hour // of a refresh token that nobody uses
	maxRefresh = 100                  // live refresh tokens of a grant; the oldest dies silently
)

// Rules are what can be changed while the store is in use. The zero value is the usual
// behaviour.
type Rules struct {
	Rotate     bool          // each refresh gives a new refresh token in the place of the used one
	Withhold   bool          // no code gives a refresh token
	AccessLife time.Duration // of access tokens; zero: 3599 s
}

// Consent is what somebody allowed.
type Consent struct {
	Account     string
	Scopes      []string
	RedirectURI string
	Challenge   oauth.Challenge // empty: no verifier is expected
	Offline     bool            // a refresh token was asked for
	Prompted    bool            // with prompt=consent
}

// Store remembers. It is safe for concurrent use.
type Store struct {
	secrets *upstream.Secrets
	now     func() time.Time
	rules   func() Rules

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
	refresh []*refreshToken // oldest first
}

type accessToken struct {
	grant  *grant
	scopes []string
	ends   time.Time
}

func (t *accessToken) live(now time.Time) bool { return !t.grant.ended && now.Before(t.ends) }

type refreshToken struct {
	grant   *grant
	scopes  []string
	used    time.Time // last
	dead    bool
	rotated bool // a newer one took its place
}

func (t *refreshToken) live(now time.Time) bool {
	return !t.dead && !t.rotated && !t.grant.ended && now.Sub(t.used) <= unusedLife
}

// New returns an empty store, whose rules are asked for each time.
func New(secrets *upstream.Secrets, now func() time.Time, rules func() Rules) *Store {
	s := &Store{secrets: secrets, now: now, rules: rules}
	s.Reset()
	return s
}

// Reset makes the store empty.
func (s *Store) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes = make(map[string]*code)
	s.grants = make(map[string]*grant)
	s.access = make(map[string]*accessToken)
	s.refresh = make(map[string]*refreshToken)
}

// RevokeAccount ends the grant of an account, or every grant when account is empty, as
// people do in their account's settings. It returns how many ended.
func (s *Store) RevokeAccount(account string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended := 0
	for _, g := range slices.Collect(maps.Values(s.grants)) {
		if account == "" || g.account == account {
			s.end(g)
			ended++
		}
	}
	return ended
}

func (s *Store) end(g *grant) {
	g.ended = true
	delete(s.grants, g.account)
}

// ExpireAccess makes every live access token expire now, and returns how many.
func (s *Store) ExpireAccess() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	expired := 0
	for _, token := range s.access {
		if token.live(s.now()) {
			token.ends = s.now()
			expired++
		}
	}
	return expired
}

// Summary is the live contents without any secret.
type Summary struct {
	Grants []GrantSummary `json:"grants"` // by account
}

// GrantSummary is one live grant.
type GrantSummary struct {
	Account       string   `json:"account"`
	Scopes        []string `json:"scopes"`
	RefreshTokens int      `json:"refresh_tokens"`
}

// Summary tells what is live now.
func (s *Store) Summary() Summary {
	s.mu.Lock()
	defer s.mu.Unlock()
	summary := Summary{Grants: []GrantSummary{}}
	for _, account := range slices.Sorted(maps.Keys(s.grants)) {
		g := s.grants[account]
		live := slices.DeleteFunc(slices.Clone(g.refresh), func(t *refreshToken) bool { return !t.live(s.now()) })
		summary.Grants = append(summary.Grants, GrantSummary{Account: account, Scopes: slices.Clone(g.scopes), RefreshTokens: len(live)})
	}
	return summary
}
