package google_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
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

// TestReadLocation compares what is read of a location. What the API leaves out stays empty.
func TestReadLocation(t *testing.T) {
	const voice = `{"name":"locations/5","metadata":{"hasVoiceOfMerchant":true}`
	const hours = `,"regularHours":{"periods":[{"openDay":"MONDAY","openTime":{"hours":8},"closeDay":"MONDAY",` +
		`"closeTime":{"hours":16}}]}}`
	for name, test := range map[string]struct {
		body string
		want google.Business
	}{
		"everything": {fullLocation, google.Business{
			PlaceID: "ChIJ5", Name: "Auto Serwis Nowak", Address: "Pasaż Stary, ul. Długa 12, 00-238 Warszawa",
			Phone: "22 123 45 67", Website: "https://nowak.example/",
			Hours:       []string{"poniedziałek: 08:00–16:30", "sobota: całą dobę"},
			Categories:  []string{"Warsztat samochodowy", "Sklep z oponami"},
			Description: "Naprawiamy auta od 1990 roku.",
			Services:    []string{"Wymiana oleju", "Wymiana opon", "brake repair", "Geometria kół"},
		}},
		"nothing": {voice + `}`, google.Business{}},
		"closed for good": {voice + `,"openInfo":{"status":"CLOSED_PERMANENTLY"}` + hours,
			google.Business{NoHours: true}},
		"closed for a time": {voice + `,"openInfo":{"status":"CLOSED_TEMPORARILY"}` + hours,
			google.Business{Hours: []string{"poniedziałek: 08:00–16:00"}}},
		"visits customers": {voice + `,"serviceArea":{"businessType":"CUSTOMER_LOCATION_ONLY"}}`,
			google.Business{NoAddress: true}},
		"visits customers, but shows an address": {voice + `,"serviceArea":{"businessType":"CUSTOMER_LOCATION_ONLY"},
			"storefrontAddress":{"locality":"Warszawa"}}`, google.Business{Address: "Warszawa"}},
		"is visited, too": {voice + `,"serviceArea":{"businessType":"CUSTOMER_AND_BUSINESS_LOCATION"}}`,
			google.Business{}},
		"street alone": {voice + `,"storefrontAddress":{"addressLines":["ul. Długa 12"," "]}}`,
			google.Business{Address: "ul. Długa 12"}},
	} {
		s := newSite(t)
		s.SetReply("GET /v1/locations/5", ok(test.body))
		got, err := s.ReadLocation(t.Context(), someToken, "locations/5")
		wantFault(t, err, none)
		test.want.Signals = []google.Signal{}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The sandbox gives only the fields that the mask names.
func TestReadLocationAsksForAllFields(t *testing.T) {
	s := newSite(t)
	token := s.Grant("anna", scopeProfile).Access
	locations, err := s.Locations(t.Context(), token)
	wantFault(t, err, none)
	i := slices.IndexFunc(locations.Items, func(l google.Location) bool { return l.Title == "Piekarnia Kowalski" })
	got, err := s.ReadLocation(t.Context(), token, locations.Items[i].Name)
	wantFault(t, err, none)
	if got.Phone == "" || got.Website == "" {
		t.Errorf("telephone %q, website %q", got.Phone, got.Website)
	}
	if got.PlaceID == "" || got.Description == "" {
		t.Errorf("place %q, description %q", got.PlaceID, got.Description)
	}
	if counts := []int{len(got.Hours), len(got.Categories), len(got.Services)}; !slices.Equal(counts,
		[]int{7, 3, 6}) {
		t.Errorf("days, categories and services: %v", counts)
	}
	if got.Address != "ul. Floriańska 12, 31-021 Kraków" {
		t.Errorf("address %q", got.Address)
	}
}

func TestReadLocationFaults(t *testing.T) {
	for name, test := range map[string]struct {
		location string
		reply    fake.Reply
		want     fault.Code
		requests int
	}{
		"unknown":               {"locations/5", googleError(404, "NOT_FOUND", "", ""), provider.CodeGone, 1},
		"an account":            {"accounts/5", ok(""), provider.CodeGone, 0},
		"a path":                {"locations/5/../6", ok(""), provider.CodeGone, 0},
		"a query":               {"locations/5?x=y", ok(""), provider.CodeGone, 0},
		"nothing":               {"", ok(""), provider.CodeGone, 0},
		"a body without a name": {"locations/5", ok(`{"title":"x"}`), provider.CodeChanged, 1},
		"a body about another":  {"locations/5", ok(`{"name":"locations/6"}`), provider.CodeChanged, 1},
		"null":                  {"locations/5", ok(`null`), provider.CodeChanged, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.SetReply("GET /v1/locations/5", test.reply)
			_, err := s.ReadLocation(t.Context(), someToken, test.location)
			if wantFault(t, err, test.want); len(s.Requests()) != test.requests {
				t.Errorf("%d requests, want %d", len(s.Requests()), test.requests)
			}
		})
	}
}

// TestSignals: a location whose owner has a say has no signal, and each reason why not has its own.
func TestSignals(t *testing.T) {
	for name, test := range map[string]struct {
		metadata string
		state    fake.Reply
		want     []google.Signal
	}{
		"as it should be": {`"hasVoiceOfMerchant":true`, failed(500, ""), []google.Signal{}},
		"edits of both sides": {`"hasVoiceOfMerchant":true,"hasPendingEdits":true,"hasGoogleUpdated":true`,
			failed(500, ""), []google.Signal{google.SignalEditsPending, google.SignalChanged}},
		"a say": {``, ok(`{"hasVoiceOfMerchant":true,"hasBusinessAuthority":true}`), []google.Signal{}},
		"under review": {``, ok(`{"hasBusinessAuthority":true,"waitForVoiceOfMerchant":{}}`),
			[]google.Signal{google.SignalUnderReview}},
		"duplicate": {``, ok(`{"resolveOwnershipConflict":{}}`), []google.Signal{google.SignalDuplicate}},
		"not verified": {``, ok(`{"hasBusinessAuthority":true,"verify":{}}`),
			[]google.Signal{google.SignalNotVerified}},
		"suspended": {`"hasPendingEdits":true`,
			ok(`{"complyWithGuidelines":{"recommendationReason":"BUSINESS_LOCATION_SUSPENDED"}}`),
			[]google.Signal{google.SignalSuspended, google.SignalEditsPending}},
		"no reason": {``, googleError(403, "PERMISSION_DENIED", "SERVICE_DISABLED", ""),
			[]google.Signal{google.SignalNotVerified}},
	} {
		s := newSite(t)
		s.SetReply("GET /v1/locations/5", ok(`{"name":"locations/5","metadata":{`+test.metadata+`}}`))
		s.SetReply("GET /v1/locations/5/VoiceOfMerchantState", test.state)
		got, err := s.ReadLocation(t.Context(), someToken, "locations/5")
		wantFault(t, err, none)
		if diff := cmp.Diff(test.want, got.Signals); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestSpecialDays(t *testing.T) {
	s := newSite(t)
	s.SetReply("GET /v1/locations/5", ok(`{"name":"locations/5","metadata":{"hasVoiceOfMerchant":true},
		"specialHours":{"specialHourPeriods":[
		{"startDate":{"year":2026,"month":12,"day":25},"closed":true},
		{"startDate":{"year":2026,"month":12,"day":31},"openTime":{"hours":20},"endDate":{"year":2027,"month":1,
		"day":1},"closeTime":{"hours":2}},
		{"startDate":{"year":2027,"month":2,"day":1},"endDate":{"year":9999,"month":1,"day":1}}]}}`))
	got, err := s.ReadLocation(t.Context(), someToken, "locations/5")
	wantFault(t, err, none)
	day := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	want := []time.Time{day(2026, 12, 25), day(2026, 12, 31), day(2027, 1, 1)}
	if len(got.SpecialDays) != 3+31 || !slices.Equal(got.SpecialDays[:3], want) {
		t.Errorf("special days %v, want %v and 31 more", got.SpecialDays, want)
	}
}
