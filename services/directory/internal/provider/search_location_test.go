package provider_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"backend.example/services/directory/internal/directory"
)

func accountJSON(id int, kind string) string {
	return fmt.Sprintf(`{"name":"accounts/%d","accountName":"Konto %d","type":%q,"role":"PRIMARY_OWNER"}`, id, id, kind)
}

func locationJSON(id int) string {
	return fmt.Sprintf(`{"name":"locations/%d","title":"Lokal %d"}`, id, id)
}

func TestSearchLocations(t *testing.T) {
	server := newGoogleServer(t)
	server.accounts = []string{accountJSON(1, "PERSONAL"), accountJSON(2, "LOCATION_GROUP"), accountJSON(3, "ORGANIZATION")}
	full := `{"name":"locations/5","title":"Auto Serwis Nowak","storeCode":"WAW1","languageCode":"pl",
		"phoneNumbers":{"primaryPhone":"22 123 45 67","additionalPhones":["22 123 45 68"]},
		"categories":{"primaryCategory":{"name":"categories/gcid:car_repair","displayName":"Warsztat samochodowy"}},
		"storefrontAddress":{"regionCode":"PL","postalCode":"00-238","locality":"Warszawa","addressLines":["ul. Długa 12"]},
		"websiteUri":"https://nowak.example/","metadata":{"placeId":"ChIJ5","mapsUri":"https://maps.example/5"}}`
	server.locations["accounts/1"] = []string{full}
	server.locations["accounts/2"] = []string{full, locationJSON(6)}
	got, err := server.search().Locations(t.Context(), googleAccess)
	if err != nil {
		t.Fatal(err)
	}
	want := []directory.Location{
		{
			Name: "locations/5", Title: "Auto Serwis Nowak", AccountName: "accounts/1", AccountType: "PERSONAL", StoreCode: "WAW1",
			Address: "ul. Długa 12, 00-238 Warszawa", Phone: "22 123 45 67", Website: "https://nowak.example/",
			Category: "Warsztat samochodowy", PlaceID: "ChIJ5", MapsURL: "https://maps.example/5",
		},
		{Name: "locations/6", Title: "Lokal 6", AccountName: "accounts/2", AccountType: "LOCATION_GROUP"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("locations = %+v\nwant %+v", got, want)
	}
	wantCalls := []string{"GET /v1/accounts", "GET /v1/accounts/1/locations", "GET /v1/accounts/2/locations", "GET /v1/accounts/3/locations"}
	if calls := server.paths(); !slices.Equal(calls, wantCalls) {
		t.Errorf("calls = %v", calls)
	}
}

func TestSearchLocationsNone(t *testing.T) {
	got, err := newGoogleServer(t).search().Locations(t.Context(), googleAccess)
	if err != nil || got == nil || len(got) != 0 {
		t.Errorf("Locations = %v, %v; want an empty list", got, err)
	}
}

func TestSearchLocationsPages(t *testing.T) {
	server := newGoogleServer(t)
	for id := range 45 {
		server.accounts = append(server.accounts, accountJSON(id, "LOCATION_GROUP"))
	}
	for id := range 250 {
		server.locations["accounts/44"] = append(server.locations["accounts/44"], locationJSON(id))
	}
	got, err := server.search().Locations(t.Context(), googleAccess)
	if err != nil || len(got) != 250 || got[249].Name != "locations/249" {
		t.Fatalf("%d locations, %v", len(got), err)
	}
	if calls := len(server.paths()); calls != 3+44+3 {
		t.Errorf("%d calls, want 3 pages of accounts, 44 empty ones and 3 of locations", calls)
	}
}

func TestSearchLocationsBounds(t *testing.T) {
	server := newGoogleServer(t)
	for id := range 250 {
		server.accounts = append(server.accounts, accountJSON(id, "LOCATION_GROUP"))
	}
	for id := range 2200 {
		server.locations["accounts/0"] = append(server.locations["accounts/0"], locationJSON(id))
	}
	got, err := server.search().Locations(t.Context(), googleAccess)
	if err != nil || len(got) != 2000 {
		t.Errorf("%d locations, %v; want the first 2000", len(got), err)
	}
	if calls := len(server.paths()); calls != 10+20+199 {
		t.Errorf("%d calls, want 10 pages of accounts, 20 of the first and one of each other", calls)
	}
}

func TestSearchLocationsOddAnswers(t *testing.T) {
	tests := []struct{ name, path, body string }{
		{"account without name", "/v1/accounts", `{"accounts":[{"accountName":"x"}]}`},
		{"account with a path", "/v1/accounts", `{"accounts":[{"name":"accounts/1/../../x"}]}`},
		{"account with a query", "/v1/accounts", `{"accounts":[{"name":"accounts/1?a=b"}]}`},
		{"pages without end", "/v1/accounts", `{"nextPageToken":"again"}`},
		{"location without name", "/v1/accounts/1/locations", `{"locations":[{"title":"x"}]}`},
		{"locations without end", "/v1/accounts/1/locations", `{"nextPageToken":"again"}`},
		{"name of another kind", "/v1/accounts/1/locations", `{"locations":[{"name":5}]}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := newGoogleServer(t)
			server.accounts = []string{accountJSON(1, "PERSONAL")}
			server.replies[test.path] = googleReply{status: 200, body: test.body}
			_, err := server.search().Locations(t.Context(), googleAccess)
			wantGoogleFault(t, err, directory.CodeChanged)
			if calls := len(server.paths()); calls > 3 {
				t.Errorf("%d calls", calls)
			}
		})
	}
}

// A fault in the middle is the fault of the whole: half a list would hide what
// the company looks for.
func TestSearchLocationsFaultInTheMiddle(t *testing.T) {
	server := newGoogleServer(t)
	server.accounts = []string{accountJSON(1, "PERSONAL"), accountJSON(2, "LOCATION_GROUP")}
	server.locations["accounts/1"] = []string{locationJSON(1)}
	server.replies["/v1/accounts/2/locations"] = refusal(404, "NOT_FOUND", "", "")
	got, err := server.search().Locations(t.Context(), googleAccess)
	wantGoogleFault(t, err, directory.CodeGone)
	if got != nil {
		t.Errorf("locations = %v", got)
	}
}

func TestSearchLocationsWrongToken(t *testing.T) {
	_, err := newGoogleServer(t).search().Locations(t.Context(), "ya29.other")
	wantGoogleFault(t, err, directory.CodeReconnect)
}
