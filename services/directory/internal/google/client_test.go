package google_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/budget"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/provider/providertest"
	"backend.example/services/internal/kit/pace"
)

const (
	scopeProfile    = "https://www.googleapis.com/auth/business.manage"
	scopeWebmasters = "https://www.googleapis.com/auth/webmasters.readonly"
)

func TestSearchAuthURL(t *testing.T) {
	tests := []struct {
		service provider.Service
		base    *url.URL
		address string
		scope   string
	}{
		{service: provider.SearchProfile, address: "https://accounts.google.com/o/oauth2/v2/auth", scope: "openid " +
			scopeProfile},
		{
			service: provider.SearchAnalytics, base: &url.URL{Scheme: "http", Host: "127.0.0.1:9093"},
			address: "http://127.0.0.1:9093/o/oauth2/v2/auth", scope: "openid " + scopeWebmasters,
		},
	}
	for _, test := range tests {
		t.Run(string(test.service), func(t *testing.T) {
			search := google.New(google.Options{ClientID: clientID, ClientSecret: clientSecret, BaseURL: test.base})
			want := url.Values{
				"client_id": {clientID}, "redirect_uri": {redirectURL}, "response_type": {"code"},
				"state": {"7:3:a b&c"},
				"scope": {test.scope}, "access_type": {"offline"}, "prompt": {"consent"},
				"code_challenge": {challenge()}, "code_challenge_method": {"S256"},
			}
			if got := search.AuthURL([]provider.Service{test.service}, "7:3:a b&c", verifier,
				redirectURL); got != test.address+"?"+want.Encode() {
				t.Errorf("AuthURL = %s\nwant %s?%s", got, test.address, want.Encode())
			}
		})
	}
}

func TestConfiguredNeedsIDAndSecret(t *testing.T) {
	for _, test := range []struct {
		id, secret string
		want       bool
	}{{"", "", false}, {"1", "", false}, {"", "2", false}, {"1", "2", true}} {
		if got := google.New(google.Options{ClientID: test.id, ClientSecret: test.secret}).
			Configured(); got != test.want {
			t.Errorf("with id %q and secret %q: configured %t", test.id, test.secret, got)
		}
	}
}

func TestSearchLacks(t *testing.T) {
	search := google.New(google.Options{})
	tests := []struct {
		name    string
		service provider.Service
		granted []string
		want    []string
	}{
		{"profile", provider.SearchProfile, []string{"openid", scopeProfile}, nil},
		{"profile unticked", provider.SearchProfile, []string{"openid"}, []string{scopeProfile}},
		{"Search Console alone", provider.SearchAnalytics, []string{"openid", scopeWebmasters}, nil},
		{"nothing", provider.SearchAnalytics, nil, []string{scopeWebmasters}},
		{"wider scope", provider.SearchAnalytics, []string{"https://www.googleapis.com/auth/webmasters"}, nil},
		{"scope of another service", provider.SearchProfile, []string{scopeWebmasters}, []string{scopeProfile}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := search.Lacks(test.service, test.granted); !slices.Equal(got, test.want) {
				t.Errorf("Lacks = %v, want %v", got, test.want)
			}
		})
	}
}

func operations(transport http.RoundTripper, base *url.URL) providertest.Operations {
	search := google.New(
		google.Options{ClientID: clientID, ClientSecret: clientSecret, BaseURL: base, Transport: transport, Now: clock},
	)
	places := google.NewPlaces(google.PlacesOptions{APIKey: apiKey, BaseURL: base, Transport: transport, Now: clock})
	connection := provider.Token{AccessToken: someToken, RefreshToken: someToken}
	return providertest.Operations{
		"Exchange": func(ctx context.Context) error {
			_, err := search.Exchange(ctx, []provider.Service{provider.SearchProfile}, someCode, verifier, redirectURL)
			return err
		},
		"Refresh":   func(ctx context.Context) error { _, err := search.Refresh(ctx, connection); return err },
		"Revoke":    func(ctx context.Context) error { return search.Revoke(ctx, connection) },
		"Sites":     func(ctx context.Context) error { _, err := search.Sites(ctx, someToken); return err },
		"Locations": func(ctx context.Context) error { _, err := search.Locations(ctx, someToken); return err },
		"ReadLocation": func(ctx context.Context) error {
			_, err := search.ReadLocation(ctx, someToken, "locations/1")
			return err
		},
		"ReadPerformance": func(ctx context.Context) error {
			_, err := search.ReadPerformance(ctx, someToken, google.PerformanceQuery{Location: "locations/1"})
			return err
		},
		"places: by id": func(ctx context.Context) error {
			_, err := places.FindPlace(ctx, withPlaceID(nowak, "x"))
			return err
		},
		"places: by name": func(ctx context.Context) error { _, err := places.FindPlace(ctx, nowak); return err },
	}
}

func TestAddresses(t *testing.T) {
	providertest.CheckAddresses(t, operations, []string{
		"https://businessprofileperformance.googleapis.com/v1/locations/1/searchkeywords/impressions/monthly",
		"https://businessprofileperformance.googleapis.com/v1/locations/1:fetchMultiDailyMetricsTimeSeries",
		"https://mybusinessaccountmanagement.googleapis.com/v1/accounts",
		"https://mybusinessbusinessinformation.googleapis.com/v1/accounts/1/locations",
		"https://mybusinessbusinessinformation.googleapis.com/v1/locations/1",
		"https://mybusinessverifications.googleapis.com/v1/locations/1/VoiceOfMerchantState",
		"https://oauth2.googleapis.com/revoke",
		"https://oauth2.googleapis.com/token",
		"https://places.googleapis.com/v1/places/x",
		"https://places.googleapis.com/v1/places:searchText",
		"https://searchconsole.googleapis.com/webmasters/v3/sites",
	})
}

// TestTurns checks that the calls of each API take a turn in its budget, as those of people
// or of scans, and those of the token endpoints do not, because a renewal holds a lock.
func TestTurns(t *testing.T) {
	s := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"a","name":"locations/1"}`)
	}))
	budgets, turns := budget.Budgets{}, map[string]bool{}
	for _, api := range google.APIs() {
		budgets[api] = budget.New(budget.Options{
			PerMinute: 60_000, Clock: &pace.Memory{}, OnTurn: func(by string) { turns[api+" "+by] = true },
		})
	}
	people := google.New(google.Options{Transport: s, Now: clock, Budgets: budgets})
	places := google.NewPlaces(
		google.PlacesOptions{APIKey: apiKey, Transport: s, Now: clock, Budget: budgets["places"]},
	)
	for _, client := range []*google.Client{people, people.ForScans()} {
		_, _ = client.Locations(t.Context(), someToken)
		_, _ = client.ReadLocation(t.Context(), someToken, "locations/1")
		_, _ = client.ReadPerformance(t.Context(), someToken, google.PerformanceQuery{Location: "locations/1"})
		_, _ = client.ReadSearch(t.Context(), someToken, "sc-domain:firma.pl")
	}
	_, _ = places.FindPlace(t.Context(), google.PlaceQuery{PlaceID: "place-1"})
	_, _ = places.ForScans().FindPlace(t.Context(), google.PlaceQuery{PlaceID: "place-1"})
	want := map[string]bool{}
	for _, api := range google.APIs() {
		want[api+" people"], want[api+" scans"] = true, true
	}
	if diff := cmp.Diff(want, turns); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
	clear(turns)
	token := provider.Token{AccessToken: someToken, RefreshToken: someToken}
	if _, err := people.Refresh(t.Context(), token); err != nil || len(turns) > 0 {
		t.Errorf("Refresh: %v, took turns %v", err, turns)
	}
	if err := people.Revoke(t.Context(), token); err != nil || len(turns) > 0 {
		t.Errorf("Revoke: %v, took turns %v", err, turns)
	}
}

// console answers as Search Console does by the first dimension of a query.
func console(t *testing.T, answers map[string]string) (*google.Client, *server) {
	t.Helper()
	s := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			t.Errorf("asked with %s", r.Method)
		}
		var query struct{ Dimensions []string }
		if err := json.NewDecoder(r.Body).Decode(&query); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, answers[query.Dimensions[0]])
	}))
	// the 21st at the Pacific
	still := func() time.Time { return time.Date(2026, time.November, 22, 3, 0, 0, 0, time.UTC) }
	return google.New(google.Options{Transport: s, Now: still}), s
}

// TestReadSearchCountsDaysOfThePacific checks the last day whose figures are final just before
// and at midnight there, by a clock in Warsaw.
func TestReadSearchCountsDaysOfThePacific(t *testing.T) {
	warsaw := time.FixedZone("Europe/Warsaw", 3600)
	for at, want := range map[time.Time]string{
		time.Date(2026, time.November, 22, 8, 59, 0, 0, warsaw): "2026-11-18",
		time.Date(2026, time.November, 22, 9, 0, 0, 0, warsaw):  "2026-11-19",
	} {
		s := newServer(t, nil)
		s.Replies["POST /webmasters/v3/sites/sc-domain:firma.pl/searchAnalytics/query"] = ok(`{}`)
		search := google.New(google.Options{Transport: s, Now: func() time.Time { return at }})
		if got, err := search.ReadSearch(t.Context(), someToken, "sc-domain:firma.pl"); err != nil || got.To != want {
			t.Errorf("at %v: until %s, %v, want %s", at, got.To, err, want)
		}
	}
}

func TestReadSearch(t *testing.T) {
	search, s := console(t, map[string]string{
		"date": `{"rows":[{"keys":["2026-10-21"],"clicks":2,"impressions":20,"ctr":0.1,"position":5},` +
			`{"keys":["2026-10-22"],"clicks":1,"impressions":10,"ctr":0.1,"position":3.2}],` +
			`"responseAggregationType":"byProperty"}`,
		"query": `{"rows":[{"keys":["chleb"],"clicks":1.0,"impressions":8,"ctr":0.125,"position":2}],` +
			`"responseAggregationType":"byProperty"}`,
	})
	got, err := search.ReadSearch(t.Context(), someToken, "sc-domain:firma.pl")
	want := google.SearchData{
		Site: "sc-domain:firma.pl", From: "2026-10-22", To: "2026-11-18",
		Days:    []google.SearchDay{{Day: "2026-10-22", Clicks: 1, Impressions: 10, Position: 3.2}},
		Earlier: []google.SearchDay{{Day: "2026-10-21", Clicks: 2, Impressions: 20, Position: 5}},
		Queries: []google.SearchQuery{{Query: "chleb", Clicks: 1, Impressions: 8, CTR: 0.125, Position: 2}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("ReadSearch = %+v, %v", got, err)
	}
	const asked = `{"startDate":"%s","endDate":"2026-11-18","dimensions":["%s"],"rowLimit":%d,"type":"web",` +
		`"dataState":"final"}`
	for i, want := range []string{fmt.Sprintf(asked, "2026-05-23", "date", 180),
		fmt.Sprintf(asked, "2026-10-22", "query", 10)} {
		if i >= len(s.Calls) || s.Calls[i].Body != want {
			t.Fatalf("call %d of %+v, want %s", i, s.Calls, want)
		}
		if s.Calls[i].Token != someToken || s.Calls[i].Path != "/webmasters/v3/sites/sc-domain:firma.pl/"+
			"searchAnalytics/query" {
			t.Errorf("call %d of %+v, want %s", i, s.Calls, want)
		}
	}
}

func TestReadSearchOfNothing(t *testing.T) {
	search, s := console(t, map[string]string{"date": `{"responseAggregationType":"byProperty"}`, "query": `{}`})
	if got, err := search.ReadSearch(t.Context(), someToken, "https://firma.pl/"); err != nil || len(got.Days)+
		len(got.Queries) > 0 {
		t.Errorf("ReadSearch = %+v, %v", got, err)
	}
	if path := s.Calls[0].Path; path != "/webmasters/v3/sites/https:%2F%2Ffirma.pl%2F/searchAnalytics/query" {
		t.Errorf("asked %s", path)
	}
	search, _ = console(t, map[string]string{"date": `{"rows":[{"clicks":1}]}`, "query": `{}`})
	_, err := search.ReadSearch(t.Context(), someToken, "https://firma.pl/")
	wantFault(t, err, providertest.Changed)
}
