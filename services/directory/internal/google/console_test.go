package google_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// TestSitesOf: the figures of the website itself come before those of others that share
// its host or its domain.
func TestSitesOf(t *testing.T) {
	tests := []struct {
		website string
		sites   []string
		want    []string
	}{
		{
			"https://www.firma.pl/", []string{"http://firma.pl/", "http://www.firma.pl/", "https://firma.pl/",
				"https://www.firma.pl/"},
			[]string{"https://www.firma.pl/", "http://www.firma.pl/", "https://firma.pl/", "http://firma.pl/"},
		},
		{"https://www.firma.pl/", []string{"https://www.firma.pl/blog/", "http://firma.pl/"},
			[]string{"http://firma.pl/", "https://www.firma.pl/blog/"}},
		{
			"https://klient.agencja.pl/", []string{"sc-domain:agencja.pl", "https://klient.agencja.pl/"},
			[]string{"https://klient.agencja.pl/", "sc-domain:agencja.pl"},
		},
		{"https://firma.pl/sklep", []string{"https://firma.pl/", "https://firma.pl/sklep/"},
			[]string{"https://firma.pl/sklep/", "https://firma.pl/"}},
		{"https://a.b.firma.pl", []string{"sc-domain:firma.pl", "sc-domain:b.firma.pl"},
			[]string{"sc-domain:b.firma.pl", "sc-domain:firma.pl"}},
		{"https://www.firma.pl", []string{"sc-domain:firma.pl", "http://firma.pl"},
			[]string{"http://firma.pl", "sc-domain:firma.pl"}},
		{"https://xn--piekarniata-yeb14hfx.pl/", []string{"https://piekarniażółta.pl/"},
			[]string{"https://piekarniażółta.pl/"}},
		{"piekarniażółta.pl", []string{"sc-domain:xn--piekarniata-yeb14hfx.pl"},
			[]string{"sc-domain:xn--piekarniata-yeb14hfx.pl"}},
		{"HTTPS://Firma.PL", []string{"https://firma.pl/"}, []string{"https://firma.pl/"}},
		{"https://firma.pl/", []string{"https://inna-firma.pl/", "sc-domain:rma.pl", "https://sklep.firma.pl/"}, nil},
		{"", []string{"https://firma.pl/"}, nil},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, google.SitesOf(test.website, test.sites)); diff != "" {
			t.Errorf("%s: %s", test.website, diff)
		}
	}
}

// TestReadSearch reads the figures of the sandbox. A day ends at midnight at the Pacific, and is final three
// days later.
func TestReadSearch(t *testing.T) {
	for at, want := range map[time.Time]string{
		time.Date(2026, time.November, 22, 7, 59, 0, 0, time.UTC): "2026-10-22 2026-11-18",
		time.Date(2026, time.November, 22, 8, 0, 0, 0, time.UTC):  "2026-10-23 2026-11-19",
	} {
		s := newSiteAt(t, at)
		got, err := s.ReadSearch(t.Context(), s.Grant("anna", scopeWebmasters).Access, domain)
		wantFault(t, err, none)
		if got.From+" "+got.To != want {
			t.Errorf("at %v: from %s to %s, want %s", at, got.From, got.To, want)
		}
		if len(got.Days) != 28 || got.Days[0].Day != got.From {
			t.Errorf("days %+v", got.Days)
		}
		if len(got.Earlier) != 180-28 || len(got.Queries) != 10 {
			t.Errorf("%d days before, %d queries", len(got.Earlier), len(got.Queries))
		}
	}
}

func TestSearchFigures(t *testing.T) {
	const rows = `{"rows":[{"keys":["2026-10-19"],"clicks":2,"impressions":20,"ctr":0.1,"position":5},
		{"keys":["2026-11-18"],"clicks":1.0,"impressions":10,"ctr":0.1,"position":3.2}]}`
	window := google.SearchData{Site: domain, From: "2026-10-22", To: "2026-11-18", Days: []google.SearchDay{},
		Earlier: []google.SearchDay{}, Queries: []google.SearchQuery{}}
	read := window
	read.Days = []google.SearchDay{{Day: "2026-11-18", Clicks: 1, Impressions: 10, Position: 3.2}}
	read.Earlier = []google.SearchDay{{Day: "2026-10-19", Clicks: 2, Impressions: 20, Position: 5}}
	read.Queries = []google.SearchQuery{
		{Query: "2026-10-19", Clicks: 2, Impressions: 20, CTR: 0.1, Position: 5},
		{Query: "2026-11-18", Clicks: 1, Impressions: 10, CTR: 0.1, Position: 3.2},
	}
	for body, test := range map[string]struct {
		want  google.SearchData
		fault fault.Code
	}{
		rows:                      {want: read},
		`{}`:                      {want: window},
		`{"rows":[{"clicks":1}]}`: {want: window, fault: provider.CodeChanged},
	} {
		s := newSite(t)
		s.SetReply("POST /webmasters/v3/sites/"+domain+"/searchAnalytics/query", ok(body))
		got, err := s.ReadSearch(t.Context(), someToken, domain)
		wantFault(t, err, test.fault)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
}
