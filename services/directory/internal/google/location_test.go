package google_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider/providertest"
)

const fullLocation = `{"name":"locations/5","title":"Auto Serwis Nowak","languageCode":"pl",
	"phoneNumbers":{"primaryPhone":"22 123 45 67"},
	"categories":{
		"primaryCategory":{"name":"categories/gcid:car_repair","displayName":"Warsztat samochodowy",
			"serviceTypes":[{"serviceTypeId":"job_type_id:oil_change","displayName":"Wymiana oleju"}]},
		"additionalCategories":[{"name":"categories/gcid:tire_shop","displayName":"Sklep z oponami",
			"serviceTypes":[{"serviceTypeId":"job_type_id:tires","displayName":"Wymiana opon"}]}]},
	"storefrontAddress":{"regionCode":"PL","postalCode":"00-238","locality":"Warszawa",
	"addressLines":["Pasaż Stary"," ul. Długa 12 "]},
	"websiteUri":"https://nowak.example/",
	"regularHours":{"periods":[
		{"openDay":"MONDAY","openTime":{"hours":8},"closeDay":"MONDAY","closeTime":{"hours":16,"minutes":30}},
		{"openDay":"SATURDAY","openTime":{},"closeDay":"SATURDAY","closeTime":{"hours":24}}]},
	"openInfo":{"status":"OPEN","canReopen":true},
	"metadata":{"placeId":"ChIJ5","mapsUri":"https://maps.example/5","hasVoiceOfMerchant":true},
	"profile":{"description":" Naprawiamy auta od 1990 roku. "},
	"serviceItems":[
		{"structuredServiceItem":{"serviceTypeId":"job_type_id:oil_change","description":"Z filtrem"}},
		{"structuredServiceItem":{"serviceTypeId":"job_type_id:tires"}},
		{"structuredServiceItem":{"serviceTypeId":"job_type_id:brake_repair"}},
		{"freeFormServiceItem":{"category":"categories/gcid:car_repair","label":{"displayName":"Geometria kół",
		"languageCode":"pl"}}},
		{"price":{"units":"5"}}]}`

func TestSearchReadLocation(t *testing.T) {
	s := newServer(t, nil)
	s.Replies["GET /v1/locations/5"] = ok(fullLocation)
	got, err := newSearch(s).ReadLocation(t.Context(), someToken, "locations/5")
	wantFault(t, err, "")
	want := google.Business{
		PlaceID: "ChIJ5", Name: "Auto Serwis Nowak",
		Address: "Pasaż Stary, ul. Długa 12, 00-238 Warszawa", Phone: "22 123 45 67", Website: "https://nowak.example/",
		Hours:      []string{"poniedziałek: 08:00–16:30", "sobota: całą dobę"},
		Categories: []string{"Warsztat samochodowy", "Sklep z oponami"}, Description: "Naprawiamy auta od 1990 roku.",
		Services: []string{"Wymiana oleju", "Wymiana opon", "brake repair", "Geometria kół"},
		Signals:  []google.Signal{},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("profile = %+v\nwant %+v", got, want)
	}
}

// The sandbox gives only the fields that the mask names.
func TestSearchReadLocationAsksForAllFields(t *testing.T) {
	fake, s := newGoogle(t)
	tokens := fake.Grant("anna", scopeProfile)
	locations, err := newSearch(s).Locations(t.Context(), tokens.Access)
	wantFault(t, err, "")
	i := slices.IndexFunc(locations.Items, func(l google.Location) bool { return l.Title == "Piekarnia Kowalski" })
	got, err := newSearch(s).ReadLocation(t.Context(), tokens.Access, locations.Items[i].Name)
	wantFault(t, err, "")
	if got.Name != "Piekarnia Kowalski" || got.Address != "ul. Floriańska 12, 31-021 Kraków" {
		t.Fatalf("profile = %+v, want everything that the bakery has", got)
	}
	if got.Phone == "" || got.Website == "" {
		t.Fatalf("profile = %+v, want everything that the bakery has", got)
	}
	if got.PlaceID == "" || len(got.Hours) != 7 {
		t.Fatalf("profile = %+v, want everything that the bakery has", got)
	}
	if len(got.Categories) != 3 || len(got.Services) != 6 {
		t.Fatalf("profile = %+v, want everything that the bakery has", got)
	}
	if got.Description == "" {
		t.Errorf("profile = %+v, want everything that the bakery has", got)
	}
}

func TestSearchReadLocationWithoutAddressOrHours(t *testing.T) {
	const hours = `"regularHours":{"periods":[{"openDay":"MONDAY","openTime":{"hours":8},"closeDay":"MONDAY",` +
		`"closeTime":{"hours":16}}]}`
	tests := []struct {
		name, fields string // of the location
		noAddress    bool
		noHours      bool
		hours        int // lines
		address      string
	}{
		{name: "none", fields: `"title":"x"`},
		{name: "closed for good", fields: `"openInfo":{"status":"CLOSED_PERMANENTLY"},` + hours, noHours: true},
		{name: "closed for a time", fields: `"openInfo":{"status":"CLOSED_TEMPORARILY"},` + hours, hours: 1},
		{
			name: "visits customers", fields: `"serviceArea":{"businessType":"CUSTOMER_LOCATION_ONLY"}`,
			noAddress: true,
		},
		{
			name: "visits customers, but shows an address", address: "Warszawa",
			fields: `"serviceArea":{"businessType":"CUSTOMER_LOCATION_ONLY"},` +
				`"storefrontAddress":{"locality":"Warszawa"}`,
		},
		{
			name: "street alone", address: "ul. Długa 12",
			fields: `"storefrontAddress":{"addressLines":["ul. Długa 12"," "]}`,
		},
		{name: "is visited too", fields: `"serviceArea":{"businessType":"CUSTOMER_AND_BUSINESS_LOCATION"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t, nil)
			s.Replies["GET /v1/locations/5"] = ok(`{"name":"locations/5","metadata":{"hasVoiceOfMerchant":true},` +
				test.fields + `}`)
			got, err := newSearch(s).ReadLocation(t.Context(), someToken, "locations/5")
			wantFault(t, err, "")
			if got.NoAddress != test.noAddress || got.NoHours != test.noHours {
				t.Fatalf("business = %+v, want no address %t, no hours %t, %d lines of hours", got, test.noAddress,
					test.noHours, test.hours)
			}
			if len(got.Hours) != test.hours || got.Address != test.address {
				t.Errorf("business = %+v, want no address %t, no hours %t, %d lines of hours", got, test.noAddress,
					test.noHours, test.hours)
			}
		})
	}
}

// TestSearchReadLocationOfNothing checks that what the API leaves out stays empty.
func TestSearchReadLocationOfNothing(t *testing.T) {
	s := newServer(t, nil)
	s.Replies["GET /v1/locations/5"] = ok(`{"name":"locations/5","metadata":{"hasVoiceOfMerchant":true}}`)
	got, err := newSearch(s).ReadLocation(t.Context(), someToken, "locations/5")
	if want := (google.Business{Signals: []google.Signal{}}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("ReadLocation = %+v, %v, want %+v", got, err, want)
	}
}

func TestSearchReadLocationFaults(t *testing.T) {
	tests := []struct {
		name, location string
		reply          reply
		want           string
		calls          int
	}{
		{name: "unknown", location: "locations/5", reply: googleError(404, "NOT_FOUND", "", ""),
			want: providertest.Gone, calls: 1},
		{name: "an account", location: "accounts/5", want: providertest.Gone},
		{name: "a path", location: "locations/5/../6", want: providertest.Gone},
		{name: "a query", location: "locations/5?x=y", want: providertest.Gone},
		{name: "nothing", location: "", want: providertest.Gone},
		{name: "answer without a name", location: "locations/5", reply: ok(`{"title":"x"}`), want: providertest.Changed,
			calls: 1},
		{name: "answer about another", location: "locations/5", reply: ok(`{"name":"locations/6"}`),
			want: providertest.Changed, calls: 1},
		{name: "null", location: "locations/5", reply: ok(`null`), want: providertest.Changed, calls: 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t, nil)
			s.Replies["GET /v1/locations/5"] = test.reply
			_, err := newSearch(s).ReadLocation(t.Context(), someToken, test.location)
			if wantFault(t, err, test.want); len(s.Calls) != test.calls {
				t.Errorf("%d calls, want %d", len(s.Calls), test.calls)
			}
		})
	}
}

func TestSearchStanding(t *testing.T) {
	const state = "GET /v1/locations/5/VoiceOfMerchantState"
	for name, test := range map[string]struct {
		metadata string
		state    *reply // nil: it is not asked
		want     []google.Signal
	}{
		"as it should be": {metadata: `"hasVoiceOfMerchant":true`, want: []google.Signal{}},
		"edits of both sides": {
			metadata: `"hasVoiceOfMerchant":true,"hasPendingEdits":true,"hasGoogleUpdated":true`,
			want:     []google.Signal{google.SignalEditsPending, google.SignalChanged},
		},
		"not verified": {state: new(ok(`{"hasBusinessAuthority":true,"verify":{}}`)),
			want: []google.Signal{google.SignalNotVerified}},
		"suspended": {
			metadata: `"hasPendingEdits":true`,
			state:    new(ok(`{"complyWithGuidelines":{"recommendationReason":"BUSINESS_LOCATION_SUSPENDED"}}`)),
			want:     []google.Signal{google.SignalSuspended, google.SignalEditsPending},
		},
		"no reason": {state: new(googleError(403, "PERMISSION_DENIED", "SERVICE_DISABLED", "")),
			want: []google.Signal{google.SignalNotVerified}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, nil)
			s.Replies["GET /v1/locations/5"] = ok(`{"name":"locations/5","metadata":{` + test.metadata + `}}`)
			if test.state != nil {
				s.Replies[state] = *test.state
			}
			got, err := newSearch(s).ReadLocation(t.Context(), someToken, "locations/5")
			wantFault(t, err, "")
			if !slices.Equal(got.Signals, test.want) || got.Signals == nil {
				t.Errorf("signals %v, want %v", got.Signals, test.want)
			}
		})
	}
}

func TestSearchSpecialDays(t *testing.T) {
	s := newServer(t, nil)
	s.Replies["GET /v1/locations/5"] = ok(
		`{"name":"locations/5","metadata":{"hasVoiceOfMerchant":true},"specialHours":{"specialHourPeriods":[
		{"startDate":{"year":2026,"month":12,"day":25},"closed":true},
		{"startDate":{"year":2026,"month":12,"day":31},"openTime":{"hours":20},"endDate":{"year":2027,"month":1,
		"day":1},"closeTime":{"hours":2}},
		{"startDate":{"year":2027,"month":2,"day":1},"endDate":{"year":9999,"month":1,"day":1}}]}}`)
	got, err := newSearch(s).ReadLocation(t.Context(), someToken, "locations/5")
	wantFault(t, err, "")
	day := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	want := []time.Time{day(2026, 12, 25), day(2026, 12, 31), day(2027, 1, 1)}
	if len(got.SpecialDays) != 3+31 || !slices.Equal(got.SpecialDays[:3], want) {
		t.Errorf("special days %v, want %v and 31 more", got.SpecialDays, want)
	}
}
