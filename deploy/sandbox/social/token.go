package social

import (
	"errors"
	"slices"
	"time"

	"backend.example/deploy/sandbox/social/ledger"
	"backend.example/deploy/sandbox/social/network"
)

// pageToken gives the caller the token of a page; it is absent when the caller's
// own has been forgotten meanwhile.
func (s *site) pageToken(c *call, page network.Page) any {
	value, made := s.ledger.PageToken(c.value, page.ID)
	if made {
		s.counts.Add("issued", "page_token")
	}
	return optional(value)
}

// tokenFacts is what the app learns about a token
// (https://developers.facebook.com/docs/graph-api/reference/debug_token). Times
// are Unix seconds, zero for never.
type tokenFacts struct {
	AppID       string      `json:"app_id,omitempty"`
	Type        ledger.Kind `json:"type,omitempty"`
	Application string      `json:"application,omitempty"`
	DataEnds    int64       `json:"data_access_expires_at"`
	Error       *tokenDeath `json:"error,omitempty"`
	Ends        int64       `json:"expires_at"`
	Valid       bool        `json:"is_valid"`
	Issued      int64       `json:"issued_at,omitempty"`
	ProfileID   string      `json:"profile_id,omitempty"`
	Scopes      []string    `json:"scopes"`
	Granular    []granular  `json:"granular_scopes,omitempty"`
	UserID      string      `json:"user_id,omitempty"`
}

type tokenDeath struct {
	Code    int          `json:"code"`
	Message string       `json:"message"`
	Subcode ledger.Cause `json:"subcode,omitempty"`
}

// granular is a permission with what it is limited to; without targets it covers
// everything.
type granular struct {
	Scope   string   `json:"scope"`
	Targets []string `json:"target_ids,omitempty"`
}

// debugToken answers {"data": …} about the token in input_token, in the app's own
// name or that of the token itself.
func (s *site) debugToken(c *call) (any, *refusal) {
	input := c.form.Get("input_token")
	switch {
	case input == "":
		return nil, badParameter("The parameter input_token is required")
	case c.token.Kind != ledger.App && input != c.value:
		return nil, badParameter("You must provide an app access token, or a user access token that is an owner or developer of the app")
	}
	token, err := s.check(input)
	facts := tokenFacts{Scopes: []string{}, Valid: err == nil}
	if cause := ledger.Unknown; errors.As(err, &cause) {
		facts.Error = &tokenDeath{Code: 190, Message: cause.Error(), Subcode: cause}
	}
	if token.Kind != "" {
		s.describe(&facts, token)
	}
	return map[string]tokenFacts{"data": facts}, nil
}

func (s *site) describe(facts *tokenFacts, t ledger.Token) {
	facts.AppID, facts.Application, facts.Type = s.client.ID, s.client.Name, t.Kind
	facts.UserID, facts.ProfileID = t.Account, t.Page
	facts.Issued, facts.Ends, facts.DataEnds = seconds(t.Issued), seconds(t.Ends), seconds(t.DataEnds)
	if t.Account == "" {
		return
	}
	facts.Scopes = t.Scopes
	for _, scope := range t.Scopes {
		if slices.Contains(perPage(), scope) {
			facts.Granular = append(facts.Granular, granular{scope, s.ledger.Chosen(t.Account)})
		}
	}
}

func seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
