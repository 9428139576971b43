package google_test

import (
	"reflect"
	"strings"
	"testing"

	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider/providertest"
)

const fullPlace = `{"id":"ChIJ5","displayName":{"text":"Nowak Auto-Serwis","languageCode":"pl"},
	"formattedAddress":"Długa 12, 00-238 Warszawa, Polska",
	"postalAddress":{"regionCode":"PL","postalCode":"00-238","locality":"Warszawa","addressLines":["ul. Długa 12"]},
	"nationalPhoneNumber":"22 123 45 67","internationalPhoneNumber":"+48 22 123 45 67",
	"websiteUri":"https://nowak.example/",
	"regularOpeningHours":{"periods":[{"open":{"day":1,"hour":8,"minute":0},"close":{"day":1,"hour":16,"minute":30}},
		{"open":{"day":0,"hour":10,"minute":0},"close":{"day":0,"hour":14,"minute":0}}],
		"weekdayDescriptions":["poniedziałek: 08:00–16:30"]},
	"types":["car_repair","tire_shop","point_of_interest","establishment"],"primaryType":"car_repair",
	"primaryTypeDisplayName":{"text":"Warsztat samochodowy","languageCode":"pl"},
	"photos":[{"name":"p/1"},{"name":"p/2"},{"name":"p/3"}],
	"editorialSummary":{"text":" Warsztat z tradycją.\n","languageCode":"pl"},
	"rating":4.6,"userRatingCount":128,"businessStatus":"OPERATIONAL"}`

var nowak = google.PlaceQuery{
	Name: "Auto Serwis Nowak Sp. z o.o.", Address: "ul. Długa 12, 00-238 Warszawa", Phone: "+48 22 123 45 67",
	Website: "https://www.nowak.example",
}

func withPlaceID(c google.PlaceQuery, id string) google.PlaceQuery {
	c.PlaceID = id
	return c
}

func TestFindPlace(t *testing.T) {
	want := google.Business{
		PlaceID: "ChIJ5", Name: "Nowak Auto-Serwis", Address: "ul. Długa 12, 00-238 Warszawa",
		Phone: "+48 22 123 45 67", Website: "https://nowak.example/",
		Hours:      []string{"poniedziałek: 08:00–16:30", "niedziela: 10:00–14:00"},
		Categories: []string{"Warsztat samochodowy"}, Description: "Warsztat z tradycją.",
		PhotoCount: 3, ReviewCount: 128, AverageRating: 4.6,
	}
	const details, search = "GET /v1/places/", "POST /v1/places:searchText"
	unknown, invalid := googleError(404, "NOT_FOUND", "", ""), googleError(400, "INVALID_ARGUMENT", "", "")
	tests := []struct {
		name  string
		id    string
		reply reply  // to the request for id
		calls string // ids in paths, and "search"
	}{
		{name: "by id", id: "ChIJ5", reply: ok(fullPlace), calls: "ChIJ5"},
		{name: "by name and address", calls: "search"},
		{name: "unknown id", id: "ChIJold", reply: unknown, calls: "ChIJold search"},
		{name: "id of another form", id: "not an id", reply: invalid, calls: "not%20an%20id search"},
		{name: "id with a path and a query", id: "a/../b?c#d", reply: invalid, calls: "a%2F..%2Fb%3Fc%23d search"},
		{name: "moved", id: "m", reply: ok(`{"id":"m","movedPlace":"places/ChIJ5","movedPlaceId":"ChIJ5"}`),
			calls: "m ChIJ5"},
		{name: "moved, only the new id", id: "m", reply: ok(`{"id":"m","movedPlaceId":"ChIJ5"}`), calls: "m ChIJ5"},
		{name: "moved, no new id", id: "m", reply: ok(`{"id":"m","movedPlace":"places/ChIJ5"}`), calls: "m search"},
		{name: "moved twice", id: "m", reply: ok(`{"id":"m","movedPlaceId":"moved"}`), calls: "m moved search"},
		{name: "moved, new id unknown", id: "m", reply: ok(`{"id":"m","movedPlaceId":"gone"}`), calls: "m gone search"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t, nil)
			s.Replies[search] = ok(`{"places":[` + fullPlace + `]}`)
			s.Replies[details+"moved"] = ok(`{"id":"moved","movedPlaceId":"ChIJ5"}`)
			s.Replies[details+"gone"] = unknown
			s.Replies[details+"ChIJ5"] = ok(fullPlace)
			if first, _, _ := strings.Cut(test.calls, " "); test.id != "" {
				s.Replies[details+first] = test.reply
			}
			got, err := newPlaces(s).FindPlace(t.Context(), withPlaceID(nowak, test.id))
			wantFault(t, err, "")
			if !reflect.DeepEqual(got, want) {
				t.Errorf("profile = %+v\nwant %+v", got, want)
			}
			if calls := strings.NewReplacer(details, "", search, "search").
				Replace(strings.Join(s.Requests(), " ")); calls != test.calls {
				t.Errorf("calls = %s, want %s", calls, test.calls)
			}
		})
	}
}

// The sandbox checks the key and the masks, and gives only the fields that they name.
func TestFindPlaceAsksForAllFields(t *testing.T) {
	s := newPlacesFake(t)
	bakery := google.PlaceQuery{Name: "Piekarnia Kowalski", Address: "ul. Floriańska 12, 31-021 Kraków"}
	found, err := newPlaces(s).FindPlace(t.Context(), bakery)
	wantFault(t, err, "")
	read, err := newPlaces(s).FindPlace(t.Context(), withPlaceID(bakery, found.PlaceID))
	wantFault(t, err, "")
	if !reflect.DeepEqual(found, read) || len(found.Hours) != 7 {
		t.Fatalf("found %+v\nread  %+v, want both the same and everything that the bakery has", found, read)
	}
	if found.Phone == "" || found.Website == "" {
		t.Fatalf("found %+v\nread  %+v, want both the same and everything that the bakery has", found, read)
	}
	if found.Description == "" || found.PhotoCount != 10 {
		t.Fatalf("found %+v\nread  %+v, want both the same and everything that the bakery has", found, read)
	}
	if found.ReviewCount != 218 || found.AverageRating != 4.7 {
		t.Fatalf("found %+v\nread  %+v, want both the same and everything that the bakery has", found, read)
	}
	if found.Address != "Floriańska 12, 31-021 Kraków" {
		t.Errorf("found %+v\nread  %+v, want both the same and everything that the bakery has", found, read)
	}
	again, err := newPlaces(s).FindPlace(t.Context(), withPlaceID(bakery, "ChIJdemo-no-such-place_________"))
	if wantFault(t, err, ""); again.PlaceID != found.PlaceID {
		t.Errorf("with an outdated id: %+v", again)
	}
	search, details := s.Calls[0], s.Calls[1]
	if want := `{"languageCode":"pl","pageSize":5,"regionCode":"PL","textQuery":"Piekarnia Kowalski ul. Floriańska ` +
		`12, 31-021 Kraków"}`; search.Body != want || search.Header.Get("Content-Type") != "application/json" {
		t.Errorf("searched with %s, want %s", search.Body, want)
	}
	if details.Query.Encode() != "languageCode=pl&regionCode=PL" {
		t.Errorf("read with %v", details.Query)
	}
}

func TestFindPlaceWithoutAddressOrHours(t *testing.T) {
	const hours = `"regularOpeningHours":{"periods":[{"open":{"day":0,"hour":0,"minute":0}}]}`
	tests := []struct {
		name, fields string // of the place
		noAddress    bool
		noHours      bool
		hours        int // lines
	}{
		{name: "none", fields: `"name":"x"`},
		{name: "always open", fields: `"businessStatus":"OPERATIONAL",` + hours, hours: 7},
		{name: "closed for good", fields: `"businessStatus":"CLOSED_PERMANENTLY",` + hours, noHours: true},
		{name: "visits customers", fields: `"pureServiceAreaBusiness":true`, noAddress: true},
		{name: "visits customers, but shows an address",
			fields: `"pureServiceAreaBusiness":true,"formattedAddress":"x"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t, nil)
			s.Replies["GET /v1/places/ChIJ5"] = ok(`{"id":"ChIJ5",` + test.fields + `}`)
			got, err := newPlaces(s).FindPlace(t.Context(), google.PlaceQuery{PlaceID: "ChIJ5"})
			wantFault(t, err, "")
			if got.NoAddress != test.noAddress || got.NoHours != test.noHours || len(got.Hours) != test.hours {
				t.Errorf("business = %+v, want no address %t, no hours %t, %d lines of hours", got, test.noAddress,
					test.noHours, test.hours)
			}
			if got.PhotoCount != 0 || got.ReviewCount != 0 {
				t.Fatalf("profile = %+v, want nothing made up", got)
			}
			if got.AverageRating != 0 || got.Categories != nil {
				t.Errorf("profile = %+v, want nothing made up", got)
			}
		})
	}
}

func TestFindPlaceFallbacks(t *testing.T) {
	s := newServer(t, nil)
	s.Replies["GET /v1/places/ChIJ5"] = ok(`{"id":"ChIJ5","formattedAddress":"Długa 12, 00-238 Warszawa, Polska",
		"nationalPhoneNumber":"22 123 45 67","types":["car_repair","establishment"],"primaryType":"car_repair"}`)
	got, err := newPlaces(s).FindPlace(t.Context(), google.PlaceQuery{PlaceID: "ChIJ5"})
	wantFault(t, err, "")
	if got.Address != "Długa 12, 00-238 Warszawa, Polska" || got.Phone != "22 123 45 67" || got.Categories != nil {
		t.Errorf("profile = %+v", got)
	}
}

func TestFindPlaceFaults(t *testing.T) {
	another := ok(`{"places":[` + strings.Replace(fullPlace, "Nowak Auto-Serwis", "Pizzeria Roma", 1) + `]}`)
	badMask := googleError(400, "INVALID_ARGUMENT", "", "")
	tests := []struct {
		name            string
		company         google.PlaceQuery
		details, search reply
		want            string
		calls           int
	}{
		{name: "nothing found", company: nowak, search: ok("{}"), want: providertest.Gone, calls: 1},
		{name: "another company found", company: nowak, search: another, want: providertest.Gone, calls: 1},
		{name: "nothing to search by", want: providertest.Gone},
		{
			name: "unknown id, another company found", company: withPlaceID(nowak, "ChIJ5"),
			details: googleError(404, "NOT_FOUND", "", ""), search: another, want: providertest.Gone, calls: 2,
		},
		{name: "answer without an id", company: withPlaceID(nowak, "ChIJ5"), details: ok(`{}`),
			want: providertest.Changed, calls: 1},
		{name: "null", company: withPlaceID(nowak, "ChIJ5"), details: ok(`null`), want: providertest.Changed, calls: 1},
		{
			name: "mask refused by both", company: withPlaceID(nowak, "ChIJ5"), details: badMask, search: badMask,
			want: providertest.Changed, calls: 2,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t, nil)
			s.Replies["GET /v1/places/ChIJ5"], s.Replies["POST /v1/places:searchText"] = test.details, test.search
			_, err := newPlaces(s).FindPlace(t.Context(), test.company)
			if wantFault(t, err, test.want); len(s.Calls) != test.calls {
				t.Errorf("%d calls, want %d", len(s.Calls), test.calls)
			}
		})
	}
}

func TestFindPlaceKey(t *testing.T) {
	s := newPlacesFake(t)
	for key, calls := range map[string]int{"": 0, "AIzaOther": 1} {
		s.Calls = nil
		_, err := google.NewPlaces(google.PlacesOptions{APIKey: key, Transport: s, Now: clock}).
			FindPlace(t.Context(), nowak)
		if wantFault(t, err, providertest.Operator); len(s.Calls) != calls {
			t.Errorf("with key %q: %d calls, want %d", key, len(s.Calls), calls)
		}
	}
}
