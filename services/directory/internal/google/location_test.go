package google_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
)

// What the API leaves out stays empty.
func TestReadLocation(t *testing.T) {
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
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.SetReply("GET /v1/locations/5", ok(test.body))
			got, err := s.ReadLocation(t.Context(), someToken, "locations/5")
			wantFault(t, err, none)
			want := test.want
			want.Signals = []google.Signal{} // not nil, because a location can have some
			testkit.Equal(t, "business", got, want)
		})
	}
}

// The sandbox gives only the fields that the mask names.
func TestReadLocationAsksForAllFields(t *testing.T) {
	s := newSite(t)
	token := s.Grant("anna", scopeProfile).Access
	locations, err := s.Locations(t.Context(), token)
	wantFault(t, err, none)
	i := slices.IndexFunc(locations.Items, func(l google.Location) bool { return l.Title == "Piekarnia Kowalski" })
	if i < 0 {
		t.Fatalf("the bakery is not among the locations %+v", locations.Items)
	}
	got, err := s.ReadLocation(t.Context(), token, locations.Items[i].Name)
	wantFault(t, err, none)
	if slices.Contains([]string{got.Phone, got.Website, got.PlaceID, got.Description}, "") {
		t.Errorf("location %+v, want one with all texts", got)
	}
	testkit.Equal(t, "number of days", len(got.Hours), 7)
	testkit.Equal(t, "number of categories", len(got.Categories), 3)
	testkit.Equal(t, "number of services", len(got.Services), 6)
	testkit.Equal(t, "address", got.Address, "ul. Floriańska 12, 31-021 Kraków")
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
			wantFault(t, err, test.want)
			testkit.Equal(t, "number of requests", len(s.Requests()), test.requests)
		})
	}
}

func TestSignals(t *testing.T) {
	for name, test := range map[string]struct {
		metadata string     // of the location
		state    fake.Reply // to the request for the reason why the owner's edits do not count
		want     []google.Signal
	}{
		"as it should be": {`"hasVoiceOfMerchant":true`, failed(500, ""), []google.Signal{}},
		"edits of both sides": {`"hasVoiceOfMerchant":true,"hasPendingEdits":true,"hasGoogleUpdated":true`,
			failed(500, ""), []google.Signal{google.SignalEditsPending, google.SignalChanged}},
		"the owner's edits count after all": {``, ok(`{"hasVoiceOfMerchant":true,"hasBusinessAuthority":true}`),
			[]google.Signal{}},
		"under review": {``, ok(`{"hasBusinessAuthority":true,"waitForVoiceOfMerchant":{}}`),
			[]google.Signal{google.SignalUnderReview}},
		"duplicate": {``, ok(`{"resolveOwnershipConflict":{}}`), []google.Signal{google.SignalDuplicate}},
		"not verified": {``, ok(`{"hasBusinessAuthority":true,"verify":{}}`),
			[]google.Signal{google.SignalNotVerified}},
		"suspended": {`"hasPendingEdits":true`,
			ok(`{"complyWithGuidelines":{"recommendationReason":"BUSINESS_LOCATION_SUSPENDED"}}`),
			[]google.Signal{google.SignalSuspended, google.SignalEditsPending}},
		"the reason cannot be read": {``, googleError(403, "PERMISSION_DENIED", "SERVICE_DISABLED", ""),
			[]google.Signal{google.SignalNotVerified}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.SetReply("GET /v1/locations/5", ok(`{"name":"locations/5","metadata":{`+test.metadata+`}}`))
			s.SetReply("GET /v1/locations/5/VoiceOfMerchantState", test.state)
			got, err := s.ReadLocation(t.Context(), someToken, "locations/5")
			wantFault(t, err, none)
			testkit.Equal(t, "signals", got.Signals, test.want)
		})
	}
}

// A period without an end counts as 31 days.
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
	if len(got.SpecialDays) != len(want)+31 {
		t.Fatalf("%d special days, want %d: %v", len(got.SpecialDays), len(want)+31, got.SpecialDays)
	}
	testkit.Equal(t, "first special days", got.SpecialDays[:len(want)], want)
}

func TestLocations(t *testing.T) {
	const full = `{"name":"locations/5","title":"Auto Serwis Nowak","storeCode":"WAW1","languageCode":"pl",
		"phoneNumbers":{"primaryPhone":"22 123 45 67","additionalPhones":["22 123 45 68"]},
		"categories":{"primaryCategory":{"name":"categories/gcid:car_repair","displayName":"Warsztat samochodowy"}},
		"storefrontAddress":{"regionCode":"PL","postalCode":"00-238","locality":"Warszawa",
		"addressLines":["ul. Długa 12"]},
		"websiteUri":"https://nowak.example/","metadata":{"placeId":"ChIJ5","mapsUri":"https://maps.example/5",
		"hasVoiceOfMerchant":true}}`
	s := newSite(t)
	s.SetReply("GET /v1/accounts", ok(`{"accounts":[{"name":"accounts/1","accountName":"Konto 1","type":"PERSONAL"},
		{"name":"accounts/2","type":"LOCATION_GROUP"},{"name":"accounts/3","type":"ORGANIZATION"}]}`))
	s.SetReply("GET /v1/accounts/1/locations", ok(`{"locations":[`+full+`]}`))
	s.SetReply("GET /v1/accounts/2/locations", ok(`{"locations":[`+full+`,{"name":"locations/6","title":"Lokal 6"},
		{"name":"locations/7","openInfo":{"status":"CLOSED_PERMANENTLY"},"metadata":{"hasVoiceOfMerchant":true}},
		{"name":"locations/8","openInfo":{"status":"CLOSED_TEMPORARILY"},"metadata":{"hasVoiceOfMerchant":true}}]}`))
	s.SetReply("GET /v1/accounts/3/locations", ok(`{}`))
	got, err := s.Locations(t.Context(), someToken)
	wantFault(t, err, none)
	want := []google.Location{
		{
			Name: "locations/5", Title: "Auto Serwis Nowak", AccountName: "accounts/1", AccountType: "PERSONAL",
			StoreCode: "WAW1",
			Address:   "ul. Długa 12, 00-238 Warszawa", Phone: "22 123 45 67", Website: "https://nowak.example/",
			Category: "Warsztat samochodowy", PlaceID: "ChIJ5", MapsURL: "https://maps.example/5",
		},
		{Name: "locations/6", Title: "Lokal 6", AccountName: "accounts/2", AccountType: "LOCATION_GROUP",
			Closed: google.ClosedSuspended},
		{Name: "locations/7", AccountName: "accounts/2", AccountType: "LOCATION_GROUP", Closed: google.ClosedForGood},
		{Name: "locations/8", AccountName: "accounts/2", AccountType: "LOCATION_GROUP", Closed: google.ClosedForNow},
	}
	testkit.Equal(t, "locations", got, provider.List[google.Location]{Items: want, Complete: true})
}

func TestLocationsUnreadable(t *testing.T) {
	const accounts, locations = "GET /v1/accounts", "GET /v1/accounts/1/locations"
	for body, request := range map[string]string{
		`{"accounts":[{"accountName":"x"}]}`:           accounts,
		`{"accounts":[{"name":"accounts/1/../../x"}]}`: accounts,
		`{"accounts":[{"name":"accounts/1?a=b"}]}`:     accounts,
		`{"locations":[{"title":"x"}]}`:                locations,
		`{"locations":[{"name":5}]}`:                   locations,
	} {
		t.Run(body, func(t *testing.T) {
			s := newSite(t)
			s.SetReply(accounts, ok(`{"accounts":[{"name":"accounts/1"}]}`))
			s.SetReply(request, ok(body))
			_, err := s.Locations(t.Context(), someToken)
			wantFault(t, err, provider.CodeChanged)
		})
	}
}

// An account that cannot be read fails the others only if the token is lost.
func TestLocationsInPart(t *testing.T) {
	list := func(location string) fake.Reply { return ok(`{"locations":[{"name":"locations/` + location + `"}]}`) }
	gone, denied := googleError(404, "NOT_FOUND", "", ""), googleError(403, "PERMISSION_DENIED", "", "")
	for name, test := range map[string]struct {
		replies [3]fake.Reply // to the requests for the locations of each account
		want    fault.Code
		unread  []string // accounts
	}{
		"one":             {[3]fake.Reply{list("1"), gone, list("3")}, none, []string{"Sieć"}},
		"two":             {[3]fake.Reply{list("1"), gone, denied}, none, []string{"Sieć", "accounts/3"}},
		"the first":       {[3]fake.Reply{gone, list("2"), list("3")}, none, []string{"accounts/1"}},
		"all":             {[3]fake.Reply{gone, denied, gone}, provider.CodeGone, nil},
		"the token's end": {[3]fake.Reply{list("1"), failed(401, ""), ok(`{}`)}, provider.CodeReconnect, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.SetReply("GET /v1/accounts", ok(
				`{"accounts":[{"name":"accounts/1"},{"name":"accounts/2","accountName":"Sieć"},{"name":"accounts/3"}]}`,
			))
			for i, reply := range test.replies {
				s.SetReply(fmt.Sprintf("GET /v1/accounts/%d/locations", i+1), reply)
			}
			got, err := s.Locations(t.Context(), someToken)
			wantFault(t, err, test.want)
			testkit.Equal(t, "unread accounts", got.Unread, test.unread)
			testkit.Equal(t, "complete", got.Complete, false)
			wantCount := 0
			if test.want == none {
				wantCount = len(test.replies) - len(test.unread)
			}
			testkit.Equal(t, "number of locations", len(got.Items), wantCount)
		})
	}
}

func TestLocationsOfACallerWhoLeft(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	s := newSite(t)
	s.SetReply("GET /v1/accounts", ok(`{"accounts":[{"name":"accounts/1"},{"name":"accounts/2"}]}`))
	s.SetReply("GET /v1/accounts/1/locations", ok(`{"locations":[{"name":"locations/1"}]}`))
	client := google.New(google.Options{Now: clock, Transport: testkit.NewTransport(t, http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/accounts/2/locations" {
				leave()
				<-r.Context().Done()
				return
			}
			s.ServeHTTP(w, r)
		},
	))})
	got, err := client.Locations(ctx, someToken)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want that the context was canceled", err)
	}
	if got.Items != nil {
		t.Errorf("locations %+v, want none", got.Items)
	}
}

// The locations of 230 groups are read in few requests.
func TestAgencyWithManyGroups(t *testing.T) {
	s := newSite(t)
	s.SetReply("GET /v1/accounts", ok(`{"accounts":[{"name":"accounts/1"}],"nextPageToken":"more"}`))
	const groups, pageSize, pages = 230, 100, 3
	for page := range pages {
		locations, next := "", `,"nextPageToken":"`+fmt.Sprint(page+1)+`"`
		for i := page * pageSize; i < min((page+1)*pageSize, groups); i++ {
			locations += fmt.Sprintf(`,{"name":"locations/%d"}`, i)
		}
		if page == pages-1 {
			next = ""
		}
		pattern := "GET /v1/accounts/-/locations"
		if page > 0 {
			pattern += "?pageToken=" + fmt.Sprint(page)
		}
		s.SetReply(pattern, ok(`{"locations":[`+locations[1:]+`]`+next+`}`))
	}
	list, err := s.Locations(t.Context(), someToken)
	wantFault(t, err, none)
	testkit.Equal(t, "number of locations", len(list.Items), groups)
	testkit.Equal(t, "complete", list.Complete, true)
	testkit.Equal(t, "number of requests", len(s.Requests()), 1+pages) // the first is that for the accounts
	s.SetReply("GET /v1/locations/229", ok(`{"name":"locations/229","title":"Ostatnia"}`))
	last, err := s.FindLocation(t.Context(), someToken, "locations/229")
	wantFault(t, err, none)
	testkit.Equal(t, "title of the last location", last.Title, "Ostatnia")
}

func TestAccount(t *testing.T) {
	for _, test := range []struct {
		scopes []string
		empty  bool   // the person has no account
		want   string // name of the account
	}{
		{[]string{"openid", scopeProfile}, false, "Anna Kowalska"}, // her own account is the first
		{[]string{"openid", scopeProfile}, true, ""},
		{[]string{"openid"}, false, ""},
	} {
		s := newSite(t)
		s.SetToggle("empty_lists", test.empty)
		token := provider.Token{AccessToken: s.Grant("anna", test.scopes...).Access, Scopes: test.scopes}
		id, name, err := s.Account(t.Context(), provider.SearchProfile, token)
		wantFault(t, err, none)
		if name != test.want {
			t.Errorf("scopes %q, no account %t: name %q, want %q", test.scopes, test.empty, name, test.want)
		}
		if hasID := id != ""; hasID != (test.want != "") {
			t.Errorf("scopes %q, no account %t: id %q for the name %q", test.scopes, test.empty, id, name)
		}
	}
}

var nowak = google.PlaceQuery{
	Name: "Auto Serwis Nowak Sp. z o.o.", Address: "ul. Długa 12, 00-238 Warszawa", Phone: "+48 22 123 45 67",
	Website: "https://www.nowak.example",
}

func withPlaceID(q google.PlaceQuery, id string) google.PlaceQuery {
	q.PlaceID = id
	return q
}

func TestFindPlace(t *testing.T) {
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
			testkit.Equal(t, "place", got, want)
			var sent []string
			for _, r := range f.Requests() {
				path, _, _ := strings.Cut(r.Path, "?")
				sent = append(sent, strings.NewReplacer(details, "", search, "search").Replace(r.Method+" "+path))
			}
			testkit.Equal(t, "requests", strings.Join(sent, " "), test.requests)
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
	testkit.Equal(t, "found and read by id", read, found)
	if slices.Contains([]string{found.Phone, found.Website, found.Description}, "") {
		t.Errorf("place %+v, want one with all texts", found)
	}
	testkit.Equal(t, "number of days", len(found.Hours), 7)
	testkit.Equal(t, "address", found.Address, "Floriańska 12, 31-021 Kraków")
	testkit.Equal(t, "number of reviews", found.ReviewCount, 218)
	testkit.Equal(t, "rating", found.AverageRating, 4.7)
	testkit.Equal(t, "number of photos", found.PhotoCount, 10)
}

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
		t.Run(fields, func(t *testing.T) {
			f, places := newPlaces(t, apiKey)
			f.SetReply("GET /v1/places/ChIJ5", ok(`{"id":"ChIJ5",`+fields+`}`))
			got, err := places.FindPlace(t.Context(), google.PlaceQuery{PlaceID: "ChIJ5"})
			wantFault(t, err, none)
			want.PlaceID = "ChIJ5"
			testkit.Equal(t, "place", got, want)
		})
	}
}

func TestFindPlaceFaults(t *testing.T) {
	another := ok(`{"places":[{"id":"ChIJ6","displayName":{"text":"Pizzeria Roma"},
		"formattedAddress":"Długa 12, 00-238 Warszawa, Polska","nationalPhoneNumber":"22 123 45 67"}]}`)
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
