package google_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"testing"
	"time"

	"backend.example/services/directory/internal/google"
)

// console answers as Search Console does by the first dimension of a query.
func console(t *testing.T, answers map[string]string) (*google.Client, *server) {
	t.Helper()
	s := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var query struct{ Dimensions []string }
		if err := json.NewDecoder(r.Body).Decode(&query); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, answers[query.Dimensions[0]])
	}))
	still := func() time.Time { return time.Date(2026, time.November, 22, 3, 0, 0, 0, time.UTC) } // the 21st at the Pacific
	return google.New(google.Options{Transport: s, Now: still}), s
}

func TestReadSearch(t *testing.T) {
	search, s := console(t, map[string]string{
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
	const asked = `{"startDate":"2026-10-22","endDate":"2026-11-18","dimensions":["%s"],"rowLimit":%d,"type":"web","dataState":"final"}`
	for i, want := range []string{fmt.Sprintf(asked, "date", 28), fmt.Sprintf(asked, "query", 10)} {
		if i >= len(s.Calls) || s.Calls[i].Body != want || s.Calls[i].Path != "/webmasters/v3/sites/sc-domain:firma.pl/searchAnalytics/query" {
			t.Errorf("call %d of %+v, want %s", i, s.Calls, want)
		}
	}
}

func TestReadSearchOfNothing(t *testing.T) {
	search, s := console(t, map[string]string{"date": `{"responseAggregationType":"byProperty"}`, "query": `{}`})
	if got, err := search.ReadSearch(t.Context(), someToken, "https://firma.pl/"); err != nil || len(got.Days)+len(got.Queries) > 0 {
		t.Errorf("ReadSearch = %+v, %v", got, err)
	}
	if path := s.Calls[0].Path; path != "/webmasters/v3/sites/https:%2F%2Ffirma.pl%2F/searchAnalytics/query" {
		t.Errorf("asked %s", path)
	}
	search, _ = console(t, map[string]string{"date": `{"rows":[{"clicks":1}]}`})
	_, err := search.ReadSearch(t.Context(), someToken, "https://firma.pl/")
	wantFault(t, err, changed)
}
