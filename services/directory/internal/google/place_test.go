package google_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
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

// TestFindPlace finds the place by its id, or by name and address if the id does not lead to it.
func TestFindPlace(t *testing.T) {
	const details, search = "GET /v1/places/", "POST /v1/places:searchText"
	unknown, invalid := googleError(404, "NOT_FOUND", "", ""), googleError(400, "INVALID_ARGUMENT", "", "")
	want := google.Business{
		PlaceID: "ChIJ5", Name: "Nowak Auto-Serwis", Address: "ul. Długa 12, 00-238 Warszawa",
		Phone: "+48 22 123 45 67", Website: "https://nowak.example/",
		Hours:      []string{"poniedziałek: 08:00–16:30", "niedziela: 10:00–14:00"},
		Categories: []string{"Warsztat samochodowy"}, Description: "Warsztat z tradycją.",
		PhotoCount: 3, ReviewCount: 128, AverageRating: 4.6,
	}
	for name, test := range map[string]struct {
		id       string
		reply    fake.Reply // to the request for id
		requests string     // ids in paths, and "search"
	}{
		"by id":                      {"ChIJ5", ok(fullPlace), "ChIJ5"},
		"by name and address":        {"", ok(""), "search"},
		"unknown id":                 {"ChIJold", unknown, "ChIJold search"},
		"id with a path and a query": {"a/../b?c#d", invalid, "a%2F..%2Fb%3Fc%23d search"},
		"moved": {"m", ok(`{"id":"m","movedPlace":"places/ChIJ5","movedPlaceId":"ChIJ5"}`),
			"m ChIJ5"},
		"moved, only the new id":       {"m", ok(`{"id":"m","movedPlaceId":"ChIJ5"}`), "m ChIJ5"},
		"moved, no new id":             {"m", ok(`{"id":"m","movedPlace":"places/ChIJ5"}`), "m search"},
		"moved twice":                  {"m", ok(`{"id":"m","movedPlaceId":"moved"}`), "m moved search"},
		"moved, the new id is unknown": {"m", ok(`{"id":"m","movedPlaceId":"gone"}`), "m gone search"},
	} {
		t.Run(name, func(t *testing.T) {
			f, places := newPlaces(t, apiKey)
			f.SetReply(search, ok(`{"places":[`+fullPlace+`]}`))
			f.SetReply(details+"moved", ok(`{"id":"moved","movedPlaceId":"ChIJ5"}`))
			f.SetReply(details+"gone", unknown)
			f.SetReply(details+"ChIJ5", ok(fullPlace))
			if first, _, _ := strings.Cut(test.requests, " "); test.id != "" {
				f.SetReply(details+first, test.reply)
			}
			got, err := places.FindPlace(t.Context(), withPlaceID(nowak, test.id))
			wantFault(t, err, none)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			sent := strings.NewReplacer(details, "", search, "search").Replace(strings.Join(requests(f), " "))
			if sent != test.requests {
				t.Errorf("requests %s, want %s", sent, test.requests)
			}
		})
	}
}

// The sandbox checks the masks, and gives only the fields that they name.
func TestFindPlaceAsksForAllFields(t *testing.T) {
	_, places := newPlaces(t, apiKey)
	bakery := google.PlaceQuery{Name: "Piekarnia Kowalski", Address: "ul. Floriańska 12, 31-021 Kraków"}
	found, err := places.FindPlace(t.Context(), bakery)
	wantFault(t, err, none)
	read, err := places.FindPlace(t.Context(), withPlaceID(bakery, found.PlaceID))
	wantFault(t, err, none)
	if diff := cmp.Diff(found, read); diff != "" {
		t.Errorf("found and read by id: %s", diff)
	}
	if found.Phone == "" || found.Website == "" || found.Description == "" {
		t.Errorf("found %+v", found)
	}
	if found.ReviewCount != 218 || found.AverageRating != 4.7 || found.PhotoCount != 10 {
		t.Errorf("%d reviews of %v, %d photos", found.ReviewCount, found.AverageRating, found.PhotoCount)
	}
	if len(found.Hours) != 7 || found.Address != "Floriańska 12, 31-021 Kraków" {
		t.Errorf("address %q, hours %q", found.Address, found.Hours)
	}
}

// TestReadPlace compares what is read of a place. What the API leaves out stays empty.
func TestReadPlace(t *testing.T) {
	for fields, want := range map[string]google.Business{
		`"name":"x"`:                                                      {},
		`"businessStatus":"OPERATIONAL"`:                                  {},
		`"businessStatus":"CLOSED_PERMANENTLY"`:                           {NoHours: true},
		`"pureServiceAreaBusiness":true`:                                  {NoAddress: true},
		`"pureServiceAreaBusiness":true,"formattedAddress":"x"`:           {Address: "x"},
		`"userRatingCount":12`:                                            {}, // without their average
		`"nationalPhoneNumber":"22 123 45 67","primaryType":"car_repair"`: {Phone: "22 123 45 67"},
	} {
		f, places := newPlaces(t, apiKey)
		f.SetReply("GET /v1/places/ChIJ5", ok(`{"id":"ChIJ5",`+fields+`}`))
		got, err := places.FindPlace(t.Context(), google.PlaceQuery{PlaceID: "ChIJ5"})
		wantFault(t, err, none)
		want.PlaceID = "ChIJ5"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", fields, diff)
		}
	}
}

func TestFindPlaceFaults(t *testing.T) {
	another := ok(`{"places":[` + strings.Replace(fullPlace, "Nowak Auto-Serwis", "Pizzeria Roma", 1) + `]}`)
	badMask, byID := googleError(400, "INVALID_ARGUMENT", "", ""), withPlaceID(nowak, "ChIJ5")
	for name, test := range map[string]struct {
		query           google.PlaceQuery
		details, search fake.Reply
		want            fault.Code
	}{
		"nothing found":         {nowak, ok(""), ok("{}"), provider.CodeGone},
		"another company found": {nowak, ok(""), another, provider.CodeGone},
		"nothing to search by":  {google.PlaceQuery{}, ok(""), ok(""), provider.CodeGone},
		"unknown id, another company found": {byID, googleError(404, "NOT_FOUND", "", ""), another,
			provider.CodeGone},
		"a body without an id": {byID, ok(`{}`), ok(""), provider.CodeChanged},
		"null":                 {byID, ok(`null`), ok(""), provider.CodeChanged},
		"mask refused by both": {byID, badMask, badMask, provider.CodeChanged},
	} {
		t.Run(name, func(t *testing.T) {
			f, places := newPlaces(t, apiKey)
			f.SetReply("GET /v1/places/ChIJ5", test.details)
			f.SetReply("POST /v1/places:searchText", test.search)
			_, err := places.FindPlace(t.Context(), test.query)
			wantFault(t, err, test.want)
		})
	}
	for _, key := range []string{"", "AIzaOther"} {
		_, places := newPlaces(t, key)
		_, err := places.FindPlace(t.Context(), nowak)
		wantFault(t, err, provider.CodeOperator)
	}
}
