package search

import (
	"fmt"
	"io"

	"backend.example/deploy/sandbox/internal/fixtures"
	"backend.example/deploy/sandbox/search/tokens"
	"backend.example/deploy/sandbox/upstream"
)

// The groups of the site's counters.
const (
	countConsents      = "consents"       // by shown, allowed, denied
	countTokenRequests = "token_requests" // by grant_type
	countTokenRefusals = "token_refusals" // by error
	countAPIRequests   = "api_requests"   // by service
	countAPIRefusals   = "api_refusals"   // by reason or status
)

// state is what the control address shows: what is live, and how often each thing
// happened since the start.
type state struct {
	tokens.Summary
	Counts map[string]map[string]int `json:"counts"`
}

func (s *site) state() any { return state{s.tokens.Summary(), s.counter.Counts()} }

func (s *site) reset() {
	s.tokens.Reset()
	s.counter.Clear()
}

func (s *site) actions() []upstream.Action {
	return []upstream.Action{
		{Name: "expire-access-tokens", Text: "wszystkie access tokeny wygasają teraz", Do: s.expireAccessTokens},
		{Name: "revoke-grants", Text: `odbiera aplikacji dostęp do kont, do jednego z {"account": "anna"}`, Do: s.revokeGrants},
	}
}

func (s *site) expireAccessTokens(options io.Reader) (any, error) {
	if err := upstream.ReadOptions(options, &struct{}{}); err != nil {
		return nil, err
	}
	return map[string]int{"access_tokens": s.tokens.ExpireAccess()}, nil
}

func (s *site) revokeGrants(options io.Reader) (any, error) {
	var wanted struct {
		Account string `json:"account"` // key of a person; empty: everybody
	}
	if err := upstream.ReadOptions(options, &wanted); err != nil {
		return nil, err
	}
	if _, known := fixtures.FindPerson(wanted.Account); !known && wanted.Account != "" {
		return nil, fmt.Errorf("nobody has the account %q", wanted.Account)
	}
	return map[string]int{"grants": s.tokens.RevokeAccount(wanted.Account)}, nil
}
