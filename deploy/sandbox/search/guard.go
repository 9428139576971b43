package search

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"backend.example/deploy/sandbox/internal/googleapi"
	"backend.example/deploy/sandbox/search/tokens"
)

// api is one of the provider's APIs.
type api struct {
	service  string   // host name, as errors tell it
	metric   string   // of its quota
	scopes   []string // any of them opens it
	business bool     // one of those that need an approval first
}

// The APIs, as values: nothing about them changes.
var (
	accountsAPI  = api{"mybusinessaccountmanagement.googleapis.com", "mybusinessaccountmanagement.googleapis.com/default_requests", []string{scopeBusiness}, true}
	locationsAPI = api{"mybusinessbusinessinformation.googleapis.com", "mybusinessbusinessinformation.googleapis.com/default_requests", []string{scopeBusiness}, true}
	consoleAPI   = api{"searchconsole.googleapis.com", "searchconsole.googleapis.com/default_requests", []string{scopeConsole, scopeConsoleRO}, false}
)

// approvedQuota is the limit per minute of an approved project, and quotaWait how
// long a project over it is told to wait.
const (
	approvedQuota = 300
	quotaWait     = 30
)

// endpoint answers a person's request: with a body to send, or an error that is a
// googleapi.Refusal.
type endpoint func(r *http.Request, person string) (any, error)

// guard lets requests through to an endpoint that carry a good token with the
// scope that the API needs.
func (s *site) guard(api api, next endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.counter.Add(countAPIRequests, api.service)
		person, err := s.admit(r, api)
		var body any
		if err == nil {
			body, err = next(r, person)
		}
		if err != nil {
			refusal := googleapi.Refused(err)
			s.counter.Add(countAPIRefusals, refusal.Name())
			refusal.Send(w)
			return
		}
		googleapi.SendJSON(w, http.StatusOK, body)
	}
}

// admit returns the person whose token the request carries.
func (s *site) admit(r *http.Request, api api) (string, error) {
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !found || token == "" {
		return "", unauthenticated(api, "CREDENTIALS_MISSING", "")
	}
	access, err := s.tokens.Check(token)
	switch {
	case errors.Is(err, tokens.ExpiredAccess), err == nil && s.toggles.On(toggleUnauthorized):
		return "", unauthenticated(api, "ACCESS_TOKEN_EXPIRED", "invalid_token")
	case err != nil:
		return "", unauthenticated(api, "ACCESS_TOKEN_TYPE_UNSUPPORTED", "invalid_token")
	case !s.opens(access, api):
		return "", googleapi.Refusal{
			HTTP: http.StatusForbidden, Status: "PERMISSION_DENIED", Reason: "ACCESS_TOKEN_SCOPE_INSUFFICIENT", Auth: "insufficient_scope",
			Message: "Request had insufficient authentication scopes.", Facts: map[string]string{"service": api.service},
		}
	}
	return access.Account, s.checkProject(api)
}

// opens reports whether a token has one of the API's scopes, and no toggle took it.
func (s *site) opens(access tokens.Access, api api) bool {
	missing := s.toggles.Strings(toggleMissingScopes)
	return slices.ContainsFunc(api.scopes, func(scope string) bool {
		return slices.Contains(access.Scopes, scope) && !slices.Contains(missing, scope)
	})
}

// checkProject refuses what the operator of the app has to mend.
func (s *site) checkProject(api api) error {
	switch {
	case !api.business:
		return nil
	case s.toggles.On(toggleServiceDisabled):
		return googleapi.Disabled(api.service)
	case s.toggles.On(toggleQuotaZero):
		return googleapi.Exhausted(api.service, api.metric, 0, 0)
	case s.toggles.On(toggleQuotaExceeded):
		return googleapi.Exhausted(api.service, api.metric, approvedQuota, quotaWait)
	}
	return nil
}

func unauthenticated(api api, reason, auth string) googleapi.Refusal {
	message := "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential."
	if reason == "CREDENTIALS_MISSING" {
		message = "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential."
	}
	return googleapi.Refusal{
		HTTP: http.StatusUnauthorized, Status: "UNAUTHENTICATED", Reason: reason, Auth: auth,
		Message: message, Facts: map[string]string{"service": api.service},
	}
}
