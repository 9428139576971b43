package provider_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/provider"
)

const fullPlace = `{"id":"ChIJ5","displayName":{"text":"Nowak Auto-Serwis","languageCode":"pl"},
	"formattedAddress":"Długa 12, 00-238 Warszawa, Polska",
	"postalAddress":{"regionCode":"PL","postalCode":"00-238","locality":"Warszawa","addressLines":["ul. Długa 12"]},
	"nationalPhoneNumber":"22 123 45 67","internationalPhoneNumber":"+48 22 123 45 67","websiteUri":"https://nowak.example/",
	"regularOpeningHours":{"periods":[{"open":{"day":1,"hour":8,"minute":0},"close":{"day":1,"hour":16,"minute":30}},
		{"open":{"day":0,"hour":10,"minute":0},"close":{"day":0,"hour":14,"minute":0}}],
		"weekdayDescriptions":["poniedziałek: 08:00–16:30"]},
	"types":["car_repair","tire_shop","point_of_interest","establishment"],"primaryType":"car_repair",
	"primaryTypeDisplayName":{"text":"Warsztat samochodowy","languageCode":"pl"},
	"photos":[{"name":"p/1"},{"name":"p/2"},{"name":"p/3"}],
	"editorialSummary":{"text":"Warsztat z tradycją.","languageCode":"pl"},
	"rating":4.6,"userRatingCount":128,"businessStatus":"OPERATIONAL"}`

var placeTold = []directory.Field{
	directory.FieldName, directory.FieldAddress, directory.FieldPhone, directory.FieldWebsite, directory.FieldHours,
	directory.FieldCategories, directory.FieldPhotos, directory.FieldReviews,
}

var nowak = directory.Company{
	Name: "Auto Serwis Nowak Sp. z o.o.", Address: "ul. Długa 12, 00-238 Warszawa", Phone: "+48 22 123 45 67", Website: "https://www.nowak.example",
}

func withPlaceID(c directory.Company, id string) directory.Company {
	c.PlaceID = id
	return c
}

func TestPlacesFindPlace(t *testing.T) {
	want := directory.Profile{
		Source: directory.FromPlaces, Tells: append(slices.Clone(placeTold), directory.FieldDescription), PlaceID: "ChIJ5",
		Name: "Nowak Auto-Serwis", Address: "ul. Długa 12, 00-238 Warszawa", Phone: "+48 22 123 45 67", Website: "https://nowak.example/",
		Hours:      []string{"poniedziałek: 08:00–16:30", "niedziela: 10:00–14:00"},
		Categories: []string{"Warsztat samochodowy", "tire shop"}, Description: "Warsztat z tradycją.",
		PhotoCount: 3, ReviewCount: 128, AverageRating: 4.6, FetchedAt: googleNow,
	}
	details, search := "GET /v1/places/ChIJ5", "POST /v1/places:searchText"
	tests := []struct {
		name  string
		id    string
		calls []string
	}{
		{"by id", "ChIJ5", []string{details}},
		{"by name and address", "", []string{search}},
		{"outdated id", "ChIJold", []string{"GET /v1/places/ChIJold", search}},
		{"id of the wrong form", "not an id", []string{"GET /v1/places/not an id", search}},
		{"id with a path", "a/../b", []string{"GET /v1/places/a/../b", search}},
		{"moved", "ChIJmoved", []string{"GET /v1/places/ChIJmoved", details}},
		{"moved, nobody knows where to", "ChIJgone", []string{"GET /v1/places/ChIJgone", search}},
		{"moved twice", "ChIJtwice", []string{"GET /v1/places/ChIJtwice", "GET /v1/places/ChIJmoved", search}},
		{"moved, new one unknown", "ChIJlost", []string{"GET /v1/places/ChIJlost", "GET /v1/places/ChIJold", search}},
		{"moved, id alone", "ChIJmovedToo", []string{"GET /v1/places/ChIJmovedToo", details}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := newGoogleServer(t)
			server.places = map[string]string{
				"ChIJ5":        fullPlace,
				"ChIJmoved":    `{"id":"ChIJmoved","displayName":{"text":"x"},"movedPlace":"places/ChIJ5","movedPlaceId":"ChIJ5"}`,
				"ChIJgone":     `{"id":"ChIJgone","displayName":{"text":"x"},"movedPlace":"places/ChIJ5"}`,
				"ChIJtwice":    `{"id":"ChIJtwice","displayName":{"text":"x"},"movedPlaceId":"ChIJmoved"}`,
				"ChIJlost":     `{"id":"ChIJlost","displayName":{"text":"x"},"movedPlaceId":"ChIJold"}`,
				"ChIJmovedToo": `{"id":"ChIJmovedToo","displayName":{"text":"x"},"movedPlaceId":"ChIJ5"}`,
			}
			server.results = "[" + fullPlace + "]"
			got, err := server.placesAdapter().FindPlace(t.Context(), withPlaceID(nowak, test.id))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("profile = %+v\nwant %+v", got, want)
			}
			if calls := server.paths(); !slices.Equal(calls, test.calls) {
				t.Errorf("calls = %v, want %v", calls, test.calls)
			}
			if len(server.queries) > 0 && server.queries[0] != nowak.Name+" "+nowak.Address {
				t.Errorf("searched for %q", server.queries[0])
			}
		})
	}
}

func TestPlacesTells(t *testing.T) {
	const hours = `"regularOpeningHours":{"periods":[{"open":{"day":0,"hour":0,"minute":0}}]}`
	tests := []struct {
		name, body string
		tells      []directory.Field
		hours      int
	}{
		{"empty", `{"id":"ChIJ5"}`, placeTold, 0},
		{"always open", `{"id":"ChIJ5","businessStatus":"OPERATIONAL",` + hours + `}`, placeTold, 7},
		{"closed for good", `{"id":"ChIJ5","businessStatus":"CLOSED_PERMANENTLY",` + hours + `}`, without(placeTold, directory.FieldHours), 0},
		{"at the customer's", `{"id":"ChIJ5","pureServiceAreaBusiness":true}`, without(placeTold, directory.FieldAddress), 0},
		{"summary", `{"id":"ChIJ5","editorialSummary":{"text":"Opis."}}`, append(slices.Clone(placeTold), directory.FieldDescription), 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := newGoogleServer(t)
			server.places["ChIJ5"] = test.body
			got, err := server.placesAdapter().FindPlace(t.Context(), directory.Company{PlaceID: "ChIJ5"})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Tells, test.tells) || len(got.Hours) != test.hours {
				t.Errorf("profile = %+v, want it to tell %v, %d lines of hours", got, test.tells, test.hours)
			}
			if got.PhotoCount != 0 || got.ReviewCount != 0 || got.AverageRating != 0 || got.Categories != nil {
				t.Errorf("profile = %+v, want nothing made up", got)
			}
		})
	}
}

func TestPlacesFallbacks(t *testing.T) {
	server := newGoogleServer(t)
	server.places["ChIJ5"] = `{"id":"ChIJ5","formattedAddress":"Długa 12, 00-238 Warszawa, Polska","nationalPhoneNumber":"22 123 45 67",
		"types":["car_repair","establishment"],"primaryType":"car_repair","photos":[` + strings.TrimSuffix(strings.Repeat("{},", 10), ",") + `]}`
	got, err := server.placesAdapter().FindPlace(t.Context(), directory.Company{PlaceID: "ChIJ5"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Address != "Długa 12, 00-238 Warszawa, Polska" || got.Phone != "22 123 45 67" || got.PhotoCount != 10 ||
		!slices.Equal(got.Categories, []string{"car repair"}) {
		t.Errorf("profile = %+v", got)
	}
}

func TestPlacesNone(t *testing.T) {
	other := strings.Replace(fullPlace, "Nowak Auto-Serwis", "Pizzeria Roma", 1)
	tests := []struct {
		name    string
		company directory.Company
		results string
		code    string
		calls   int
	}{
		{"nothing found", nowak, "", directory.CodeGone, 1},
		{"another company", nowak, "[" + other + "]", directory.CodeGone, 1},
		{"nothing to search by", directory.Company{}, "", directory.CodeGone, 0},
		{"outdated id, another company", withPlaceID(nowak, "ChIJold"), "[" + other + "]", directory.CodeGone, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := newGoogleServer(t)
			server.results = test.results
			_, err := server.placesAdapter().FindPlace(t.Context(), test.company)
			wantGoogleFault(t, err, test.code)
			if calls := len(server.paths()); calls != test.calls {
				t.Errorf("%d calls, want %d", calls, test.calls)
			}
		})
	}
}

func TestPlacesOddAnswers(t *testing.T) {
	badMask := refusal(400, "INVALID_ARGUMENT", "", "")
	tests := []struct {
		name            string
		details, search googleReply
	}{
		{"no id", googleReply{status: 200, body: `{}`}, googleReply{}},
		{"null", googleReply{status: 200, body: `null`}, googleReply{}},
		{"mask refused everywhere", badMask, badMask},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := newGoogleServer(t)
			server.replies["/v1/places/ChIJ5"] = test.details
			server.replies["/v1/places:searchText"] = test.search
			_, err := server.placesAdapter().FindPlace(t.Context(), withPlaceID(nowak, "ChIJ5"))
			wantGoogleFault(t, err, directory.CodeChanged)
		})
	}
}

func TestPlacesKey(t *testing.T) {
	server := newGoogleServer(t)
	places := server.placesAdapter(func(o *provider.PlacesOptions) { o.APIKey = "" })
	_, err := places.FindPlace(t.Context(), nowak)
	wantGoogleFault(t, err, directory.CodeOperator)
	if len(server.calls) != 0 {
		t.Errorf("calls = %v", server.paths())
	}
	wrong := server.placesAdapter(func(o *provider.PlacesOptions) { o.APIKey = "AIzaOther" })
	_, err = wrong.FindPlace(t.Context(), withPlaceID(nowak, "ChIJ5"))
	wantGoogleFault(t, err, directory.CodeOperator)
}

func TestGoogleOffTheRoad(t *testing.T) {
	server := newGoogleServer(t)
	search := server.search(func(o *provider.SearchOptions) { o.Transport = brokenRoad{} })
	places := server.placesAdapter(func(o *provider.PlacesOptions) { o.Transport = brokenRoad{} })
	ended, end := context.WithCancel(t.Context())
	end()
	calls := map[string]func(context.Context) error{
		"exchange": func(ctx context.Context) error {
			_, err := search.Exchange(ctx, directory.SearchProfile, googleCode, googleVerifier, googleRedirect)
			return err
		},
		"refresh": func(ctx context.Context) error {
			_, err := search.Refresh(ctx, directory.Connection{RefreshToken: googleRefresh})
			return err
		},
		"revoke": func(ctx context.Context) error {
			return search.Revoke(ctx, directory.Connection{RefreshToken: googleRefresh})
		},
		"locations": func(ctx context.Context) error {
			_, err := search.Locations(ctx, googleAccess)
			return err
		},
		"place": func(ctx context.Context) error {
			_, err := places.FindPlace(ctx, withPlaceID(nowak, "ChIJ5"))
			return err
		},
	}
	for name, call := range calls {
		quickly(t, name, func(t *testing.T) {
			wantGoogleFault(t, call(t.Context()), directory.CodeTemporary)
			if err := call(ended); !errors.Is(err, context.Canceled) {
				t.Errorf("err = %v, want that of the context", err)
			}
		})
	}
}
