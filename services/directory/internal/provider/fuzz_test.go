package provider_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"backend.example/services/directory/internal/directory"
)

// quoted stands in a fuzzed body for every secret of a call: providers quote what
// they were sent.
const quoted = "SECRET"

// newFuzzServer answers every call with one status and body, and fails the test for an
// address that no call may have.
func newFuzzServer(t *testing.T, status uint16, retryAfter, body string) *server {
	body = strings.ReplaceAll(body, quoted, strings.Join(secrets, " "))
	return newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, segment := range strings.Split(r.URL.EscapedPath(), "/")[1:] {
			if segment == "" || segment == "." || segment == ".." {
				t.Errorf("asked for %s", r.URL.Path)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header()["Retry-After"] = []string{retryAfter}
		w.Header()["X-App-Usage"] = []string{body}
		w.WriteHeader(200 + int(status)%400) // any number becomes a status that a server can send
		_, _ = w.Write([]byte(body))
	}))
}

// checkFuzzFault accepts no error and a fault, and nothing else.
func checkFuzzFault(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		checkFault(t, err)
	}
}

// checkFuzzToken accepts a token that can be stored and used, or a fault.
func checkFuzzToken(t *testing.T, token directory.Token, err error) {
	t.Helper()
	checkFuzzFault(t, err)
	expires := token.ExpiresAt
	if err == nil && (token.AccessToken == "" || expires != nil && (!expires.After(now) || expires.Year() > 9999)) {
		t.Errorf("token of %d bytes until %v", len(token.AccessToken), expires)
	}
}

// checkFuzzValue accepts a value that JSON can carry, or a fault.
func checkFuzzValue(t *testing.T, v any, err error) {
	t.Helper()
	checkFuzzFault(t, err)
	if _, encoding := json.Marshal(v); encoding != nil {
		t.Errorf("%+v: %v", v, encoding)
	}
}

// FuzzOAuthBody: whatever token and revocation endpoints answer is a token or a
// fault.
func FuzzOAuthBody(f *testing.F) {
	for status, bodies := range map[uint16][]string{
		0: {`{"access_token":"a","expires_in":3599,"refresh_token":"r","scope":"a b","id_token":"e30.eyJzdWIiOiIxIn0.x"}`,
			`{"access_token":"a","refresh_token":"r","expires_in":9223372036854775807}`, `{"access_token":"a","refresh_token":"r","expires_in":-1}`,
			`{"access_token":"","expires_in":"x"}`, `access_token=a&refresh_token=r&expires_in=1e9`, `{}`, `[]`, `"`, "\xff", ""},
		200: {`{"error":"invalid_grant","error_description":"SECRET"}`, `{"error":"SECRET","error_subtype":"SECRET"}`,
			`{"error":{"message":"SECRET","code":190,"error_subcode":460}}`, `{"error":{"code":1,"is_transient":true}}`, `{"error":{"code":100,"error_subcode":36009}}`},
		300: {`<html>SECRET</html>`, `{"error":"internal_failure"}`},
	} {
		for _, body := range bodies {
			f.Add(status, "120", body)
		}
	}
	f.Add(uint16(229), "Fri, 31 Dec 9999 23:59:59 GMT", "")
	f.Fuzz(func(t *testing.T, status uint16, wait, body string) {
		synctest.Test(t, func(t *testing.T) {
			s := newFuzzServer(t, status, wait, body)
			search, social := s.search(), s.social()
			c := directory.Connection{AccessToken: someToken, RefreshToken: someToken, ProviderUserID: annaID}

			token, err := search.Exchange(t.Context(), directory.SearchProfile, someCode, verifier, redirectURL)
			checkFuzzToken(t, token, err)
			token, err = search.Refresh(t.Context(), c)
			checkFuzzToken(t, token, err)
			token, err = social.Exchange(t.Context(), directory.SocialPages, someCode, verifier, redirectURL)
			checkFuzzToken(t, token, err)
			token, err = social.Refresh(t.Context(), c)
			checkFuzzToken(t, token, err)
			checkFuzzFault(t, search.Revoke(t.Context(), c))
			checkFuzzFault(t, social.Revoke(t.Context(), c))
		})
	})
}

// FuzzGraphBody: whatever the Graph API answers is read, or is a fault.
func FuzzGraphBody(f *testing.F) {
	for _, body := range []string{
		`{"id":"1","name":"Anna","data":[{"id":"2","name":"P","access_token":"t","fan_count":3}],"paging":{"cursors":{"after":"a"},"next":"https://evil.example/?access_token=SECRET"}}`,
		`{"id":"1","instagram_business_account":{"id":"../me"},"followers_count":100,"data":[]}`,
		`{"id":"1","instagram_business_account":{"id":"9"},"followers_count":1,"data":[{"id":"5","timestamp":"2026-11-20T08:00:00+0000","like_count":9223372036854775807,"comments_count":1}]}`,
		`{"id":"1","instagram_business_account":{"id":"9"},"data":[{"name":"page_views_total","period":"day","values":[{"value":{"a":1},"end_time":"x"}],"total_value":{"value":1,"breakdowns":[{"results":[{"dimension_values":["K"],"value":2}]}]}}]}`,
		`{"data":[{"timestamp":"SECRET"}]}`, `{"data":{}}`, `null`, `{"id":1}`,
	} {
		f.Add(uint16(0), "", body)
	}
	for _, body := range []string{`{"error":{"message":"(#100) SECRET","code":100}}`, `{"error":{"code":10,"message":"Not enough viewers"}}`, `{"error":{"code":4}}`, `{"error":"SECRET"}`} {
		f.Add(uint16(200), "60", body)
	}
	f.Fuzz(func(t *testing.T, status uint16, wait, body string) {
		synctest.Test(t, func(t *testing.T) {
			social := newFuzzServer(t, status, wait, body).social()
			pages, err := social.Pages(t.Context(), someToken, nil)
			checkFuzzValue(t, pages, err)
			page, err := social.ReadPage(t.Context(), someToken, bakeryID)
			checkFuzzValue(t, page, err)
			photos, err := social.ReadPhotos(t.Context(), someToken, bakeryID)
			checkFuzzValue(t, photos, err)
			_, _, err = social.Account(t.Context(), directory.SocialPages, directory.Token{AccessToken: someToken})
			checkFuzzFault(t, err)
		})
	})
}

// FuzzGoogleBody: whatever the profile, analytics and places APIs answer is read,
// or is a fault.
func FuzzGoogleBody(f *testing.F) {
	for _, body := range []string{
		`{"accounts":[{"name":"accounts/1","accountName":"A"}],"locations":[{"name":"locations/2","title":"T","categories":{"primaryCategory":{"displayName":"Piekarnia"}}}],"siteEntry":[{"siteUrl":"sc-domain:a.pl","permissionLevel":"siteOwner"}],"name":"locations/2"}`,
		`{"accounts":[{"name":"accounts/../x"}]}`, `{"accounts":[],"nextPageToken":"a"}`,
		`{"name":"locations/2","regularHours":{"periods":[{"openDay":"MONDAY","openTime":{"hours":99,"minutes":-1},"closeTime":{}}]},"latlng":{"latitude":1e300}}`,
		`{"id":"p","displayName":{"text":"Piekarnia Kowalski"},"rating":4.5,"userRatingCount":-1,"photos":[{}],"regularOpeningHours":{"periods":[{"open":{"day":9,"hour":25}}]},"businessStatus":"OPERATIONAL"}`,
		`{"movedPlaceId":"q","id":"p","businessStatus":"CLOSED_PERMANENTLY"}`, `{"places":[{"id":"../p","displayName":{"text":"Piekarnia Kowalski"},"formattedAddress":"ul. Długa 5, Kraków"}]}`, `[]`, ``,
	} {
		f.Add(uint16(0), "", body)
	}
	for status, body := range map[uint16]string{
		229: `{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"@type":"x/google.rpc.ErrorInfo","metadata":{"quota_limit_value":"0"}},{"@type":"x/google.rpc.RetryInfo","retryDelay":"-9h"}]}}`,
		203: `{"error":{"status":"PERMISSION_DENIED","message":"SECRET","details":[{"@type":"google.rpc.ErrorInfo","reason":"SECRET"}]}}`, 204: `{"error":{"status":"NOT_FOUND"}}`, 303: `SECRET`,
	} {
		f.Add(status, "1", body)
	}
	f.Fuzz(func(t *testing.T, status uint16, wait, body string) {
		synctest.Test(t, func(t *testing.T) {
			s := newFuzzServer(t, status, wait, body)
			search, places := s.search(), s.places()
			locations, err := search.Locations(t.Context(), someToken)
			checkFuzzValue(t, locations, err)
			profile, err := search.ReadLocation(t.Context(), someToken, "locations/1")
			checkFuzzValue(t, profile, err)
			_, _, err = search.Account(t.Context(), directory.SearchAnalytics, directory.Token{AccessToken: someToken, Scopes: []string{scopeWebmasters, scopeAnalytics}})
			checkFuzzFault(t, err)
			for _, id := range []string{"", "place-1"} {
				profile, err := places.FindPlace(t.Context(), directory.Company{Name: "Piekarnia Kowalski", Address: "ul. Długa 5, Kraków", PlaceID: id})
				checkFuzzValue(t, profile, err)
			}
		})
	})
}
