package meta_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// roundTrip is a transport.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// FuzzGraphBody: whatever Meta responds is read, or is a fault without a secret.
func FuzzGraphBody(f *testing.F) {
	for _, body := range []string{
		`{"id":"1","name":"Anna","data":[{"id":"2","name":"P","access_token":"t","fan_count":3}],` +
			`"paging":{"cursors":{"after":"a"},"next":"https://evil.example/?access_token=` + someToken + `"}}`,
		`{"id":"1","instagram_business_account":{"id":"../me"},"followers_count":100,"data":[]}`,
		`{"id":"1","instagram_business_account":{"id":"9"},"followers_count":1,"data":[{"id":"5",` +
			`"timestamp":"2026-11-20T08:00:00+0000","like_count":9223372036854775807,"comments_count":1}]}`,
		`{"id":"1","instagram_business_account":{"id":"9"},"data":[{"name":"page_views_total","period":"day",` +
			`"values":[{"value":{"a":1},"end_time":"x"}],"total_value":{"value":1,` +
			`"breakdowns":[{"results":[{"dimension_values":["K"],"value":2}]}]}}]}`,
		`{"access_token":"a","expires_in":9223372036854775807}`, `access_token=a&expires_in=1e9`,
		`{"data":[{"timestamp":"` + someToken + `"}]}`, `{"data":{}}`, `null`, `{"id":1}`, "\xff", ``,
	} {
		f.Add(uint16(0), "", body)
	}
	for _, body := range []string{
		`{"error":{"message":"(#100) ` + someToken + `","code":100}}`, `{"error":{"code":1,"is_transient":true}}`,
		`{"error":{"code":10,"message":"Not enough viewers"}}`, `{"error":{"code":4}}`, `{"error":"` + someCode + `"}`,
		`{"error":{"code":100,"error_subcode":36009}}`,
	} {
		f.Add(uint16(200), "60", body)
	}
	f.Fuzz(func(t *testing.T, status uint16, wait, body string) {
		synctest.Test(t, func(t *testing.T) {
			client := meta.New(options(roundTrip(func(r *http.Request) (*http.Response, error) {
				return &http.Response{
					StatusCode: 200 + int(status)%400, Body: io.NopCloser(strings.NewReader(body)), Request: r,
					Header: http.Header{
						"Content-Type": {"application/json"}, "Retry-After": {wait}, "X-App-Usage": {body},
					},
				}, nil
			})))
			check := func(value any, err error) {
				t.Helper()
				if err != nil {
					wantFault(t, err, fault.Code{Name: fault.From(err).Code})
				}
				if _, err := json.Marshal(value); err != nil {
					t.Errorf("%+v: %v", value, err)
				}
			}
			token := provider.Token{AccessToken: someToken, ProviderUserID: annaID}
			services := []provider.Service{provider.SocialPages}
			check(client.Exchange(t.Context(), services, someCode, verifier, redirectURL))
			check(client.Refresh(t.Context(), token))
			check(nil, client.Revoke(t.Context(), token))
			check(client.Pages(t.Context(), someToken, nil))
			check(client.ReadPage(t.Context(), someToken, bakeryID, bakeryID))
			check(client.ReadPhotos(t.Context(), someToken, bakeryID, photoID))
		})
	})
}

// FuzzSignedRequest: nothing that is not signed is believed, and nothing panics.
func FuzzSignedRequest(f *testing.F) {
	f.Add("a.b")
	f.Add(signedWith("other", `{"algorithm":"HMAC-SHA256","issued_at":1,"user_id":"1"}`, base64.URLEncoding))
	client := meta.New(meta.Options{ClientSecret: clientSecret})
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := client.ReadRequest(text); err == nil {
			t.Errorf("believed %+v", got)
		}
	})
}
