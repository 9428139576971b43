package google_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"testing"
	"time"

	"backend.example/services/directory/internal/google"
)

// console answers as Search Console does, and keeps the bodies of what it was asked.
func console(t *testing.T, answers map[string]string) (*google.Client, *[]map[string]any) {
	t.Helper()
	asked := &[]map[string]any{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/webmasters/v3/sites" {
			_, _ = io.WriteString(w, answers["sites"])
			return
		}
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Method != http.MethodPost ||
			r.URL.EscapedPath() != "/webmasters/v3/sites/sc-domain:firma.pl/searchAnalytics/query" &&
				r.URL.EscapedPath() != "/webmasters/v3/sites/https:%2F%2Ffirma.pl%2F/searchAnalytics/query" {
			t.Errorf("%s %s: %v", r.Method, r.URL.EscapedPath(), err)
		}
		*asked = append(*asked, body)
		dimension, _ := body["dimensions"].([]any)[0].(string)
		_, _ = io.WriteString(w, answers[dimension])
	}))
	t.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Date(2026, time.November, 22, 3, 0, 0, 0, time.UTC) } // still the 21st at the Pacific
	return google.New(google.Options{BaseURL: base, Now: now}), asked
}

func TestSites(t *testing.T) {
	search, _ := console(t, map[string]string{"sites": `{"siteEntry":[
		{"siteUrl":"https://a.pl/","permissionLevel":"siteUnverifiedUser"},{"siteUrl":"https://b.pl/","permissionLevel":"SITE_UNVERIFIED_USER"},
		{"siteUrl":"sc-domain:firma.pl","permissionLevel":"siteRestrictedUser"},{"siteUrl":"https://c.pl/","permissionLevel":"SITE_OWNER"}]}`})
	sites, err := search.Sites(t.Context(), someToken)
	if err != nil || !slices.Equal(sites, []string{"sc-domain:firma.pl", "https://c.pl/"}) {
		t.Errorf("sites %q, %v", sites, err)
	}
}

func TestReadSearch(t *testing.T) {
	search, asked := console(t, map[string]string{
		"date":  `{"rows":[{"keys":["2026-10-22"],"clicks":1,"impressions":10,"ctr":0.1,"position":3.2}],"responseAggregationType":"byProperty"}`,
		"query": `{"rows":[{"keys":["chleb"],"clicks":1.0,"impressions":8,"ctr":0.125,"position":2}],"responseAggregationType":"byProperty"}`,
	})
	got, err := search.ReadSearch(t.Context(), someToken, "sc-domain:firma.pl")
	want := google.SearchData{
		Site: "sc-domain:firma.pl", From: "2026-10-22", To: "2026-11-18",
		Days:    []google.SearchDay{{Day: "2026-10-22", Clicks: 1, Impressions: 10, Position: 3.2}},
		Queries: []google.SearchQuery{{Query: "chleb", Clicks: 1, Impressions: 8, CTR: 0.125, Position: 2}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("ReadSearch = %+v, %v", got, err)
	}
	first := map[string]any{
		"startDate": "2026-10-22", "endDate": "2026-11-18", "dimensions": []any{"date"}, "rowLimit": 28.0, "type": "web", "dataState": "final",
	}
	if len(*asked) != 2 || !reflect.DeepEqual((*asked)[0], first) || (*asked)[1]["rowLimit"] != 10.0 {
		t.Errorf("asked %v", *asked)
	}
}

func TestReadSearchOfNothing(t *testing.T) {
	search, _ := console(t, map[string]string{"date": `{"responseAggregationType":"byProperty"}`, "query": `{}`})
	if got, err := search.ReadSearch(t.Context(), someToken, "https://firma.pl/"); err != nil || len(got.Days)+len(got.Queries) > 0 {
		t.Errorf("ReadSearch = %+v, %v", got, err)
	}
	search, _ = console(t, map[string]string{"date": `{"rows":[{"clicks":1}]}`})
	_, err := search.ReadSearch(t.Context(), someToken, "https://firma.pl/")
	wantFault(t, err, changed)
}
