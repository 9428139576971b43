package ledger

import (
	"slices"
	"time"
)

// The states of a permission.
const (
	Granted  = "granted"
	Declined = "declined"
)

// Permission is one that an account was asked for.
type Permission struct {
	Name   string `json:"permission"`
	Status string `json:"status"`
}

type grant struct {
	permissions []Permission // in the order in which they were first asked for
	login       time.Time    // the last one
	pages       []string     // as that login chose; nil: all
}

// enter adds a login to the account's grant. The caller holds the lock.
func (l *Ledger) enter(login Login) {
	g := l.grants[login.Account]
	if g == nil {
		g = &grant{}
		l.grants[login.Account] = g
	}
	g.login, g.pages = l.now(), slices.Clone(login.Pages)
	for _, name := range login.Asked {
		status := Declined
		if slices.Contains(login.Allowed, name) {
			status = Granted
		}
		g.set(name, status, login.Again)
	}
}

// set changes the status of a permission. What was declined before stays so unless
// it may be asked for again.
func (g *grant) set(name, status string, again bool) {
	i := g.find(name)
	switch {
	case i < 0:
		g.permissions = append(g.permissions, Permission{name, status})
	case again || g.permissions[i].Status == Granted:
		g.permissions[i].Status = status
	}
}

func (g *grant) find(name string) int {
	return slices.IndexFunc(g.permissions, func(p Permission) bool { return p.Name == name })
}

// Permissions lists what an account was asked for; nil when it has no grant.
func (l *Ledger) Permissions(account string) []Permission {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.permissions(account)
}

func (l *Ledger) permissions(account string) []Permission {
	g := l.grants[account]
	if g == nil {
		return nil
	}
	permissions := slices.Clone(g.permissions)
	for i, p := range permissions {
		if slices.Contains(l.rules().Missing, p.Name) {
			permissions[i].Status = Declined
		}
	}
	return permissions
}

func (l *Ledger) scopes(account string) []string {
	scopes := []string{}
	for _, p := range l.permissions(account) {
		if p.Status == Granted {
			scopes = append(scopes, p.Name)
		}
	}
	return scopes
}

// Shares reports whether the account lets the app see a page.
func (l *Ledger) Shares(account, page string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.grants[account]
	return g != nil && (g.pages == nil || slices.Contains(g.pages, page))
}

// Chosen lists the pages that the account chose; nil when it did not choose.
func (l *Ledger) Chosen(account string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if g := l.grants[account]; g != nil {
		return slices.Clone(g.pages)
	}
	return nil
}

// Withdraw ends the account's grant and all its tokens, and reports whether there
// was one.
func (l *Ledger) Withdraw(account string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.grants[account] == nil {
		return false
	}
	delete(l.grants, account)
	l.kill(AppRemoved, func(t *token) bool { return t.account == account })
	return true
}

// WithdrawPermission takes one permission out of the account's grant, and reports
// whether it had it.
func (l *Ledger) WithdrawPermission(account, name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.grants[account]
	if g == nil {
		return false
	}
	i := g.find(name)
	if i < 0 || g.permissions[i].Status != Granted {
		return false
	}
	g.permissions[i].Status = Declined
	return true
}
