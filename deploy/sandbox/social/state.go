package social

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

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
		{Name: "deauthorize", Do: s.tell("deauthorize"), Text: `jak revoke-grants, i aplikacja dostaje signed_request; {"account": "anna"}`},
		{Name: "data-deletion", Do: s.tell("data-deletion"), Text: `jak deauthorize, z żądaniem usunięcia danych osoby`},
	}
}

// endTokens returns the action that ends tokens, of everybody without an account.
func (s *site) endTokens(cause tokens.Cause) func(io.Reader) (any, error) {
	return func(options io.Reader) (any, error) {
		id, err := s.readAccount(options)
		if err != nil {
			return nil, err
		}
		return map[string]int{"ended_tokens": s.tokens.End(id, cause)}, nil
	}
}

// tell returns the action in which somebody removes the app and the app's callback
// with that name hears of it, with a signed request
// (https://developers.facebook.com/docs/development/create-an-app/app-dashboard/data-deletion-callback).
func (s *site) tell(callback string) func(io.Reader) (any, error) {
	return func(options io.Reader) (any, error) {
		id, err := s.readAccount(options)
		if err != nil {
			return nil, err
		}
		s.tokens.End(id, tokens.AppRemoved)
		address := strings.Replace(s.client.RedirectURI, "callback/provider_social", "provider_social/"+callback, 1)
		res, err := http.PostForm(address, url.Values{"signed_request": {s.sign(id)}}) // #nosec G107 -- the app's own address
		if err != nil {
			return nil, err
		}
		defer func() { _ = res.Body.Close() }()
		answer, err := io.ReadAll(io.LimitReader(res.Body, maxForm))
		return map[string]any{"status": res.StatusCode, "answer": string(answer)}, err
	}
}

func (s *site) sign(id string) string {
	payload := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"algorithm":"HMAC-SHA256","issued_at":%d,"user_id":%q}`, s.now().Unix(), id))
	mac := hmac.New(sha256.New, []byte(s.client.Secret))
	mac.Write([]byte(payload))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)) + "." + payload
}

// readAccount reads whom an action is about; empty: nobody was named.
func (s *site) readAccount(options io.Reader) (id string, err error) {
	var wanted struct {
		Account string `json:"account"` // key of a person
	}
	if err := upstream.ReadOptions(options, &wanted); err != nil {
		return "", err
	}
	if id = s.personID(wanted.Account); wanted.Account != "" && id == "" {
		return "", fmt.Errorf("nobody has the account %q", wanted.Account)
	}
	return id, nil
}

// personID is the id of the person with a key; empty when there is none.
func (s *site) personID(key string) string {
	if i := slices.IndexFunc(s.people, func(p person) bool { return p.Key == key }); i >= 0 {
		return s.people[i].id
	}
	return ""
}
