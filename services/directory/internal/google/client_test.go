package google_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/oauth2"

	"backend.example/services/directory/internal/budget"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/provider"
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
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", test.service, diff)
		}
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
		"Search Console, too": {provider.SearchAnalytics,
			[]string{strings.TrimSuffix(scopeWebmasters, ".readonly")}, nil},
		"nothing": {provider.SearchAnalytics, nil, []string{scopeWebmasters}},
	} {
		if diff := cmp.Diff(test.want, google.New(google.Options{}).Lacks(test.service, test.granted)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestAddresses compares the address of each call, and the budget in which it takes a turn. The token endpoints have
// none, because a renewal holds a lock.
func TestAddresses(t *testing.T) {
	got, counted, registry := map[string]string{}, map[string]float64{}, prometheus.NewRegistry()
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		api, own := strings.CutSuffix(r.URL.Host, ".googleapis.com")
		if !own || r.URL.Scheme != "https" {
			t.Errorf("request to %s", r.URL)
		}
		before := counted
		counted = testkit.Series(t, registry)
		got[api+r.URL.Path] = ""
		for _, by := range []string{"people", "scans"} {
			series := "directory_provider_requests_total " + api + " " + by + " provider_search"
			if counted[series] > before[series] {
				got[api+r.URL.Path] = by
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
	for _, err := range []error{exchanging, locating, reading, counting, listing, finding, revoking} {
		wantFault(t, err, none)
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
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
