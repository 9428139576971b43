package social

import (
	"fmt"
	"io"
	"slices"

	"backend.example/deploy/sandbox/social/tokens"
	"backend.example/deploy/sandbox/upstream"
)

// The toggles of the site.
const (
	toggleMissing       = "missing_permissions"
	toggleNoExpiry      = "omit_expires_in"
	toggleDeadMetrics   = "dead_metrics"
	toggleEmptyInsights = "empty_insights"
	toggleEmptyLists    = "empty_lists"
	toggleUsage         = "usage_percent"
)

func newToggles() *upstream.Toggles {
	return upstream.NewToggles(
		upstream.Toggle{Name: toggleMissing, Off: []string{}, Text: "uprawnienia, które liczą się jako odmówione, także w wydanych już tokenach"},
		upstream.Toggle{Name: toggleNoExpiry, Off: false, Text: "odpowiedź z tokenem nie podaje expires_in"},
		upstream.Toggle{Name: toggleDeadMetrics, Off: []string{}, Text: "metryki, których API już nie zna: błąd 100 dla całego pytania"},
		upstream.Toggle{Name: toggleEmptyInsights, Off: false, Text: "statystyki: 200 i pusta lista"},
		upstream.Toggle{Name: toggleEmptyLists, Off: false, Text: "listy stron i publikacji: 200 i pusta lista"},
		upstream.Toggle{Name: toggleUsage, Off: 0, Text: "zużycie limitów w nagłówkach, w procentach (0: 28)"},
	)
}

// The groups of the site's counters.
const (
	countConsents      = "consents"       // by shown, allowed, denied
	countTokenRequests = "token_requests" // by grant type, refused ones too
	countCalls         = "graph_calls"    // by whose token it was
	countRefusals      = "refusals"       // by code and subcode
)

// state is what the control address shows.
type state struct {
	tokens.Summary
	Counts map[string]map[string]int `json:"counts"` // by group and name
}

func (s *site) state() any { return state{s.tokens.Summary(), s.counter.Counts()} }

func (s *site) reset() {
	s.tokens.Reset()
	s.counter.Clear()
}

func (s *site) actions() []upstream.Action {
	return []upstream.Action{
		{
			Name: "expire-tokens", Do: s.endTokens(tokens.Expired),
			Text: `kończy tokeny osób, jak po 60 dniach (190/463), jednej z {"account": "anna"}; tokeny stron bez terminu żyją dalej`,
		},
		{
			Name: "revoke-grants", Do: s.endTokens(tokens.AppRemoved),
			Text: `osoba usuwa aplikację ze swojego konta (190/458), jedna z {"account": "anna"}`,
		},
	}
}

// endTokens returns the action that ends tokens, of everybody without an account.
func (s *site) endTokens(cause tokens.Cause) func(io.Reader) (any, error) {
	return func(options io.Reader) (any, error) {
		var wanted struct {
			Account string `json:"account"` // key of a person
		}
		if err := upstream.ReadOptions(options, &wanted); err != nil {
			return nil, err
		}
		id := s.personID(wanted.Account)
		if wanted.Account != "" && id == "" {
			return nil, fmt.Errorf("nobody has the account %q", wanted.Account)
		}
		return map[string]int{"ended_tokens": s.tokens.End(id, cause)}, nil
	}
}

// personID is the id of the person with a key; empty when there is none.
func (s *site) personID(key string) string {
	if i := slices.IndexFunc(s.people, func(p person) bool { return p.Key == key }); i >= 0 {
		return s.people[i].id
	}
	return ""
}
