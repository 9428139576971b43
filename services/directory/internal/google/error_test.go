package google_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
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

// Some quotas are of all users, some of one (https://developers.google.com/webmaster-tools/limits).
func TestQuotas(t *testing.T) {
	limited := func(metadata string) fake.Reply {
		return googleError(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", metadata)
	}
	older := func(reason string) fake.Reply { return failed(429, `{"error":{"errors":[{"reason":"`+reason+`"}]}}`) }
	for name, test := range map[string]struct {
		reply     fake.Reply
		ofProject bool // the quota is that of all users
		wait      time.Duration
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
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.SetReply("GET /v1/accounts", test.reply)
			_, err := s.Locations(t.Context(), someToken)
			f := wantFault(t, err, provider.CodeThrottled)
			testkit.Equal(t, "is a limit of the project at this API", provider.IsAPILimit(err), test.ofProject)
			testkit.Equal(t, "is a limit of our app at all APIs", provider.IsAppLimit(err), false)
			testkit.Equal(t, "wait", f.RetryAfter, test.wait)
		})
	}
}

// The rows are those of https://cloud.google.com/apis/design/errors, and what is no error of an API.
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
				testkit.Equal(t, "wait", wantFault(t, err, test.want).RetryAfter, test.wait)
				public, client := newPlaces(t, apiKey)
				public.SetReply("GET /v1/places/ChIJ1", test.reply)
				_, err = client.FindPlace(t.Context(), google.PlaceQuery{PlaceID: "ChIJ1"})
				wantWithKey := test.want
				if test.want == provider.CodeReconnect || test.want == provider.CodePermission {
					wantWithKey = provider.CodeOperator // the key is the operator's
				}
				wantFault(t, err, wantWithKey)
			})
		})
	}
}

// The log has codes, and nothing that does not have the form of a code.
func TestErrorsInTheLog(t *testing.T) {
	for end, reply := range map[string]fake.Reply{
		"/v1/accounts: 403 PERMISSION_DENIED SERVICE_DISABLED": googleError(403, "PERMISSION_DENIED",
			"SERVICE_DISABLED", ""),
		"/v1/accounts: 403  forbidden":                failed(403, `{"error":{"errors":[{"reason":"forbidden"}]}}`),
		"/v1/accounts: 409  ":                         failed(409, "<html>"),
		"/v1/accounts: 409 ABORTED (unreadable code)": googleError(409, "ABORTED", "x y", ""),
	} {
		s := newSite(t)
		s.SetReply("GET /v1/accounts", reply)
		_, err := s.Locations(t.Context(), someToken)
		if err == nil || !strings.HasSuffix(err.Error(), end) {
			t.Errorf("err = %v, want one that ends with %q", err, end)
		}
	}
}

// code returns the code of a consent page on which Anna allowed everything.
func (s site) code() string {
	return s.Provider.Code("anna", oauth2.S256ChallengeFromVerifier(verifier), "openid", scopeProfile)
}

func (s site) exchange(t *testing.T, code, verifier, redirectURL string) (provider.Token, error) {
	return s.Exchange(t.Context(), []provider.Service{provider.SearchProfile}, code, verifier, redirectURL)
}

func TestToken(t *testing.T) {
	s := newSite(t)
	token, err := s.exchange(t, s.code(), verifier, redirectURL)
	wantFault(t, err, none)
	if token.RefreshToken == "" {
		t.Error("no refresh token")
	}
	if token.ProviderUserID == "" {
		t.Error("the token does not name its person")
	}
	renewed, err := s.Refresh(t.Context(), provider.Token{RefreshToken: token.RefreshToken})
	wantFault(t, err, none)
	if renewed.AccessToken == token.AccessToken {
		t.Error("the renewal returned the same access token")
	}
	testkit.Equal(t, "refresh token after the renewal", renewed.RefreshToken, token.RefreshToken)
	for name, token := range map[string]provider.Token{"first": token, "renewed": renewed} {
		testkit.Equal(t, name+" token: end", token.ExpiresAt, new(now.Add(3599*time.Second)))
		testkit.Equal(t, name+" token: scopes", token.Scopes, []string{"openid", scopeProfile})
		locations, err := s.Locations(t.Context(), token.AccessToken)
		if err != nil || len(locations.Items) == 0 {
			t.Errorf("the %s token reads %d locations, err = %v", name, len(locations.Items), err)
		}
	}
	s.SetToggle("rotate_refresh_tokens", true)
	rotated, err := s.Refresh(t.Context(), provider.Token{RefreshToken: token.RefreshToken})
	wantFault(t, err, none)
	if rotated.RefreshToken == token.RefreshToken || rotated.RefreshToken == "" {
		t.Errorf("refresh token = %q, want the new one", rotated.RefreshToken)
	}
}

func TestTokenRefused(t *testing.T) {
	refused := func(name string, err error, want fault.Code) {
		t.Helper()
		t.Run(name, func(t *testing.T) { wantFault(t, err, want) })
	}
	s := newSite(t)
	_, err := s.exchange(t, "4/other", verifier, redirectURL)
	refused("unknown code", err, provider.CodeReconnect)
	_, err = s.exchange(t, s.code(), "another-verifier-of-forty-three-characters-", redirectURL)
	refused("another verifier", err, provider.CodeReconnect)
	_, err = s.exchange(t, s.code(), verifier, redirectURL+"/")
	refused("another redirect address", err, provider.CodeOperator)
	s.SetToggle("withhold_refresh_tokens", true)
	_, err = s.exchange(t, s.code(), verifier, redirectURL)
	refused("no refresh token", err, provider.CodeReconnect)
	s.SetToggle("withhold_refresh_tokens", false)
	other := google.New(google.Options{
		ClientID: clientID, ClientSecret: "other", Transport: testkit.NewTransport(t, s.Provider), Now: clock,
		Metrics: metrics.New(nil),
	})
	_, err = other.Refresh(t.Context(), provider.Token{RefreshToken: s.Grant("anna", scopeProfile).Refresh})
	refused("another client secret", err, provider.CodeOperator)
	_, err = s.Refresh(t.Context(), provider.Token{AccessToken: someToken})
	refused("renewal without a refresh token", err, provider.CodeReconnect)
}

func TestTokenReplies(t *testing.T) {
	idToken := func(claims string) string {
		encoded := base64.RawURLEncoding.EncodeToString([]byte(claims))
		return `"scope":"openid","id_token":"e30.` + encoded + `.signature"`
	}
	type granted struct {
		scopes []string
		person string
	}
	for fields, test := range map[string]granted{
		`"scope":null`:                     {[]string{"openid", scopeProfile}, ""}, // as asked for
		idToken(`{"sub":"108","aud":"x"}`): {[]string{"openid"}, "108"},
		idToken(`{"sub":7}`):               {[]string{"openid"}, ""},
		`"scope":"x y"`:                    {[]string{"x", "y"}, ""},
		`"scope":"x","id_token":"a.b"`:     {[]string{"x"}, ""},
		`"scope":"x","id_token":"a.!.c"`:   {[]string{"x"}, ""},
	} {
		t.Run(fields, func(t *testing.T) {
			s := newSite(t)
			s.SetReply("POST /token", ok(`{"access_token":"a","refresh_token":"r",`+fields+`}`))
			got, err := s.exchange(t, someCode, verifier, redirectURL)
			wantFault(t, err, none)
			want := provider.Token{
				AccessToken: "a", RefreshToken: "r", Scopes: test.scopes, ProviderUserID: test.person,
			}
			testkit.Equal(t, "token", got, want)
		})
	}
}

// Each error is tried at the exchange and at the renewal. Only the reason for an invalid grant differs.
func TestTokenErrors(t *testing.T) {
	const (
		quoted      = someToken + " " + someCode
		codeExpired = "Kod autoryzacji wygasł lub został już użyty. Połącz konto ponownie."
		ended       = "Google cofnęło nam dostęp albo dostęp wygasł. Połącz konto ponownie."
		signIn      = "Zasady bezpieczeństwa konta wymagają ponownego zalogowania. Połącz konto ponownie."
		policy      = "Administrator konta nie zezwala na ten dostęp. Skontaktuj się z nim i połącz konto ponownie."
	)
	type messages struct{ exchange, renewal string }
	both := func(message string) messages { return messages{message, message} }
	oauthError := func(status int, code string) fake.Reply { return failed(status, `{"error":"`+code+`"}`) }
	limited := fake.Reply{Status: 403, Body: `{"error":"rate_limit_exceeded"}`,
		Header: http.Header{"Retry-After": {"3"}}}
	for name, test := range map[string]struct {
		reply fake.Reply
		want  fault.Code
		texts messages // none: any
		wait  time.Duration
	}{
		"invalid grant":  {oauthError(400, "invalid_grant"), provider.CodeReconnect, messages{codeExpired, ended}, 0},
		"error with 200": {ok(`{"error":"invalid_grant"}`), provider.CodeReconnect, messages{codeExpired, ended}, 0},
		"sign in again": {oauthError(400, `invalid_grant","error_subtype":"invalid_rapt`), provider.CodeReconnect,
			both(signIn), 0},
		"sign in again too": {oauthError(400, `invalid_grant","error_subtype":"rapt_required`),
			provider.CodeReconnect,
			both(signIn), 0},
		"policy":       {oauthError(400, "admin_policy_enforced"), provider.CodeReconnect, both(policy), 0},
		"denied":       {oauthError(403, "access_denied"), provider.CodeReconnect, both(policy), 0},
		"organization": {oauthError(403, "org_internal"), provider.CodeReconnect, both(policy), 0},
		"client": {oauthError(401, `invalid_client","x":"`+quoted), provider.CodeOperator, messages{},
			0},
		"deleted client":      {oauthError(401, "deleted_client"), provider.CodeOperator, messages{}, 0},
		"unauthorized client": {oauthError(401, "unauthorized_client"), provider.CodeOperator, messages{}, 0},
		"disabled client":     {oauthError(401, "disabled_client"), provider.CodeOperator, messages{}, 0},
		"redirect address":    {oauthError(400, "redirect_uri_mismatch"), provider.CodeOperator, messages{}, 0},
		"scope":               {oauthError(400, "invalid_scope"), provider.CodeOperator, messages{}, 0},
		"internal failure":    {oauthError(400, "internal_failure"), provider.CodeTemporary, messages{}, 0},
		"unavailable":         {oauthError(400, "temporarily_unavailable"), provider.CodeTemporary, messages{}, 0},
		"server error":        {oauthError(400, "server_error"), provider.CodeTemporary, messages{}, 0},
		"status before code":  {oauthError(500, "invalid_grant"), provider.CodeTemporary, messages{}, 0},
		"rate":                {limited, provider.CodeThrottled, messages{}, 3 * time.Second},
		"too many":            {after(failed(429, ""), "3"), provider.CodeThrottled, messages{}, 3 * time.Second},
		"400 page":            {failed(400, `<html>`+quoted), provider.CodeChanged, messages{}, 0},
		"unknown code":        {oauthError(400, quoted), provider.CodeChanged, messages{}, 0},
		"page with 200":       {ok(`<html>` + quoted), provider.CodeChanged, messages{}, 0},
		"expiry is a text":    {ok(`{"access_token":"a","expires_in":"x"}`), provider.CodeChanged, messages{}, 0},
		"no token":            {ok(`{"token_type":"Bearer"}`), provider.CodeChanged, messages{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t)
				s.SetReply("POST /token", test.reply)
				_, err := s.exchange(t, someCode, verifier, redirectURL)
				exchange := wantFault(t, err, test.want)
				testkit.Equal(t, "how often the code was sent, which is valid once", len(s.Requests()), 1)
				_, err = s.Refresh(t.Context(), provider.Token{RefreshToken: someToken})
				renewal := wantFault(t, err, test.want)
				got := messages{exchange.Message, renewal.Message}
				if test.texts != (messages{}) && got != test.texts {
					t.Errorf("messages %+v, want %+v", got, test.texts)
				}
				testkit.Equal(t, "wait", renewal.RetryAfter, test.wait)
			})
		})
	}
}

func TestRevoke(t *testing.T) {
	s := newSite(t)
	tokens := s.Grant("anna", scopeProfile)
	for range 2 { // the second time, the grant does not exist any more
		wantFault(t, s.Revoke(t.Context(), provider.Token{AccessToken: "other", RefreshToken: tokens.Refresh}), none)
		_, err := s.Locations(t.Context(), tokens.Access)
		wantFault(t, err, provider.CodeReconnect)
	}
	token := s.Grant("anna", scopeProfile).Access
	wantFault(t, s.Revoke(t.Context(), provider.Token{AccessToken: token}), none)
	_, err := s.Locations(t.Context(), token)
	wantFault(t, err, provider.CodeReconnect)
	s.SetReply("POST /revoke", failed(400, `{"error":"invalid_request"}`))
	wantFault(t, s.Revoke(t.Context(), provider.Token{RefreshToken: someToken}), provider.CodeChanged)
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		s.SetReply("POST /revoke", failed(503, someToken))
		wantFault(t, s.Revoke(t.Context(), provider.Token{RefreshToken: someToken}), provider.CodeTemporary)
	})
}
