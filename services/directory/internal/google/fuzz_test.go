package google_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// roundTrip is a transport.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// FuzzGoogleBody: whatever Google responds is read, or is a fault without a secret.
func FuzzGoogleBody(f *testing.F) {
	for _, body := range []string{
		`{"accounts":[{"name":"accounts/1","accountName":"A"}],"locations":[{"name":"locations/2","title":"T",` +
			`"categories":{"primaryCategory":{"displayName":"Piekarnia"}}}],"siteEntry":[{"siteUrl":"sc-domain:a.pl",` +
			`"permissionLevel":"siteOwner"}],"name":"locations/2"}`,
		`{"accounts":[{"name":"accounts/../x"}]}`, `{"accounts":[],"nextPageToken":"a"}`,
		`{"name":"locations/1","regularHours":{"periods":[{"openDay":"MONDAY","openTime":{"hours":99,"minutes":-1},` +
			`"closeTime":{}}]},"latlng":{"latitude":1e300}}`,
		`{"id":"p","displayName":{"text":"Piekarnia Kowalski"},"rating":4.5,"userRatingCount":-1,"photos":[{}],` +
			`"regularOpeningHours":{"periods":[{"open":{"day":9,"hour":25}}]},"businessStatus":"OPERATIONAL"}`,
		`{"multiDailyMetricTimeSeries":[{"dailyMetricTimeSeries":[{"dailyMetric":"CALL_CLICKS",` +
			`"timeSeries":{"datedValues":[{"date":{"year":99999,"month":-1},"value":"-5"}]}}]}],` +
			`"searchKeywordsCounts":[{"insightsValue":{"threshold":"15"}}],"nextPageToken":"a"}`,
		`{"movedPlaceId":"q","id":"p","businessStatus":"CLOSED_PERMANENTLY"}`,
		`{"access_token":"a","refresh_token":"r","expires_in":9223372036854775807,"id_token":"e30.eyJzdWIiOiIxIn0.x"}`,
		`access_token=a&refresh_token=r&expires_in=1e9`, `[]`, ``, "\xff",
	} {
		f.Add(uint16(0), "", body)
	}
	for status, body := range map[uint16]string{
		229: `{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"@type":"x/google.rpc.ErrorInfo",` +
			`"metadata":{"quota_limit_value":"0"}},{"@type":"x/google.rpc.RetryInfo","retryDelay":"-9h"}]}}`,
		203: `{"error":{"status":"PERMISSION_DENIED","message":"` + someToken + `","details":[{` +
			`"@type":"google.rpc.ErrorInfo","reason":"` + someToken + `"}]}}`,
		204: `{"error":{"status":"NOT_FOUND"}}`, 303: someToken + apiKey,
		200: `{"error":"invalid_grant","error_description":"` + someCode + `"}`,
	} {
		f.Add(status, "1", body)
	}
	f.Fuzz(func(t *testing.T, status uint16, wait, body string) {
		synctest.Test(t, func(t *testing.T) {
			transport := roundTrip(func(r *http.Request) (*http.Response, error) {
				return &http.Response{
					StatusCode: 200 + int(status)%400, Body: io.NopCloser(strings.NewReader(body)), Request: r,
					Header: http.Header{"Content-Type": {"application/json"}, "Retry-After": {wait}},
				}, nil
			})
			check := func(value any, err error) {
				t.Helper()
				if err != nil {
					wantFault(t, err, fault.Code{Name: fault.From(err).Code})
				}
				if _, err := json.Marshal(value); err != nil {
					t.Errorf("%+v: %v", value, err)
				}
			}
			client := google.New(google.Options{
				ClientSecret: clientSecret, Transport: transport, Now: clock, Metrics: metrics.New(nil),
			})
			places := google.NewPlaces(google.Options{
				APIKey: apiKey, Transport: transport, Now: clock, Metrics: metrics.New(nil),
			})
			token := provider.Token{RefreshToken: someToken}
			check(client.Exchange(t.Context(), []provider.Service{provider.SearchProfile}, someCode, verifier,
				redirectURL))
			check(client.Refresh(t.Context(), token))
			check(nil, client.Revoke(t.Context(), token))
			check(client.Locations(t.Context(), someToken))
			check(client.ReadLocation(t.Context(), someToken, "locations/1"))
			check(client.ReadPerformance(t.Context(), someToken, google.PerformanceQuery{Location: "locations/1"}))
			check(client.Sites(t.Context(), someToken))
			check(places.FindPlace(t.Context(), google.PlaceQuery{Name: "Piekarnia Kowalski", PlaceID: "place-1"}))
		})
	})
}
