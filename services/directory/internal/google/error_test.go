package google_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/provider/providertest"
)

// googleError is an error answer of a Google API. Its message quotes the key and the
// token, as real ones may.
func googleError(status int, state, reason, quota string) reply {
	return reply{Status: status,
		Body: fmt.Sprintf(`{"error":{"code":%d,"message":"Consumer 'api_key:%s' with token %s","status":%q,
		"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":%q,"domain":"googleapis.com",
		"metadata":{"service":"x.googleapis.com","quota_limit_value":%q}}]}}`, status, apiKey, someToken, state, reason,
			quota)}
}

// TestGoogleQuotas separates the quota that all users share from that of one user
// (https://developers.google.com/webmaster-tools/limits has both).
func TestGoogleQuotas(t *testing.T) {
	for name, test := range map[string]struct {
		metadata string
		api      bool
		wait     time.Duration
		header   string // Retry-After
	}{
		"of the project": {`"quota_limit":"DefaultRequestsPerMinutePerProject","quota_limit_value":"300"`,
			true, time.Minute, ""},
		"of the project, by unit": {
			`"quota_limit":"defaultPerMinute","quota_unit":"1/min/{project}","quota_limit_value":"300"`, true,
			time.Minute, "",
		},
		"of the project, by day": {
			`"quota_limit":"DefaultRequestsPerDayPerProject","quota_unit":"1/d/{project}","quota_limit_value":"9"`,
			true, 0, "",
		},
		"of a user": {`"quota_limit":"QueriesPerMinutePerUserPerProject","quota_limit_value":"1200"`, false,
			time.Minute, ""},
		"of a user, by unit": {`"quota_unit":"1/min/{project}/{user}","quota_limit_value":"1200"`, false, time.Minute,
			""},
		"absent":      {``, true, 0, ""},
		"of a site":   {`"quota_limit":"QueriesPerMinutePerSite"`, false, time.Minute, ""},
		"with a wait": {`"quota_limit":"DefaultRequestsPerMinutePerProject"`, true, 5 * time.Second, "5"},
	} {
		body := `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[
			{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","metadata":{` +
			test.metadata + `}}]}}`
		s := newServer(t, nil)
		s.Replies["GET /v1/accounts"] = reply{
			Status: 429, Body: body, Header: http.Header{"Retry-After": {test.header}},
		}
		_, err := newSearch(s).Locations(t.Context(), someToken)
		f := wantFault(t, err, providertest.Throttled)
		if provider.IsAPILimit(err) != test.api || provider.IsAppLimit(err) || f.RetryAfter != test.wait {
			t.Errorf("%s: %v, wait %s", name, err, f.RetryAfter)
		}
	}
}

// TestGoogleQuotasWithoutDetails checks that an answer limits one user only if it says so.
func TestGoogleQuotasWithoutDetails(t *testing.T) {
	for body, api := range map[string]bool{
		``: true, `{"error":{"errors":[{"reason":"rateLimitExceeded"}]}}`: true,
		`{"error":{"errors":[{"reason":"userRateLimitExceeded"}]}}`: false,
	} {
		s := newServer(t, nil)
		s.Replies["GET /v1/accounts"] = failed(429, body)
		_, err := newSearch(s).Locations(t.Context(), someToken)
		wantFault(t, err, providertest.Throttled)
		if provider.IsAPILimit(err) != api {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// The rows are those of the error table of Google APIs
// (https://cloud.google.com/apis/design/errors), and what is no error of an API.
func TestGoogleErrors(t *testing.T) {
	seconds := http.Header{"Retry-After": {"3"}}
	unavailable := googleError(503, "UNAVAILABLE", "", "")
	unavailable.Header = seconds
	limited := googleError(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", "300")
	limited.Header = seconds
	until := http.Header{"Retry-After": {"Sat, 21 Nov 2026 10:30:30 GMT"}}
	const retryInfo = `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED",` +
		`"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2.5s"}]}}`
	older := func(reason string) reply {
		return failed(403, `{"error":{"code":403,"errors":[{"reason":"`+reason+`"}]}}`)
	}
	tests := []struct {
		name       string
		reply      reply
		user       string // code for a call with a user's token
		key        string // code for a call with the service's key; empty: the same
		retryAfter time.Duration
	}{
		{
			name: "expired token", reply: googleError(401, "UNAUTHENTICATED", "ACCESS_TOKEN_EXPIRED", ""),
			user: providertest.Reconnect, key: providertest.Operator,
		},
		{name: "401 of another form", reply: failed(401, `{"error":"`+someToken+`"}`), user: providertest.Reconnect,
			key: providertest.Operator},
		{
			name: "scope", reply: googleError(403, "PERMISSION_DENIED", "ACCESS_TOKEN_SCOPE_INSUFFICIENT", ""),
			user: providertest.Permission, key: providertest.Operator,
		},
		{name: "no right", reply: googleError(403, "PERMISSION_DENIED", "", ""), user: providertest.Permission,
			key: providertest.Operator},
		{name: "API is off", reply: googleError(403, "PERMISSION_DENIED", "SERVICE_DISABLED", ""),
			user: providertest.Operator},
		{
			name: "API is off, older form",
			reply: failed(
				403, `{"error":{"code":403,"errors":[{"domain":"usageLimits","reason":"accessNotConfigured"}]}}`,
			), user: providertest.Operator,
		},
		{name: "billing is off", reply: googleError(403, "PERMISSION_DENIED", "BILLING_DISABLED", ""),
			user: providertest.Operator},
		{name: "key is blocked", reply: googleError(403, "PERMISSION_DENIED", "API_KEY_SERVICE_BLOCKED", ""),
			user: providertest.Operator},
		{name: "403 rate", reply: googleError(403, "PERMISSION_DENIED", "RATE_LIMIT_EXCEEDED", "60"),
			user: providertest.Throttled},
		{name: "403 quota", reply: googleError(403, "PERMISSION_DENIED", "RESOURCE_QUOTA_EXCEEDED", "60"),
			user: providertest.Throttled},
		{
			name: "403 rate, older form",
			reply: failed(
				403, `{"error":{"code":403,"errors":[{"domain":"usageLimits","reason":"userRateLimitExceeded"}]}}`,
			), user: providertest.Throttled, key: providertest.Throttled,
		},
		{name: "403 scope, older form", reply: older("insufficientPermissions"), user: providertest.Permission,
			key: providertest.Operator},
		{name: "403 rate of all, older form", reply: older("rateLimitExceeded"), user: providertest.Throttled},
		{name: "403 quota, older form", reply: older("quotaExceeded"), user: providertest.Throttled},
		{name: "403 day, older form", reply: older("dailyLimitExceeded"), user: providertest.Throttled},
		{
			name:  "403, older form",
			reply: failed(403, `{"error":{"code":403,"errors":[{"domain":"global","reason":"forbidden"}]}}`),
			user:  providertest.Permission, key: providertest.Operator,
		},
		{name: "403 page", reply: failed(403, "<html>"+apiKey), user: providertest.Changed},
		{name: "key is invalid", reply: googleError(400, "INVALID_ARGUMENT", "API_KEY_INVALID", ""),
			user: providertest.Operator},
		{name: "access is not approved", reply: googleError(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", "0"),
			user: providertest.Operator},
		{name: "rate", reply: googleError(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", "300"),
			user: providertest.Throttled},
		{name: "rate with seconds", reply: limited, user: providertest.Throttled, retryAfter: 3 * time.Second},
		{name: "rate with a date", reply: reply{Status: 429, Header: until}, user: providertest.Throttled,
			retryAfter: 30 * time.Second},
		{name: "rate with RetryInfo", reply: failed(429, retryInfo), user: providertest.Throttled,
			retryAfter: 2500 * time.Millisecond},
		{name: "rate with RetryInfo in the past", reply: failed(429, strings.Replace(retryInfo, "2.5s", "-2.5s", 1)),
			user: providertest.Throttled},
		{
			name: "header before RetryInfo", reply: reply{Status: 429, Body: retryInfo, Header: until},
			user: providertest.Throttled, retryAfter: 30 * time.Second,
		},
		{name: "500", reply: googleError(500, "INTERNAL", "", ""), user: providertest.Temporary},
		{name: "503 page", reply: failed(503, "<html>"+someToken), user: providertest.Temporary},
		{name: "503 with seconds", reply: unavailable, user: providertest.Temporary, retryAfter: 3 * time.Second},
		{name: "408", reply: reply{Status: 408}, user: providertest.Temporary},
		{name: "404 page", reply: failed(404, "<html>"), user: providertest.Changed},
		{name: "unknown 4xx", reply: googleError(409, "ABORTED", apiKey, ""), user: providertest.Changed},
		{name: "empty", reply: reply{}, user: providertest.Changed},
		{name: "cut JSON", reply: ok(`{"accounts":[`), user: providertest.Changed},
		{name: "page with 200", reply: ok("<html>" + apiKey + someToken), user: providertest.Changed},
		{name: "JSON of another form", reply: ok(`["` + apiKey + `"]`), user: providertest.Changed},
	}
	for _, test := range tests {
		if test.key == "" {
			test.key = test.user
		}
		runQuickly(t, test.name, func(t *testing.T) {
			s := newServer(t, nil)
			for _, path := range []string{"GET /v1/accounts", "GET /v1/locations/1", "GET /webmasters/v3/sites",
				"GET /v1/places/ChIJ1", "POST /v1/places:searchText"} {
				s.Replies[path] = test.reply
			}
			check := func(err error, code string) {
				t.Helper()
				if f := wantFault(t, err, code); f.RetryAfter != test.retryAfter {
					t.Errorf("RetryAfter = %v, want %v", f.RetryAfter, test.retryAfter)
				}
				if len(s.Calls) != tries(code) {
					t.Errorf("%d calls, want %d", len(s.Calls), tries(code))
				}
				s.Calls = nil
			}
			_, err := newSearch(s).Locations(t.Context(), someToken)
			check(err, test.user)
			_, err = newSearch(s).ReadLocation(t.Context(), someToken, "locations/1")
			check(err, test.user)
			_, _, err = newSearch(s).
				Account(t.Context(), provider.SearchProfile,
					provider.Token{AccessToken: someToken, Scopes: []string{scopeProfile}})
			check(err, test.user)
			_, err = newSearch(s).Sites(t.Context(), someToken)
			check(err, test.user)
			_, err = newPlaces(s).FindPlace(t.Context(), google.PlaceQuery{PlaceID: "ChIJ1"})
			check(err, test.key)
			_, err = newPlaces(s).FindPlace(t.Context(), google.PlaceQuery{Name: "Warsztat", Address: "Długa 12"})
			check(err, test.key)
		})
	}
}

// TestGoogleErrorsInTheLog checks that the log has the codes of an answer, and nothing that
// does not have the form of a code.
func TestGoogleErrorsInTheLog(t *testing.T) {
	for name, test := range map[string]struct {
		reply reply
		token bool // at the token endpoint
		want  string
	}{
		"codes": {googleError(403, "PERMISSION_DENIED", "SERVICE_DISABLED", ""), false,
			"mybusinessaccountmanagement.googleapis.com/v1/accounts: 403 PERMISSION_DENIED SERVICE_DISABLED"},
		"older form": {failed(403, `{"error":{"errors":[{"reason":"forbidden"}]}}`), false,
			"/v1/accounts: 403  forbidden"},
		"none": {failed(409, "<html>"), false, "/v1/accounts: 409  "},
		"no form of a code": {googleError(409, "ABORTED", "x y", ""), false,
			"/v1/accounts: 409 ABORTED (unreadable code)"},
		"token": {failed(400, `{"error":"invalid_grant","error_subtype":"invalid_rapt"}`), true,
			"token endpoint of provider_search: 400 invalid_grant invalid_rapt"},
	} {
		s := newServer(t, nil)
		s.Replies["GET /v1/accounts"], s.Replies["POST /token"] = test.reply, test.reply
		_, err := newSearch(s).Locations(t.Context(), someToken)
		if test.token {
			_, err = newSearch(s).Refresh(t.Context(), provider.Token{RefreshToken: someToken})
		}
		if err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%s: %q, want %q at the end", name, err, test.want)
		}
	}
}
