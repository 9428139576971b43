package google_test

import (
	"testing"
	"testing/synctest"

	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/provider/providertest"
)

// FuzzOAuthBody: whatever token and revocation endpoints answer is a token or a
// fault.
func FuzzOAuthBody(f *testing.F) {
	providertest.FuzzOAuth(f, provider.SearchProfile, func(s *providertest.Server) providertest.OAuth {
		return newSearch(s)
	})
}

// FuzzGoogleBody: whatever the profile, analytics and places APIs answer is read,
// or is a fault.
func FuzzGoogleBody(f *testing.F) {
	for _, body := range []string{
		`{"accounts":[{"name":"accounts/1","accountName":"A"}],"locations":[{"name":"locations/2","title":"T",` +
			`"categories":{"primaryCategory":{"displayName":"Piekarnia"}}}],"siteEntry":[{"siteUrl":"sc-domain:a.pl",` +
			`"permissionLevel":"siteOwner"}],"name":"locations/2"}`,
		`{"accounts":[{"name":"accounts/../x"}]}`, `{"accounts":[],"nextPageToken":"a"}`,
		`{"name":"locations/2","regularHours":{"periods":[{"openDay":"MONDAY","openTime":{"hours":99,"minutes":-1},` +
			`"closeTime":{}}]},"latlng":{"latitude":1e300}}`,
		`{"id":"p","displayName":{"text":"Piekarnia ` +
			`Kowalski"},"rating":4.5,"userRatingCount":-1,"photos":[{}],` +
			`"regularOpeningHours":{"periods":[{"open":{"day":9,"hour":25}}]},"businessStatus":"OPERATIONAL"}`,
		`{"multiDailyMetricTimeSeries":[{"dailyMetricTimeSeries":[{"dailyMetric":"CALL_CLICKS",` +
			`"timeSeries":{"datedValues":[{"date":{"year":99999,"month":-1},"value":"-5"}]}}]}],` +
			`"searchKeywordsCounts":[{"insightsValue":{"threshold":"15"}}],"nextPageToken":"a"}`,
		`{"movedPlaceId":"q","id":"p","businessStatus":"CLOSED_PERMANENTLY"}`,
		`{"places":[{"id":"../p","displayName":{"text":"Piekarnia Kowalski"},"formattedAddress":"ul. Długa 5, ` +
			`Kraków"}]}`, `[]`, ``,
	} {
		f.Add(uint16(0), "", body)
	}
	for status, body := range map[uint16]string{
		229: `{"error":{"status":"RESOURCE_EXHAUSTED","details":[{"@type":"x/google.rpc.ErrorInfo",` +
			`"metadata":{"quota_limit_value":"0"}},{"@type":"x/google.rpc.RetryInfo","retryDelay":"-9h"}]}}`,
		203: `{"error":{"status":"PERMISSION_DENIED","message":"SECRET","details":[{"@type":"google.rpc.ErrorInfo",` +
			`"reason":"SECRET"}]}}`, 204: `{"error":{"status":"NOT_FOUND"}}`, 303: `SECRET`,
	} {
		f.Add(status, "1", body)
	}
	f.Fuzz(func(t *testing.T, status uint16, wait, body string) {
		synctest.Test(t, func(t *testing.T) {
			s := providertest.NewFuzzServer(t, status, wait, body)
			search, places := newSearch(s), newPlaces(s)
			locations, err := search.Locations(t.Context(), someToken)
			providertest.CheckFuzzValue(t, locations, err)
			profile, err := search.ReadLocation(t.Context(), someToken, "locations/1")
			providertest.CheckFuzzValue(t, profile, err)
			performance, err := search.ReadPerformance(t.Context(), someToken,
				google.PerformanceQuery{Location: "locations/1"})
			providertest.CheckFuzzValue(t, performance, err)
			_, err = search.Sites(t.Context(), someToken)
			providertest.CheckFuzzFault(t, err)
			for _, id := range []string{"", "place-1"} {
				profile, err := places.FindPlace(
					t.Context(), google.PlaceQuery{Name: "Piekarnia Kowalski", Address: "ul. Długa 5, Kraków",
						PlaceID: id},
				)
				providertest.CheckFuzzValue(t, profile, err)
			}
		})
	})
}
