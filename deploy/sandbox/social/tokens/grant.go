package tokens

import "slices"

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
}

// enter adds a login to the account's grant. What was declined before stays so unless
// it may be asked for again. The caller holds the lock.
func (s *Store) enter(login Login) {
	g := s.grants[login.Account]
	if g == nil {
		g = &grant{}
		s.grants[login.Account] = g
	}
	for _, name := range login.Asked {
		status := Declined
		if slices.Contains(login.Allowed, name) {
			status = Granted
		}
		i := slices.IndexFunc(g.permissions, func(p Permission) bool { return p.Name == name })
		switch {
		case i < 0:
			g.permissions = append(g.permissions, Permission{name, status})
		case login.Again || g.permissions[i].Status == Granted:
			g.permissions[i].Status = status
		}
	}
}

// Permissions lists what an account was asked for; nil when it has no grant.
func (s *Store) Permissions(account string) []Permission {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.permissions(account)
}

func (s *Store) permissions(account string) []Permission {
	g := s.grants[account]
	if g == nil {
		return nil
	}
	permissions := slices.Clone(g.permissions)
	for i, p := range permissions {
		if slices.Contains(s.missing(), p.Name) {
			permissions[i].Status = Declined
		}
	}
	return permissions
}
