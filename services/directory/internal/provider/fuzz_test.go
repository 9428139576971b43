package provider_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// echoed stands in a fuzzed body for every secret of a call: providers quote what
// they were sent.
const echoed = "SECRET"

// parrot answers every call with one status and body, and fails the test for an
// address that no call may have.
func parrot(t *testing.T, status int, wait, body string) http.RoundTripper {
	body = strings.ReplaceAll(body, echoed, strings.Join(fuzzSecrets(), " "))
	return memory{func(w http.ResponseWriter, r *http.Request) {
		for _, segment := range strings.Split(r.URL.EscapedPath(), "/")[1:] {
			if segment == "" || segment == "." || segment == ".." {
				t.Errorf("asked for %s", r.URL.Path)
			}
		}
		for _, secret := range []string{metaClientSecret, metaUserToken, googleAccess, googleKey} {
			if strings.Contains(r.URL.String(), secret) {
				t.Errorf("secret in the address of %s", r.URL.Path)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header()["Retry-After"] = []string{wait}
		w.Header()["X-App-Usage"] = []string{body}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}}
}

func fuzzSecrets() []string {
	return append(googleSecrets, metaClientSecret, metaCode, metaVerifier, metaUserToken, metaPageToken)
}

// answerable makes any number a status that a server can send.
func answerable(status uint16) int { return 200 + int(status)%400 }

// requireFault holds an error to the faults of package directory: a known code, a
// Polish text that says what to do, no wait in the past, and no secret anywhere.
func requireFault(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var f *fault.Error
	if !errors.As(err, &f) || !strings.HasPrefix(f.Code, "provider_") || f.RetryAfter < 0 {
		t.Fatalf("%v is no fault of a provider", err)
	}
	if !utf8.ValidString(f.Message) || !strings.HasSuffix(f.Message, ".") || len(f.Message) < 20 {
		t.Errorf("message %q", f.Message)
	}
	for _, secret := range fuzzSecrets() {
		if strings.Contains(err.Error()+f.Message, secret) {
			t.Errorf("secret in %q / %q", err, f.Message)
		}
	}
}

// requireToken holds a token to what can be stored and used.
func requireToken(t *testing.T, token directory.Token, err error) {
	t.Helper()
	requireFault(t, err)
	end := token.ExpiresAt
	if err == nil && (token.AccessToken == "" || end != nil && (!end.After(googleNow) || end.Year() > 9999)) {
		t.Errorf("token of %d bytes until %v", len(token.AccessToken), end)
	}
}

// requireJSON holds what was read to what an answer can carry.
func requireJSON(t *testing.T, v any, err error) {
	t.Helper()
	requireFault(t, err)
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
			road := parrot(t, answerable(status), wait, body)
			search, social := fuzzedSearch(road), fuzzedSocial(road)
			c := directory.Connection{AccessToken: metaUserToken, RefreshToken: googleRefresh, ProviderUserID: metaUserID}

			token, err := search.Exchange(t.Context(), directory.SearchProfile, googleCode, googleVerifier, googleRedirect)
			requireToken(t, token, err)
			token, err = search.Refresh(t.Context(), c)
			requireToken(t, token, err)
			token, err = social.Exchange(t.Context(), directory.SocialPages, metaCode, metaVerifier, metaRedirect)
			requireToken(t, token, err)
			token, err = social.Refresh(t.Context(), c)
			requireToken(t, token, err)
			requireFault(t, search.Revoke(t.Context(), c))
			requireFault(t, social.Revoke(t.Context(), c))
		})
	})
}

func fuzzedSearch(road http.RoundTripper) *provider.Search {
	return provider.NewSearch(provider.SearchOptions{
		ClientID: googleClientID, ClientSecret: googleClientSecret, Transport: road, Timeout: 10 * time.Second,
		Now: func() time.Time { return googleNow },
	})
}

func fuzzedSocial(road http.RoundTripper) *provider.Social {
	return provider.NewSocial(provider.SocialOptions{
		ClientID: metaClientID, ClientSecret: metaClientSecret, Transport: road, Timeout: 10 * time.Second,
		Now: func() time.Time { return metaNow },
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
			social := fuzzedSocial(parrot(t, answerable(status), wait, body))
			pages, err := social.Pages(t.Context(), metaUserToken)
			requireJSON(t, pages, err)
			page, err := social.ReadPage(t.Context(), metaPageToken, metaPageID)
			requireJSON(t, page, err)
			photos, err := social.ReadPhotos(t.Context(), metaPageToken, metaPageID)
			requireJSON(t, photos, err)
			_, _, err = social.Account(t.Context(), directory.SocialPages, directory.Token{AccessToken: metaUserToken})
			requireFault(t, err)
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
			road := parrot(t, answerable(status), wait, body)
			search := fuzzedSearch(road)
			locations, err := search.Locations(t.Context(), googleAccess)
			requireJSON(t, locations, err)
			profile, err := search.ReadLocation(t.Context(), googleAccess, "locations/1")
			requireJSON(t, profile, err)
			_, _, err = search.Account(t.Context(), directory.SearchAnalytics, directory.Token{AccessToken: googleAccess, Scopes: []string{scopeWebmasters, scopeAnalytics}})
			requireFault(t, err)
			places := provider.NewPlaces(provider.PlacesOptions{APIKey: googleKey, Transport: road, Timeout: 10 * time.Second, Now: func() time.Time { return googleNow }})
			for _, id := range []string{"", "place-1"} {
				profile, err := places.FindPlace(t.Context(), directory.Company{Name: "Piekarnia Kowalski", Address: "ul. Długa 5, Kraków", PlaceID: id})
				requireJSON(t, profile, err)
			}
		})
	})
}
