package social

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"backend.example/deploy/sandbox/internal/standin"
	"backend.example/deploy/sandbox/social/ledger"
)

// memory is what the site remembers, for the control address.
type memory struct{ *site }

// state is what the control address shows.
type state struct {
	ledger.Summary
	Counts map[string]map[string]int `json:"counts"` // by group and name
}

// State tells what the app was allowed, what it has and what it did. No secret is
// in it.
func (m memory) State() any {
	counts := make(map[string]map[string]int)
	for _, group := range []string{"consents", "token_requests", "issued", "graph_calls", "refusals"} {
		counts[group] = m.counts.Count(group)
	}
	return state{m.ledger.Summary(), counts}
}

// Forget makes it as it was at the start.
func (m memory) Forget() {
	m.ledger.Forget()
	m.counts.Clear()
}

// Actions lists what can be done to it.
func (m memory) Actions() []standin.Action {
	return []standin.Action{
		{
			Name: "expire-tokens", Do: m.kill(ledger.Expired),
			Text: "kończy tokeny osób, jak po 60 dniach (190/463); tokeny stron bez terminu żyją dalej; {account}",
		},
		{
			Name: "revoke-grants", Do: m.kill(ledger.AppRemoved),
			Text: "osoba usuwa aplikację ze swojego konta (190/458); {account}",
		},
		{Name: "end-tokens", Do: m.endTokens, Text: "kończy wszystkie tokeny z podaną przyczyną, np. 460 po zmianie hasła; {account, subcode}"},
		{Name: "decline-permission", Do: m.declinePermission, Text: "osoba cofa jedno uprawnienie; {account, permission}"},
		{Name: "lose-role", Do: m.loseRole, Text: "osoba przestaje zarządzać stroną (190/492); {account, page}"},
	}
}

// changes are the options of every action; account is the key of a person.
type changes struct {
	Account    string       `json:"account"`
	Subcode    ledger.Cause `json:"subcode"`
	Permission string       `json:"permission"`
	Page       string       `json:"page"`
}

// ended is the answer of actions that end tokens.
type ended struct {
	Tokens int `json:"ended_tokens"`
}

// read reads the options and turns the account into an id. Options that are not
// among the needed ones must be absent; account alone may always be there.
func (m memory) read(options io.Reader, needed ...string) (changes, error) {
	var c changes
	if err := standin.ReadOptions(options, &c); err != nil {
		return changes{}, err
	}
	given := map[string]bool{"account": c.Account != "", "subcode": c.Subcode != 0, "permission": c.Permission != "", "page": c.Page != ""}
	var problems []error
	for _, name := range []string{"account", "subcode", "permission", "page"} {
		switch needs := slices.Contains(needed, name); {
		case needs && !given[name]:
			problems = append(problems, errors.New(name+" is needed"))
		case !needs && given[name] && name != "account":
			problems = append(problems, errors.New(name+" is not for this action"))
		}
	}
	if c.Account != "" {
		key := c.Account
		if c.Account = m.personID(key); c.Account == "" {
			problems = append(problems, fmt.Errorf("account %q is not one of: %s", key, strings.Join(m.keys(), ", ")))
		}
	}
	return c, errors.Join(problems...)
}

func (m memory) keys() []string {
	var keys []string
	for _, person := range m.network.People() {
		keys = append(keys, person.Key)
	}
	return keys
}

// kill returns the action that ends tokens, of everybody without an account.
func (m memory) kill(cause ledger.Cause) func(io.Reader) (any, error) {
	return func(options io.Reader) (any, error) {
		c, err := m.read(options)
		if err != nil {
			return nil, err
		}
		return ended{m.ledger.Kill(c.Account, cause)}, nil
	}
}

func (m memory) endTokens(options io.Reader) (any, error) {
	c, err := m.read(options, "subcode")
	if err != nil {
		return nil, err
	}
	if !slices.Contains(ledger.Causes(), c.Subcode) {
		return nil, fmt.Errorf("subcode %d is not one of: %d", c.Subcode, ledger.Causes())
	}
	return ended{m.ledger.Kill(c.Account, c.Subcode)}, nil
}

func (m memory) declinePermission(options io.Reader) (any, error) {
	c, err := m.read(options, "account", "permission")
	if err != nil {
		return nil, err
	}
	if !m.ledger.WithdrawPermission(c.Account, c.Permission) {
		return nil, fmt.Errorf("permission %q is not granted", c.Permission)
	}
	return m.State(), nil
}

func (m memory) loseRole(options io.Reader) (any, error) {
	c, err := m.read(options, "account", "page")
	if err != nil {
		return nil, err
	}
	if person, _ := m.network.Person(c.Account); !person.HasRole(c.Page) {
		return nil, fmt.Errorf("page %q is not one that the account manages", c.Page)
	}
	return ended{m.ledger.LoseRole(c.Account, c.Page)}, nil
}
