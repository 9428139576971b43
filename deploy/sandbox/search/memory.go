package search

import (
	"fmt"
	"io"

	"backend.example/deploy/sandbox/internal/demo"
	"backend.example/deploy/sandbox/internal/standin"
	"backend.example/deploy/sandbox/search/ledger"
)

// The groups of the site's counters.
const (
	countConsents              = "consents"               // by shown, allowed, denied
	countAuthorizationRefusals = "authorization_refusals" // by code
	countIssued                = "issued"                 // by kind of secret
	countTokenRequests         = "token_requests"         // by grant_type
	countTokenRefusals         = "token_refusals"         // by error
	countRevocations           = "revocations"            // by done or error
	countAPIRequests           = "api_requests"           // by service
	countAPIRefusals           = "api_refusals"           // by reason or status
)

// state is what the control address shows: what is live, and how often each thing
// happened since the start.
type state struct {
	ledger.Summary
	Counts map[string]map[string]int `json:"counts"`
}

// memory shows and changes what the site remembers of its clients.
type memory struct{ *site }

func (m memory) State() any {
	counts := map[string]map[string]int{}
	for _, group := range []string{
		countConsents, countAuthorizationRefusals, countIssued, countTokenRequests, countTokenRefusals,
		countRevocations, countAPIRequests, countAPIRefusals,
	} {
		counts[group] = m.tally.Count(group)
	}
	return state{m.ledger.Summary(), counts}
}

func (m memory) Forget() {
	m.ledger.Forget()
	m.tally.Clear()
}

func (m memory) Actions() []standin.Action {
	return []standin.Action{
		{Name: "expire-access-tokens", Text: "wszystkie access tokeny wygasają teraz", Do: m.expire("access_tokens", m.ledger.ExpireAccess)},
		{Name: "expire-refresh-tokens", Text: "wszystkie refresh tokeny wygasają teraz", Do: m.expire("refresh_tokens", m.ledger.ExpireRefresh)},
		{Name: "revoke-grants", Text: `odbiera aplikacji dostęp do kont, do jednego z {"account": "anna"}`, Do: m.revokeGrants},
	}
}

// expire is an action without options; it answers how many ended, as what.
func (m memory) expire(what string, end func() int) func(io.Reader) (any, error) {
	return func(options io.Reader) (any, error) {
		if err := standin.ReadOptions(options, &struct{}{}); err != nil {
			return nil, err
		}
		return map[string]int{what: end()}, nil
	}
}

func (m memory) revokeGrants(options io.Reader) (any, error) {
	var wanted struct {
		Account string `json:"account"` // key of a person; empty: everybody
	}
	if err := standin.ReadOptions(options, &wanted); err != nil {
		return nil, err
	}
	if _, known := demo.FindPerson(wanted.Account); !known && wanted.Account != "" {
		return nil, fmt.Errorf("nobody has the account %q", wanted.Account)
	}
	return map[string]int{"grants": m.ledger.RevokeAccount(wanted.Account)}, nil
}
