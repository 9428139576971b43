package ledger

import (
	"maps"
	"slices"
)

// Kill ends the tokens of an account, or those of everybody when account is empty,
// and returns how many there were. AppRemoved ends the grants too; Expired spares
// tokens that never expire.
func (l *Ledger) Kill(account string, cause Cause) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if cause == AppRemoved {
		maps.DeleteFunc(l.grants, func(name string, _ *grant) bool { return account == "" || name == account })
	}
	return l.kill(cause, func(t *token) bool {
		return t.kind != App && (account == "" || t.account == account) && (cause != Expired || !t.ends.IsZero())
	})
}

// kill ends the living tokens that are meant. The caller holds the lock.
func (l *Ledger) kill(cause Cause, meant func(*token) bool) int {
	dead := 0
	for _, t := range l.tokens {
		if meant(t) && t.death(l.now()) == 0 {
			t.cause = cause
			dead++
		}
	}
	return dead
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
	Pages       []string     `json:"pages"` // null: all
}

// Summary tells what is alive now.
func (l *Ledger) Summary() Summary {
	l.mu.Lock()
	defer l.mu.Unlock()
	summary := Summary{Grants: []GrantSummary{}, Tokens: map[Kind]int{User: 0, Page: 0, App: 0}}
	for _, account := range slices.Sorted(maps.Keys(l.grants)) {
		summary.Grants = append(summary.Grants, GrantSummary{account, l.permissions(account), slices.Clone(l.grants[account].pages)})
	}
	for _, t := range l.tokens {
		if t.death(l.now()) == 0 {
			summary.Tokens[t.kind]++
		}
	}
	return summary
}
