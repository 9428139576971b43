package google_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/google"
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
		{"https://firma.pl/", []string{"https://firma.pl/blog/", "https://firma.pl/"},
			[]string{"https://firma.pl/", "https://firma.pl/blog/"}},
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

// TestVoiceOfMerchant: a location whose owner has a say has no signal, and each reason why
// not has its own.
func TestVoiceOfMerchant(t *testing.T) {
	for state, want := range map[string][]google.Signal{
		`{"hasVoiceOfMerchant":true,"hasBusinessAuthority":true}`:                         {},
		`{"hasBusinessAuthority":true,"waitForVoiceOfMerchant":{}}`:                       {google.SignalUnderReview},
		`{"resolveOwnershipConflict":{}}`:                                                 {google.SignalDuplicate},
		`{"complyWithGuidelines":{"recommendationReason":"BUSINESS_LOCATION_SUSPENDED"}}`: {google.SignalSuspended},
		`{"verify":{}}`: {google.SignalNotVerified},
	} {
		site, s := newGoogle(t)
		site.SetReply("GET /v1/locations/1", fake.Reply{Body: `{"name":"locations/1","title":"Firma","metadata":{}}`})
		site.SetReply("GET /v1/locations/1/VoiceOfMerchantState", fake.Reply{Body: state})
		got, err := newSearch(s).ReadLocation(t.Context(), someToken, "locations/1")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Signals); diff != "" {
			t.Errorf("%s: %s", state, diff)
		}
	}
}

// TestAgencyWithManyGroups: the locations of 230 groups are read in few requests, and each
// of them can be read by its name alone.
func TestAgencyWithManyGroups(t *testing.T) {
	site, s := newGoogle(t)
	site.SetReply("GET /v1/accounts", fake.Reply{Body: `{"accounts":[{"name":"accounts/1"}],"nextPageToken":"more"}`})
	for page := range 3 {
		locations, next := "", `,"nextPageToken":"`+fmt.Sprint(page+1)+`"`
		for i := page * 100; i < min(page*100+100, 230); i++ {
			locations += fmt.Sprintf(`,{"name":"locations/%d"}`, i)
		}
		if page == 2 {
			next = ""
		}
		pattern := "GET /v1/accounts/-/locations"
		if page > 0 {
			pattern += "?pageToken=" + fmt.Sprint(page)
		}
		site.SetReply(pattern, fake.Reply{Body: `{"locations":[` + locations[1:] + `]` + next + `}`})
	}
	list, err := newSearch(s).Locations(t.Context(), someToken)
	if err != nil || len(list.Items) != 230 {
		t.Fatalf("%d locations, complete %t, in %d requests, %v", len(list.Items), list.Complete, len(s.Calls), err)
	}
	if !list.Complete || len(s.Calls) != 4 {
		t.Errorf("%d locations, complete %t, in %d requests, %v", len(list.Items), list.Complete, len(s.Calls), err)
	}
	site.SetReply("GET /v1/locations/229", fake.Reply{Body: `{"name":"locations/229","title":"Ostatnia"}`})
	last, err := newSearch(s).FindLocation(t.Context(), someToken, "locations/229")
	if err != nil || last.Title != "Ostatnia" || len(s.Calls) != 5 {
		t.Errorf("the last location is %+v, %v", last, err)
	}
}

// TestPlaceWithoutAverage: a number of ratings without their average is no average of zero.
func TestPlaceWithoutAverage(t *testing.T) {
	s := newPlacesFake(t)
	s.Replies["GET /v1/places/x"] = ok(`{"id":"x","displayName":{"text":"Firma"},"userRatingCount":12}`)
	got, err := newPlaces(s).FindPlace(t.Context(), google.PlaceQuery{PlaceID: "x"})
	if err != nil || got.ReviewCount != 0 || got.AverageRating != 0 {
		t.Errorf("place = %+v, %v", got, err)
	}
}
