package provider_test

import (
	"net/http"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
)

// refusals are the rows of the error table of Google APIs
// (https://cloud.google.com/apis/design/errors), for a call with a user's token
// and for one with a key.
var refusals = []struct {
	name   string
	reply  googleReply
	user   string
	byKey  string
	waited time.Duration
}{
	{"expired token", refusal(401, "UNAUTHENTICATED", "ACCESS_TOKEN_EXPIRED", ""), directory.CodeReconnect, directory.CodeOperator, 0},
	{"401 without envelope", googleReply{status: 401, body: `{"error":"` + googleAccess + `"}`}, directory.CodeReconnect, directory.CodeOperator, 0},
	{"scope", refusal(403, "PERMISSION_DENIED", "ACCESS_TOKEN_SCOPE_INSUFFICIENT", ""), directory.CodePermission, directory.CodeOperator, 0},
	{"no right", refusal(403, "PERMISSION_DENIED", "", ""), directory.CodePermission, directory.CodeOperator, 0},
	{"api off", refusal(403, "PERMISSION_DENIED", "SERVICE_DISABLED", ""), directory.CodeOperator, directory.CodeOperator, 0},
	{"billing off", refusal(403, "PERMISSION_DENIED", "BILLING_DISABLED", ""), directory.CodeOperator, directory.CodeOperator, 0},
	{"key blocked", refusal(403, "PERMISSION_DENIED", "API_KEY_SERVICE_BLOCKED", ""), directory.CodeOperator, directory.CodeOperator, 0},
	{"key from elsewhere", refusal(403, "PERMISSION_DENIED", "API_KEY_IP_ADDRESS_BLOCKED", ""), directory.CodeOperator, directory.CodeOperator, 0},
	{"403 rate", refusal(403, "PERMISSION_DENIED", "RATE_LIMIT_EXCEEDED", "60"), directory.CodeThrottled, directory.CodeThrottled, 0},
	{"403 page", googleReply{status: 403, body: "<html>" + googleKey}, directory.CodeChanged, directory.CodeChanged, 0},
	{"key invalid", refusal(400, "INVALID_ARGUMENT", "API_KEY_INVALID", ""), directory.CodeOperator, directory.CodeOperator, 0},
	{"not approved", refusal(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", "0"), directory.CodeOperator, directory.CodeOperator, 0},
	{"rate", refusal(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", "300"), directory.CodeThrottled, directory.CodeThrottled, 0},
	{"rate and wait", waiting(refusal(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", "300"), "12"), directory.CodeThrottled, directory.CodeThrottled, 12 * time.Second},
	{"rate and wait until", waiting(googleReply{status: 429}, "Sat, 21 Nov 2026 10:30:30 GMT"), directory.CodeThrottled, directory.CodeThrottled, 30 * time.Second},
	{"rate and wait inside", googleReply{status: 429, body: `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[
		{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2.5s"}]}}`}, directory.CodeThrottled, directory.CodeThrottled, 2500 * time.Millisecond},
	{"500", refusal(500, "INTERNAL", "", ""), directory.CodeTemporary, directory.CodeTemporary, 0},
	{"503 page", googleReply{status: 503, body: "<html>" + googleAccess}, directory.CodeTemporary, directory.CodeTemporary, 0},
	{"503 and wait", waiting(refusal(503, "UNAVAILABLE", "", ""), "12"), directory.CodeTemporary, directory.CodeTemporary, 12 * time.Second},
	{"408", googleReply{status: 408}, directory.CodeTemporary, directory.CodeTemporary, 0},
	{"404 page", googleReply{status: 404, body: "<html>"}, directory.CodeChanged, directory.CodeChanged, 0},
	{"unknown 4xx", refusal(409, "ABORTED", googleKey, ""), directory.CodeChanged, directory.CodeChanged, 0},
	{"redirect", googleReply{status: 302, header: http.Header{"Location": {"/"}}}, directory.CodeChanged, directory.CodeChanged, 0},
	{"empty", googleReply{status: 200}, directory.CodeChanged, directory.CodeChanged, 0},
	{"cut JSON", googleReply{status: 200, body: `{"accounts":[`}, directory.CodeChanged, directory.CodeChanged, 0},
	{"page with 200", googleReply{status: 200, body: "<html>" + googleKey + googleAccess}, directory.CodeChanged, directory.CodeChanged, 0},
	{"JSON of another form", googleReply{status: 200, body: `["` + googleKey + `"]`}, directory.CodeChanged, directory.CodeChanged, 0},
}

func refusal(status int, state, reason, quota string) googleReply {
	return googleReply{status: status, body: googleError(status, state, reason, quota, googleAccess)}
}

func waiting(r googleReply, value string) googleReply {
	r.header = http.Header{"Retry-After": {value}}
	return r
}

func TestGoogleRefusalsToUser(t *testing.T) {
	for _, row := range refusals {
		quickly(t, row.name, func(t *testing.T) {
			server := newGoogleServer(t)
			for _, path := range []string{"/v1/accounts", "/v1/locations/1", "/webmasters/v3/sites"} {
				server.replies[path] = row.reply
			}
			search := server.search()
			_, err := search.Locations(t.Context(), googleAccess)
			if f := wantGoogleFault(t, err, row.user); f.RetryAfter != row.waited {
				t.Errorf("RetryAfter = %v, want %v", f.RetryAfter, row.waited)
			}
			_, err = search.ReadLocation(t.Context(), googleAccess, "locations/1")
			wantGoogleFault(t, err, row.user)
			for service, scopes := range map[directory.Service][]string{
				directory.SearchProfile: {scopeProfile}, directory.SearchAnalytics: {scopeWebmasters, scopeAnalytics},
			} {
				_, _, err = search.Account(t.Context(), service, directory.Token{AccessToken: googleAccess, Scopes: scopes})
				wantGoogleFault(t, err, row.user)
			}
			if got, want := len(server.paths()), 4*tries(row.user); got != want {
				t.Errorf("%d calls, want %d", got, want)
			}
		})
	}
}

func TestGoogleRefusalsToKey(t *testing.T) {
	for _, row := range refusals {
		quickly(t, row.name, func(t *testing.T) {
			server := newGoogleServer(t)
			server.replies["/v1/places/ChIJ1"] = row.reply
			server.replies["/v1/places:searchText"] = row.reply
			for _, company := range []directory.Company{{PlaceID: "ChIJ1"}, {Name: "Warsztat", Address: "Długa 12"}} {
				_, err := server.placesAdapter().FindPlace(t.Context(), company)
				if f := wantGoogleFault(t, err, row.byKey); f.RetryAfter != row.waited {
					t.Errorf("RetryAfter = %v, want %v", f.RetryAfter, row.waited)
				}
			}
			if got, want := len(server.paths()), 2*tries(row.byKey); got != want {
				t.Errorf("%d calls, want %d", got, want)
			}
		})
	}
}
