package google_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/oauth2"

	"backend.example/deploy/sandbox/fake"
	sandbox "backend.example/deploy/sandbox/google"
	"backend.example/deploy/sandbox/places"
	"backend.example/services/directory/internal/budget"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/pace"
	"backend.example/services/internal/kit/testkit"
)

const (
	scopeProfile    = "https://www.googleapis.com/auth/business.manage"
	scopeWebmasters = "https://www.googleapis.com/auth/webmasters.readonly"
	domain          = "sc-domain:piekarnia-kowalski.example" // of Anna
)

func TestAuthURL(t *testing.T) {
	for _, test := range []struct {
		service provider.Service
		base    *url.URL
		address string
		scope   string
	}{
		{provider.SearchProfile, nil, "https://accounts.google.com/o/oauth2/v2/auth", "openid " + scopeProfile},
		{provider.SearchAnalytics, &url.URL{Scheme: "http", Host: "127.0.0.1:9093"},
			"http://127.0.0.1:9093/o/oauth2/v2/auth", "openid " + scopeWebmasters},
	} {
		client := google.New(google.Options{ClientID: clientID, ClientSecret: clientSecret, BaseURL: test.base})
		want := test.address + "?" + url.Values{
			"client_id": {clientID}, "redirect_uri": {redirectURL}, "response_type": {"code"}, "state": {"7:3:a b&c"},
			"scope": {test.scope}, "access_type": {"offline"}, "prompt": {"consent"},
			"code_challenge":        {oauth2.S256ChallengeFromVerifier(verifier)},
			"code_challenge_method": {"S256"},
		}.Encode()
		got := client.AuthURL([]provider.Service{test.service}, "7:3:a b&c", verifier, redirectURL)
		testkit.Equal(t, string(test.service)+": address", got, want)
	}
}

func TestLacks(t *testing.T) {
	for name, test := range map[string]struct {
		service provider.Service
		granted []string
		want    []string
	}{
		"profile":          {provider.SearchProfile, []string{"openid", scopeProfile}, nil},
		"profile unticked": {provider.SearchProfile, []string{"openid"}, []string{scopeProfile}},
		"another service":  {provider.SearchProfile, []string{scopeWebmasters}, []string{scopeProfile}},
		"Search Console":   {provider.SearchAnalytics, []string{"openid", scopeWebmasters}, nil},
		"the right to write includes that to read": {provider.SearchAnalytics,
			[]string{strings.TrimSuffix(scopeWebmasters, ".readonly")}, nil},
		"nothing": {provider.SearchAnalytics, nil, []string{scopeWebmasters}},
	} {
		got := google.New(google.Options{}).Lacks(test.service, test.granted)
		testkit.Equal(t, name+": lacking scopes", got, test.want)
	}
}

// Each request goes to its API at the real host, and takes its turn in the budget of that API. The token endpoints
// have no budget, because a renewal holds a lock.
func TestAddresses(t *testing.T) {
	askedBy := map[string]string{} // API and path → who waited for a turn; empty: nobody
	counted := map[string]float64{}
	registry := prometheus.NewRegistry()
	transport := testkit.RoundTripper(func(r *http.Request) (*http.Response, error) {
		api, isGoogle := strings.CutSuffix(r.URL.Host, ".googleapis.com")
		if !isGoogle || r.URL.Scheme != "https" {
			t.Errorf("request to %s, want one to googleapis.com over TLS", r.URL)
		}
		before := counted
		counted = testkit.Series(t, registry)
		askedBy[api+r.URL.Path] = ""
		for _, by := range []string{"people", "scans"} {
			series := "directory_provider_requests_total " + api + " " + by + " provider_search"
			if counted[series] > before[series] {
				askedBy[api+r.URL.Path] = by
			}
		}
		body := `{"access_token":"a","refresh_token":"r","id":"1","name":"locations/1"}`
		if r.URL.Path == "/v1/accounts" {
			body = `{"accounts":[{"name":"accounts/1"}]}`
		}
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body)),
			Header: http.Header{"Content-Type": {"application/json"}}}, nil
	})
	count, budgets := metrics.New(registry), budget.Budgets{}
	for _, api := range google.APIs() {
		budgets[api] = budget.New(budget.Options{
			Provider: provider.Search, API: api, PerMinute: 60_000, Clock: &pace.Memory{}, Metrics: count,
		})
	}
	client := google.New(google.Options{
		ClientID: clientID, ClientSecret: clientSecret, Transport: transport, Now: clock, Budgets: budgets,
		Metrics: count,
	}).ForScans()
	places := google.NewPlaces(google.Options{
		APIKey: apiKey, Transport: transport, Now: clock, Budgets: budgets,
		Metrics: count,
	})
	token := provider.Token{AccessToken: someToken, RefreshToken: someToken}
	services := []provider.Service{provider.SearchProfile}
	_, exchanging := client.Exchange(t.Context(), services, someCode, verifier, redirectURL)
	_, locating := client.Locations(t.Context(), someToken)
	_, reading := client.ReadLocation(t.Context(), someToken, "locations/1")
	_, counting := client.ReadPerformance(t.Context(), someToken, google.PerformanceQuery{Location: "locations/1"})
	_, listing := client.Sites(t.Context(), someToken)
	_, finding := places.FindPlace(t.Context(), google.PlaceQuery{PlaceID: "x"})
	revoking := client.Revoke(t.Context(), token)
	_, _ = places.ForScans().FindPlace(t.Context(), google.PlaceQuery{Name: "x"}) // there is no result
	for name, err := range map[string]error{
		"code": exchanging, "locations": locating, "location": reading, "performance": counting, "sites": listing,
		"place": finding, "revocation": revoking,
	} {
		t.Run(name, func(t *testing.T) { wantFault(t, err, none) })
	}
	want := map[string]string{
		"oauth2/token":  "",
		"oauth2/revoke": "",
		"businessprofileperformance/v1/locations/1:fetchMultiDailyMetricsTimeSeries":   "scans",
		"businessprofileperformance/v1/locations/1/searchkeywords/impressions/monthly": "scans",
		"mybusinessaccountmanagement/v1/accounts":                                      "scans",
		"mybusinessbusinessinformation/v1/accounts/1/locations":                        "scans",
		"mybusinessbusinessinformation/v1/locations/1":                                 "scans",
		"mybusinessverifications/v1/locations/1/VoiceOfMerchantState":                  "scans",
		"places/v1/places/x":                "people",
		"places/v1/places:searchText":       "scans",
		"searchconsole/webmasters/v3/sites": "scans",
	}
	testkit.Equal(t, "who asked what", askedBy, want)
}

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
	for status, body := range map[uint16]string{ // 200 is added: 229 is a response with 429
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
			transport := testkit.RoundTripper(func(r *http.Request) (*http.Response, error) {
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
					t.Errorf("%+v cannot be written as JSON: %v", value, err)
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

const (
	clientID     = "471100"
	clientSecret = "5ec2e70f5ec2e70f5ec2e70f5ec2e70f" // #nosec G101 -- made up
	apiKey       = "AIzaSyKeyOfThePlaces"             // #nosec G101 -- made up
	redirectURL  = "https://firma.example/api/oauth/callback"
	verifier     = "verifier-of-forty-three-characters-at-the-least"
	someCode     = "code-of-the-consent-page"
	someToken    = "token-of-a-user" // #nosec G101 -- made up
)

var now = time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC)

// none is the code of no fault.
var none fault.Code

func clock() time.Time { return now }

// site is the sandbox's provider_search behind HTTP, with a client of it.
type site struct {
	*sandbox.Provider
	*google.Client
}

func newSite(t *testing.T) site { return newSiteAt(t, now) }

func newSiteAt(t *testing.T, now time.Time) site {
	s := site{Provider: sandbox.New(sandbox.Options{
		ClientID: clientID, ClientSecret: clientSecret, RedirectURI: redirectURL, Now: clock,
	})}
	s.Client = google.New(google.Options{
		ClientID: clientID, ClientSecret: clientSecret, Transport: testkit.NewTransport(t, s.Provider),
		Timeout: 10 * time.Second, Now: func() time.Time { return now }, Metrics: metrics.New(nil),
	})
	return s
}

// newPlaces returns the sandbox's public places behind HTTP, and a client of them.
func newPlaces(t *testing.T, key string) (*fake.Fake, *google.Places) {
	fake := places.New(apiKey)
	return fake, google.NewPlaces(google.Options{
		APIKey: key, Transport: testkit.NewTransport(t, fake), Timeout: 10 * time.Second, Now: clock,
		Metrics: metrics.New(nil),
	})
}

func ok(body string) fake.Reply { return fake.Reply{Body: body} }

func failed(status int, body string) fake.Reply { return fake.Reply{Status: status, Body: body} }

// wantFault is testkit.WantFault with the secrets of these tests.
func wantFault(t *testing.T, err error, code fault.Code) *fault.Error {
	t.Helper()
	return testkit.WantFault(t, err, code, clientSecret, apiKey, verifier, someCode, someToken)
}
