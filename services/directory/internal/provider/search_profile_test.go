package provider_test

import (
	"reflect"
	"slices"
	"testing"

	"backend.example/services/directory/internal/directory"
)

const fullLocation = `{"name":"locations/5","title":"Auto Serwis Nowak","languageCode":"pl",
	"phoneNumbers":{"primaryPhone":"22 123 45 67"},
	"categories":{
		"primaryCategory":{"name":"categories/gcid:car_repair","displayName":"Warsztat samochodowy",
			"serviceTypes":[{"serviceTypeId":"job_type_id:oil_change","displayName":"Wymiana oleju"}]},
		"additionalCategories":[{"name":"categories/gcid:tire_shop","displayName":"Sklep z oponami",
			"serviceTypes":[{"serviceTypeId":"job_type_id:tires","displayName":"Wymiana opon"}]}]},
	"storefrontAddress":{"regionCode":"PL","postalCode":"00-238","locality":"Warszawa","addressLines":["Pasaż Stary"," ul. Długa 12 "]},
	"websiteUri":"https://nowak.example/",
	"regularHours":{"periods":[
		{"openDay":"MONDAY","openTime":{"hours":8},"closeDay":"MONDAY","closeTime":{"hours":16,"minutes":30}},
		{"openDay":"SATURDAY","openTime":{},"closeDay":"SATURDAY","closeTime":{"hours":24}}]},
	"openInfo":{"status":"OPEN","canReopen":true},
	"metadata":{"placeId":"ChIJ5","mapsUri":"https://maps.example/5"},
	"profile":{"description":" Naprawiamy auta od 1990 roku. "},
	"serviceItems":[
		{"structuredServiceItem":{"serviceTypeId":"job_type_id:oil_change","description":"Z filtrem"}},
		{"structuredServiceItem":{"serviceTypeId":"job_type_id:tires"}},
		{"structuredServiceItem":{"serviceTypeId":"job_type_id:brake_repair"}},
		{"freeFormServiceItem":{"category":"categories/gcid:car_repair","label":{"displayName":"Geometria kół","languageCode":"pl"}}},
		{"price":{"units":"5"}}]}`

var locationTells = []directory.Field{
	directory.FieldName, directory.FieldAddress, directory.FieldPhone, directory.FieldWebsite, directory.FieldHours,
	directory.FieldCategories, directory.FieldDescription, directory.FieldServices,
}

func without(fields []directory.Field, left directory.Field) []directory.Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f directory.Field) bool { return f == left })
}

func TestSearchReadLocation(t *testing.T) {
	server := newGoogleServer(t)
	server.locations[""] = []string{fullLocation}
	got, err := server.search().ReadLocation(t.Context(), googleAccess, "locations/5")
	if err != nil {
		t.Fatal(err)
	}
	want := directory.Profile{
		Source: directory.FromBusinessProfile, Tells: locationTells, PlaceID: "ChIJ5", Name: "Auto Serwis Nowak",
		Address: "Pasaż Stary, ul. Długa 12, 00-238 Warszawa", Phone: "22 123 45 67", Website: "https://nowak.example/",
		Hours:      []string{"poniedziałek: 08:00–16:30", "sobota: całą dobę"},
		Categories: []string{"Warsztat samochodowy", "Sklep z oponami"}, Description: "Naprawiamy auta od 1990 roku.",
		Services:  []string{"Wymiana oleju", "Wymiana opon", "brake repair", "Geometria kół"},
		FetchedAt: googleNow,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("profile = %+v\nwant %+v", got, want)
	}
	if calls := server.paths(); !slices.Equal(calls, []string{"GET /v1/locations/5"}) {
		t.Errorf("calls = %v", calls)
	}
}

func TestSearchReadLocationTells(t *testing.T) {
	const hours = `"regularHours":{"periods":[{"openDay":"MONDAY","openTime":{"hours":8},"closeDay":"MONDAY","closeTime":{"hours":16}}]}`
	tests := []struct {
		name, body string
		tells      []directory.Field
		hours      int
	}{
		{"empty", `{"name":"locations/5"}`, locationTells, 0},
		{"closed for good", `{"name":"locations/5","openInfo":{"status":"CLOSED_PERMANENTLY"},` + hours + `}`, without(locationTells, directory.FieldHours), 0},
		{"closed for a time", `{"name":"locations/5","openInfo":{"status":"CLOSED_TEMPORARILY"},` + hours + `}`, locationTells, 1},
		{"at the customer's", `{"name":"locations/5","serviceArea":{"businessType":"CUSTOMER_LOCATION_ONLY"}}`, without(locationTells, directory.FieldAddress), 0},
		{"at both", `{"name":"locations/5","serviceArea":{"businessType":"CUSTOMER_AND_BUSINESS_LOCATION"}}`, locationTells, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := newGoogleServer(t)
			server.locations[""] = []string{test.body}
			got, err := server.search().ReadLocation(t.Context(), googleAccess, "locations/5")
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Tells, test.tells) || len(got.Hours) != test.hours || got.Address != "" {
				t.Errorf("profile = %+v, want it to tell %v, %d lines of hours", got, test.tells, test.hours)
			}
			if got.Knows(directory.FieldPhotos) || got.Knows(directory.FieldReviews) {
				t.Error("the API tells neither photos nor reviews")
			}
		})
	}
}

func TestSearchReadLocationFaults(t *testing.T) {
	tests := []struct {
		name, location, body string
		want                 string
		calls                int
	}{
		{"no such location", "locations/5", "", directory.CodeGone, 1},
		{"an account", "accounts/5", "", directory.CodeGone, 0},
		{"a path", "locations/5/../6", "", directory.CodeGone, 0},
		{"a query", "locations/5?x=y", "", directory.CodeGone, 0},
		{"nothing", "", "", directory.CodeGone, 0},
		{"answer without name", "locations/5", `{"title":"x"}`, directory.CodeChanged, 1},
		{"answer of another", "locations/5", `{"name":"locations/6"}`, directory.CodeChanged, 1},
		{"null", "locations/5", `null`, directory.CodeChanged, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := newGoogleServer(t)
			if test.body != "" {
				server.replies["/v1/locations/5"] = googleReply{status: 200, body: test.body}
			}
			_, err := server.search().ReadLocation(t.Context(), googleAccess, test.location)
			wantGoogleFault(t, err, test.want)
			if calls := len(server.paths()); calls != test.calls {
				t.Errorf("%d calls, want %d", calls, test.calls)
			}
		})
	}
}
