package google_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// googleError is an error response of a Google API. Its message quotes the key and the token, as real ones may.
func googleError(status int, state, reason, metadata string) fake.Reply {
	return failed(status, fmt.Sprintf(`{"error":{"code":%d,"message":"Consumer 'api_key:%s' with token %s","status":%q,
		"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":%q,"domain":"googleapis.com",
		"metadata":{%s}}]}}`, status, apiKey, someToken, state, reason, metadata))
}

func after(reply fake.Reply, retryAfter string) fake.Reply {
	reply.Header = http.Header{"Retry-After": {retryAfter}}
	return reply
}

// TestQuotas separates the quota that all users share from that of one user
// (https://developers.google.com/webmaster-tools/limits has both).
func TestQuotas(t *testing.T) {
	limited := func(metadata string) fake.Reply {
		return googleError(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", metadata)
	}
	older := func(reason string) fake.Reply { return failed(429, `{"error":{"errors":[{"reason":"`+reason+`"}]}}`) }
	for name, test := range map[string]struct {
		reply fake.Reply
		api   bool
		wait  time.Duration
	}{
		"of the project":         {limited(`"quota_limit":"DefaultRequestsPerMinutePerProject"`), true, time.Minute},
		"of the project by unit": {limited(`"quota_unit":"1/min/{project}"`), true, time.Minute},
		"of the project by day":  {limited(`"quota_unit":"1/d/{project}"`), true, 0},
		"of a user":              {limited(`"quota_limit":"QueriesPerMinutePerUserPerProject"`), false, time.Minute},
		"of a user by unit":      {limited(`"quota_unit":"1/min/{project}/{user}"`), false, time.Minute},
		"of a site":              {limited(`"quota_limit":"QueriesPerMinutePerSite"`), false, time.Minute},
		"of nothing":             {limited(``), true, 0},
		"with a wait": {after(limited(`"quota_limit":"DefaultRequestsPerMinutePerProject"`), "5"), true,
			5 * time.Second},
		"older, of all":    {older("rateLimitExceeded"), true, 0},
		"older, of a user": {older("userRateLimitExceeded"), false, 0},
		"without a body":   {failed(429, ""), true, 0},
	} {
		s := newSite(t)
		s.SetReply("GET /v1/accounts", test.reply)
		_, err := s.Locations(t.Context(), someToken)
		f := wantFault(t, err, provider.CodeThrottled)
		if provider.IsAPILimit(err) != test.api || provider.IsAppLimit(err) {
			t.Errorf("%s: %v", name, err)
		}
		if f.RetryAfter != test.wait {
			t.Errorf("%s: wait %s, want %s", name, f.RetryAfter, test.wait)
		}
	}
}

// The rows are those of the error table of Google APIs (https://cloud.google.com/apis/design/errors), and what is no
// error of an API.
func TestErrors(t *testing.T) {
	const denied, exhausted = "PERMISSION_DENIED", "RESOURCE_EXHAUSTED"
	const retryInfo = `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED",` +
		`"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2.5s"}]}}`
	const inHalfAMinute = "Sat, 21 Nov 2026 10:30:30 GMT"
	older := func(reason string) fake.Reply {
		return failed(403, `{"error":{"code":403,"errors":[{"reason":"`+reason+`"}]}}`)
	}
	for name, test := range map[string]struct {
		reply fake.Reply
		want  fault.Code // of a call with a user's token
		wait  time.Duration
	}{
		"expired token": {googleError(401, "UNAUTHENTICATED", "ACCESS_TOKEN_EXPIRED", ""),
			provider.CodeReconnect, 0},
		"401 of another form": {failed(401, `{"error":"`+someToken+`"}`), provider.CodeReconnect, 0},
		"scope": {googleError(403, denied, "ACCESS_TOKEN_SCOPE_INSUFFICIENT", ""),
			provider.CodePermission, 0},
		"no right":           {googleError(403, denied, "", ""), provider.CodePermission, 0},
		"API is off":         {googleError(403, denied, "SERVICE_DISABLED", ""), provider.CodeOperator, 0},
		"key is blocked":     {googleError(403, denied, "API_KEY_SERVICE_BLOCKED", ""), provider.CodeOperator, 0},
		"key is invalid":     {googleError(400, "INVALID_ARGUMENT", "API_KEY_INVALID", ""), provider.CodeOperator, 0},
		"403 rate":           {googleError(403, denied, "RATE_LIMIT_EXCEEDED", ""), provider.CodeThrottled, 0},
		"403 quota":          {googleError(403, denied, "RESOURCE_QUOTA_EXCEEDED", ""), provider.CodeThrottled, 0},
		"older, API is off":  {older("accessNotConfigured"), provider.CodeOperator, 0},
		"older, rate":        {older("userRateLimitExceeded"), provider.CodeThrottled, 0},
		"older, rate of all": {older("rateLimitExceeded"), provider.CodeThrottled, 0},
		"older, quota":       {older("quotaExceeded"), provider.CodeThrottled, 0},
		"older, day":         {older("dailyLimitExceeded"), provider.CodeThrottled, 0},
		"older, scope":       {older("insufficientPermissions"), provider.CodePermission, 0},
		"older, no right":    {older("forbidden"), provider.CodePermission, 0},
		"access not approved": {googleError(429, exhausted, "RATE_LIMIT_EXCEEDED", `"quota_limit_value":"0"`),
			provider.CodeOperator, 0},
		"wait in seconds":   {after(failed(429, ""), "3"), provider.CodeThrottled, 3 * time.Second},
		"wait until a time": {after(failed(429, retryInfo), inHalfAMinute), provider.CodeThrottled, 30 * time.Second},
		"wait in the body":  {failed(429, retryInfo), provider.CodeThrottled, 2500 * time.Millisecond},
		"wait in the past": {failed(429, strings.Replace(retryInfo, "2.5s", "-2.5s", 1)),
			provider.CodeThrottled, 0},
		"500":       {googleError(500, "INTERNAL", "", ""), provider.CodeTemporary, 0},
		"503 page":  {failed(503, "<html>"+someToken), provider.CodeTemporary, 0},
		"408":       {failed(408, ""), provider.CodeTemporary, 0},
		"403 page":  {failed(403, "<html>"+apiKey), provider.CodeChanged, 0},
		"404 page":  {failed(404, "<html>"), provider.CodeChanged, 0},
		"409":       {googleError(409, "ABORTED", apiKey, ""), provider.CodeChanged, 0},
		"empty":     {ok(""), provider.CodeChanged, 0},
		"cut":       {ok(`{"accounts":[`), provider.CodeChanged, 0},
		"200 page":  {ok("<html>" + apiKey + someToken), provider.CodeChanged, 0},
		"JSON list": {ok(`["` + apiKey + `"]`), provider.CodeChanged, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t)
				s.SetReply("GET /v1/accounts", test.reply)
				_, err := s.Locations(t.Context(), someToken)
				if f := wantFault(t, err, test.want); f.RetryAfter != test.wait {
					t.Errorf("RetryAfter = %v, want %v", f.RetryAfter, test.wait)
				}
				public, client := newPlaces(t, apiKey)
				public.SetReply("GET /v1/places/ChIJ1", test.reply)
				_, err = client.FindPlace(t.Context(), google.PlaceQuery{PlaceID: "ChIJ1"})
				if test.want == provider.CodeReconnect || test.want == provider.CodePermission {
					test.want = provider.CodeOperator // the key is the operator's
				}
				wantFault(t, err, test.want)
			})
		})
	}
}

// TestErrorsInTheLog checks that the log has the codes of a response, and nothing that does not have the form of a
// code.
func TestErrorsInTheLog(t *testing.T) {
	for want, reply := range map[string]fake.Reply{
		"/v1/accounts: 403 PERMISSION_DENIED SERVICE_DISABLED": googleError(403, "PERMISSION_DENIED",
			"SERVICE_DISABLED", ""),
		"/v1/accounts: 403  forbidden":                failed(403, `{"error":{"errors":[{"reason":"forbidden"}]}}`),
		"/v1/accounts: 409  ":                         failed(409, "<html>"),
		"/v1/accounts: 409 ABORTED (unreadable code)": googleError(409, "ABORTED", "x y", ""),
	} {
		s := newSite(t)
		s.SetReply("GET /v1/accounts", reply)
		if _, err := s.Locations(t.Context(), someToken); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %q at the end", err, want)
		}
	}
}
