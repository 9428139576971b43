package ledger

import (
	"iter"
	"maps"
	"slices"
)

// Why an access token opens nothing.
const (
	UnknownAccess Refusal = "unknown or revoked"
	ExpiredAccess Refusal = "expired"
)

// DeadToken is why there is nothing to revoke.
const DeadToken Refusal = "Token expired or revoked"

// Access is what an access token opens.
type Access struct {
	Account string
	Scopes  []string
}

// Check returns what an access token opens; the error is UnknownAccess or
// ExpiredAccess.
func (l *Ledger) Check(value string) (Access, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	token, known := l.access[value]
	switch {
	case !known || token.grant.ended:
		return Access{}, UnknownAccess
	case !l.now().Before(token.ends):
		return Access{}, ExpiredAccess
	}
	return Access{Account: token.grant.account, Scopes: slices.Clone(token.scopes)}, nil
}

// Revoke ends the whole grant to which a live access or refresh token belongs;
// without such a token the error is DeadToken.
func (l *Ledger) Revoke(value string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if token, known := l.refresh[value]; known && token.live(l.now()) {
		l.end(token.grant)
		return nil
	}
	if token, known := l.access[value]; known && !token.grant.ended && l.now().Before(token.ends) {
		l.end(token.grant)
		return nil
	}
	return DeadToken
}

// RevokeAccount ends the grant of an account, or every grant when account is
// empty, as people do in their account's settings. It returns how many ended.
func (l *Ledger) RevokeAccount(account string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	ended := 0
	for _, g := range slices.Collect(maps.Values(l.grants)) {
		if account == "" || g.account == account {
			l.end(g)
			ended++
		}
	}
	return ended
}

// ExpireAccess makes every live access token expire now, and returns how many.
func (l *Ledger) ExpireAccess() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	expired := 0
	for _, token := range l.access {
		if !token.grant.ended && l.now().Before(token.ends) {
			token.ends = l.now()
			expired++
		}
	}
	return expired
}

// ExpireRefresh makes every live refresh token expire now, and returns how many.
// Access tokens stay good.
func (l *Ledger) ExpireRefresh() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	expired := 0
	for _, token := range l.refresh {
		if token.live(l.now()) {
			token.dead = true
			expired++
		}
	}
	return expired
}

func (l *Ledger) end(g *grant) {
	g.ended = true
	delete(l.grants, g.account)
}

// prune forgets what has been dead for long. The caller holds the lock.
func (l *Ledger) prune() {
	now := l.now()
	maps.DeleteFunc(l.codes, func(_ string, c *code) bool { return now.Sub(c.made) > keptCodes })
	maps.DeleteFunc(l.access, func(_ string, t *accessToken) bool { return now.Sub(t.ends) > keptTokens })
	maps.DeleteFunc(l.refresh, func(_ string, t *refreshToken) bool { return t.grant.ended || t.dead })
}

// Summary is the live contents without any secret.
type Summary struct {
	Grants        []GrantSummary `json:"grants"` // by account
	AccessTokens  int            `json:"access_tokens"`
	RefreshTokens int            `json:"refresh_tokens"`
}

// GrantSummary is one live grant.
type GrantSummary struct {
	Account       string   `json:"account"`
	Scopes        []string `json:"scopes"`
	RefreshTokens int      `json:"refresh_tokens"`
}

// Summary counts what is live now.
func (l *Ledger) Summary() Summary {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	summary := Summary{Grants: []GrantSummary{}}
	for _, account := range slices.Sorted(maps.Keys(l.grants)) {
		g := l.grants[account]
		live := count(slices.Values(g.refresh), func(t *refreshToken) bool { return t.live(now) })
		summary.Grants = append(summary.Grants, GrantSummary{Account: account, Scopes: slices.Clone(g.scopes), RefreshTokens: live})
		summary.RefreshTokens += live
	}
	summary.AccessTokens = count(maps.Values(l.access), func(t *accessToken) bool { return !t.grant.ended && now.Before(t.ends) })
	return summary
}

func count[T any](all iter.Seq[T], is func(T) bool) int {
	number := 0
	for one := range all {
		if is(one) {
			number++
		}
	}
	return number
}
