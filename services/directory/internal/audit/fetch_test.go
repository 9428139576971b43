package audit_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
)

// steps returns those of a fetch as "source status" each.
func steps(f *audit.Fetch) []string {
	var list []string
	for _, s := range f.Steps {
		list = append(list, s.Step+" "+s.Status)
	}
	return list
}

// run audits the service's company.
func run(s *directorytest.Service, force bool) (audit.Audit, *audit.Fetch) {
	s.T.Helper()
	r := allOf(s)
	r.ForceRefresh = force
	_, a, fetch, err := s.Audits.Run(context.Background(), anna(s), r)
	if err != nil {
		s.T.Fatal(err)
	}
	return a, fetch
}

func noKey(s *directorytest.Service) {
	s.Place.Configured = false
	s.Wire()
}

func noLocation(s *directorytest.Service) {
	s.Change(profilePair, func(c *connection.Connection) { c.AccountID = "accounts/1" })
}

func locationFails(err error) func(*directorytest.Service) {
	return func(s *directorytest.Service) { s.Search.Fail["ReadLocation"] = err }
}

func placeFails(err error) func(*directorytest.Service) {
	return func(s *directorytest.Service) { s.Place.Err = err }
}

func otherName(s *directorytest.Service) { s.Place.Profile.Name = "Inna nazwa" }

// both changes a service twice.
func both(a, b func(*directorytest.Service)) func(*directorytest.Service) {
	return func(s *directorytest.Service) { a(s); b(s) }
}

func TestSources(t *testing.T) {
	away := provider.Temporary(errors.New("503"))
	for name, tt := range map[string]struct {
		change func(*directorytest.Service)
		steps  []string
		source audit.Source
	}{
		"location and its place":  {func(*directorytest.Service) {}, []string{"business_profile ok", "places ok"}, audit.FromLocation},
		"location alone":          {noKey, []string{"business_profile ok"}, audit.FromLocation},
		"location, place unknown": {placeFails(provider.Gone(nil)), []string{"business_profile ok", "places not_found"}, audit.FromLocation},
		"location, place away":    {placeFails(away), []string{"business_profile ok", "places failed"}, audit.FromLocation},
		"not connected":           {noLocation, []string{"business_profile skipped", "places ok"}, audit.FromPlace},
		"place of another name":   {both(noLocation, otherName), []string{"business_profile skipped", "places ok"}, audit.FromPlace},
		"location deleted":        {locationFails(provider.Gone(nil)), []string{"business_profile not_found", "places ok"}, audit.FromPlace},
		"location away":           {locationFails(away), []string{"business_profile failed", "places ok"}, audit.FromPlace},
		"neither":                 {both(noLocation, noKey), []string{"business_profile skipped", "places skipped"}, audit.FromRecord},
		"both fail": {
			both(locationFails(away), placeFails(away)), []string{"business_profile failed", "places failed"}, audit.FromRecord,
		},
		"place not kept": {
			both(noLocation, func(s *directorytest.Service) { s.FailUpdates("companies", "place_id") }),
			[]string{"business_profile skipped", "places ok", "save failed"}, audit.FromPlace,
		},
		"place not kept with the location": {
			func(s *directorytest.Service) { s.FailUpdates("oauth_tokens", "metadata_json") },
			[]string{"business_profile ok", "places ok", "save failed"}, audit.FromLocation,
		},
		"not kept": {
			func(s *directorytest.Service) { s.FailInserts("company_profiles") },
			[]string{"business_profile ok", "places ok", "save failed"}, audit.FromLocation,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := audited(t)
			tt.change(s)
			a, fetch := run(s, false)
			if got := steps(fetch); !slices.Equal(got, tt.steps) || a.Source != tt.source {
				t.Errorf("steps = %q, source %s, want %q, %s", got, a.Source, tt.steps, tt.source)
			}
			if read := slices.DeleteFunc(slices.Clone(fetch.Steps), func(s audit.Step) bool { return s.Step == "save" }); !slices.Equal(a.Sources, read) {
				t.Errorf("sources of the audit = %+v, want %+v", a.Sources, read)
			}
			failed := tt.source == audit.FromRecord
			if fetch.Success == failed || (fetch.Data == nil) != failed || (fetch.Error == nil) == failed {
				t.Errorf("fetch = %+v, want it failed: %t", fetch, failed)
			}
			for _, step := range fetch.Steps {
				if !strings.HasSuffix(step.Message, ".") || strings.Contains(step.Message, "  ") || strings.Contains(step.Message, "Facebook") {
					t.Errorf("%q is not a sentence about Google", step.Message)
				}
			}
		})
	}
}

// TestKeyIsRecommendedOnlyWithoutOne: with a key, the company has to match its place.
func TestKeyIsRecommendedOnlyWithoutOne(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*directorytest.Service)
		want   bool
	}{"no key": {noKey, true}, "place not found": {placeFails(provider.Gone(nil)), false}} {
		t.Run(name, func(t *testing.T) {
			s := audited(t)
			tt.change(s)
			a, _ := run(s, false)
			for _, field := range []audit.Field{audit.FieldPhotos, audit.FieldReviews} {
				f := a.Fields[field]
				if got := strings.Contains(f.Recommendation, "klucz"); f.Status != audit.StatusUnknown || got != tt.want {
					t.Errorf("%s is %s: %q", field, f.Status, f.Recommendation)
				}
			}
		})
	}
}

// companyOfPlace replaces the company of the service by one that knows its place.
func companyOfPlace(s *directorytest.Service, placeID string) {
	s.T.Helper()
	if err := s.Store.Companies().SetPlaceID(context.Background(), s.Company.ID, placeID); err != nil {
		s.T.Fatal(err)
	}
}

// TestPlaceCompletesTheLocation checks that a place adds only what the location cannot report.
func TestPlaceCompletesTheLocation(t *testing.T) {
	s := audited(t)
	companyOfPlace(s, "place-0")
	s.Place.Profile.Name, s.Place.Profile.PlaceID = "Inna nazwa", "place-2"
	a, fetch := run(s, false)
	if got := s.Place.Asked[0].PlaceID; got != "place-1" {
		t.Errorf("asked for the place %q, want the location's", got)
	}
	p := fetch.Data
	if p.Name != "Piekarnia Kowalski" || p.PhotoCount != 10 || p.ReviewCount != 128 || p.PlaceID != "place-1" || a.PlaceID != "place-1" {
		t.Errorf("profile = %+v", p)
	}
	wantPlaces(s, "place-0", "place-1")
	if c := s.Stored(profilePair); c.AccountName != "Piekarnia Kowalski" || c.AccountAddress != "ul. Floriańska 12, 31-021 Kraków" {
		t.Errorf("the location is stored as %q, %q", c.AccountName, c.AccountAddress)
	}
}

// TestPlaceIsFoundForTheCompany checks what is searched if no location is chosen. A place
// without an id leaves that of the company.
func TestPlaceIsFoundForTheCompany(t *testing.T) {
	for id, want := range map[string]string{"place-9": "place-9", "": "place-0"} {
		s := audited(t)
		noLocation(s)
		companyOfPlace(s, "place-0")
		s.Place.Profile.PlaceID = id
		run(s, false)
		query := google.PlaceQuery{
			PlaceID: "place-0", Name: "Piekarnia Kowalski Sp. z o.o.", Address: s.Company.Address, Phone: s.Company.Phone, Website: s.Company.Website,
		}
		if !slices.Equal(s.Place.Asked, []google.PlaceQuery{query}) {
			t.Errorf("asked for %+v, want %+v", s.Place.Asked, query)
		}
		wantPlaces(s, want, "")
	}
}

// TestFailuresAreLogged checks what the log says of a source that is not read and of a
// profile that is not stored.
func TestFailuresAreLogged(t *testing.T) {
	s := audited(t)
	locationFails(provider.Temporary(errors.New("503")))(s)
	s.FailInserts("company_profiles")
	s.Log.Reset()
	run(s, false)
	id := float64(s.Company.ID)
	want := []map[string]any{
		{"level": "WARN", "msg": "profile not read", "source": "business_profile", "company": id, "request_id": "req-1"},
		{"level": "ERROR", "msg": "profile not saved", "company": id, "request_id": "req-1"},
	}
	if !reflect.DeepEqual(s.Logged(), want) || !strings.Contains(s.Log.String(), "503") || !strings.Contains(s.Log.String(), "the disk is full") {
		t.Errorf("log %s\nwant %v", s.Log.String(), want)
	}
}

// wantPlaces checks which place is stored with the company, and which with its location.
func wantPlaces(s *directorytest.Service, ofCompany, ofLocation string) {
	s.T.Helper()
	company, err := s.Store.Company(context.Background(), s.Company.ID)
	if c := s.Stored(profilePair); err != nil || company.PlaceID != ofCompany || c.PlaceID != ofLocation {
		s.T.Errorf("%v, place of the company %q, of the location %q; want %q, %q", err, company.PlaceID, c.PlaceID, ofCompany, ofLocation)
	}
}

// TestPlaceIsFoundForTheLocation checks that the place of a location that does not name it is
// searched by name and address, and stored with the location, not with the company.
func TestPlaceIsFoundForTheLocation(t *testing.T) {
	s := audited(t)
	companyOfPlace(s, "place-0")
	s.Search.Profile.PlaceID, s.Place.Profile.PlaceID = "", "place-7"
	_, fetch := run(s, false)
	want := google.PlaceQuery{Name: s.Search.Profile.Name, Address: s.Search.Profile.Address, Phone: s.Search.Profile.Phone, Website: s.Search.Profile.Website}
	if s.Place.Asked[0] != want || fetch.Data.PlaceID != "place-7" {
		t.Errorf("asked for %+v, want %+v; profile of %q", s.Place.Asked[0], want, fetch.Data.PlaceID)
	}
	wantPlaces(s, "place-0", "place-7")
	placeFails(provider.Gone(nil))(s)
	run(s, true)
	wantPlaces(s, "place-0", "place-7") // after a profile without one
	if want.PlaceID = "place-7"; s.Place.Asked[1] != want {
		t.Errorf("asked for %+v, want %+v", s.Place.Asked[1], want)
	}
}

// TestFallbackIsOfTheChosenLocation chooses the main shop after a branch was audited, and
// cannot read it then: nothing of the branch stands in.
func TestFallbackIsOfTheChosenLocation(t *testing.T) {
	shop := google.Location{Name: "locations/2", Title: "Piekarnia Kowalski", Address: "ul. Długa 1, 31-147 Kraków"}
	throttled := provider.Throttled(nil, 0)
	for name, tt := range map[string]struct {
		change func(*directorytest.Service)
		steps  []string
		source audit.Source
		place  string // stored with the location
	}{
		"found":                 {func(*directorytest.Service) {}, []string{"business_profile failed", "places ok"}, audit.FromPlace, "place-2"},
		"another name":          {otherName, []string{"business_profile failed", "places not_found"}, audit.FromRecord, ""},
		"not found":             {placeFails(provider.Gone(nil)), []string{"business_profile failed", "places not_found"}, audit.FromRecord, ""},
		"place not read":        {both(otherName, placeFails(throttled)), []string{"business_profile failed", "places failed"}, audit.FromRecord, ""},
		"nothing to be fetched": {nil, []string{"business_profile skipped", "places skipped"}, audit.FromRecord, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := audited(t)
			companyOfPlace(s, "place-0")
			before, _ := run(s, false) // of the branch, place-1
			s.Search.Locations = []google.Location{shop}
			if _, err := s.Locations.Select(t.Context(), anna(s), shop.Name); err != nil {
				t.Fatal(err)
			}
			s.Search.Fail["ReadLocation"], s.Place.Asked, s.Place.Profile.PlaceID = throttled, nil, "place-2"
			r := allOf(s)
			if r.FetchExternal = tt.change != nil; r.FetchExternal {
				tt.change(s)
			}
			_, a, _, err := s.Audits.Run(t.Context(), anna(s), r)
			if got := steps(&audit.Fetch{Steps: a.Sources}); err != nil || !slices.Equal(got, tt.steps) || a.Source != tt.source || a.Compares(&before) {
				t.Errorf("%v, sources = %q, source %s, want %q, %s; compares: %t", err, got, a.Source, tt.steps, tt.source, a.Compares(&before))
			}
			if want := (google.PlaceQuery{Name: shop.Title, Address: shop.Address}); tt.change != nil && s.Place.Asked[0] != want {
				t.Errorf("asked for %+v, want %+v", s.Place.Asked[0], want)
			}
			wantPlaces(s, "place-0", tt.place)
			if c := s.Stored(profilePair); c.AccountName != shop.Title || c.AccountAddress != shop.Address {
				t.Errorf("the location is now %q, %q, want it unchanged", c.AccountName, c.AccountAddress)
			}
		})
	}
}

// TestSubjectsCompare: audits compare if they are not known to be about two businesses.
func TestSubjectsCompare(t *testing.T) {
	for _, tt := range []struct {
		a, b audit.Audit
		want bool
	}{
		{audit.Audit{Location: "locations/1", PlaceID: "p"}, audit.Audit{Location: "locations/1", PlaceID: "moved"}, true},
		{audit.Audit{Location: "locations/1"}, audit.Audit{Location: "locations/2"}, false},
		{audit.Audit{Location: "locations/1", PlaceID: "p"}, audit.Audit{PlaceID: "p"}, true}, // before locations were stored
		{audit.Audit{Location: "locations/1", PlaceID: "p"}, audit.Audit{PlaceID: "q"}, false},
		{audit.Audit{PlaceID: "p"}, audit.Audit{}, true},
		{audit.Audit{PlaceID: "p", Source: audit.FromRecord}, audit.Audit{PlaceID: "q", Source: audit.FromRecord}, true},
	} {
		if got := tt.a.Compares(&tt.b); got != tt.want || tt.b.Compares(&tt.a) != tt.want {
			t.Errorf("%+v and %+v: %t", tt.a, tt.b, got)
		}
	}
	record, place := audit.Audit{PlaceID: "p", Source: audit.FromRecord}, audit.Audit{PlaceID: "q", Source: audit.FromPlace}
	if !record.SameSubject(&place) || !place.SameSubject(&record) {
		t.Error("the record of a company is taken for another business than its place")
	}
}

// keepProfile stores a profile of that age.
func keepProfile(s *directorytest.Service, p *audit.Profile, age time.Duration) {
	s.T.Helper()
	p.FetchedAt = directorytest.Start.Add(-age)
	if err := s.Audits.SaveProfile(context.Background(), s.Company.ID, p); err != nil {
		s.T.Fatal(err)
	}
}

// keptAt returns when the stored profile was fetched.
func keptAt(s *directorytest.Service) (at time.Time) {
	s.T.Helper()
	if err := s.Store.Read(context.Background()).Table("company_profiles").Select("fetched_at").Scan(&at).Error; err != nil {
		s.T.Fatal(err)
	}
	return at
}

func TestFreshDataAreReused(t *testing.T) {
	const day = 24 * time.Hour
	again := []string{"business_profile ok", "places ok"}
	reused := []string{"business_profile reused"}
	change := func(change func(*connection.Connection)) func(*directorytest.Service) {
		return func(s *directorytest.Service) { s.Change(profilePair, change) }
	}
	for name, tt := range map[string]struct {
		age    time.Duration
		force  bool
		change func(*directorytest.Service)
		steps  []string
	}{
		"just fetched":    {0, false, nil, reused},
		"under 24 hours":  {day - time.Second, false, nil, reused},
		"24 hours":        {day, false, nil, again},
		"forced":          {time.Minute, true, nil, again},
		"token renewed":   {time.Minute, false, change(func(c *connection.Connection) { c.RefreshToken = "refresh-2" }), reused},
		"other location":  {time.Minute, false, change(func(c *connection.Connection) { c.AccountID = "locations/6" }), again},
		"no location now": {time.Minute, false, noLocation, []string{"business_profile skipped", "places ok"}},
		"disconnected":    {time.Minute, false, change(inactive), []string{"business_profile skipped", "places ok"}},
		"place stood in": {time.Minute, false, func(s *directorytest.Service) {
			p := audit.PlaceProfile(audit.FullPlace())
			p.Location = "locations/5"
			keepProfile(s, p, time.Minute)
		}, again},
		"key is new": {time.Minute, false, func(s *directorytest.Service) {
			keepProfile(s, audit.LocationProfile(audit.FullLocation()), time.Minute)
		}, []string{"business_profile reused", "places ok"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := audited(t)
			keepProfile(s, audit.FullProfile(), tt.age)
			if tt.change != nil {
				tt.change(s)
			}
			if slices.Equal(tt.steps, reused) { // and so not kept again
				s.FailInserts("company_profiles")
			}
			before := keptAt(s)
			a, fetch := run(s, tt.force)
			if got := steps(fetch); !slices.Equal(got, tt.steps) || !fetch.Success || a.Score != 100 {
				t.Errorf("steps = %q, score %g, want %q, 100", got, a.Score, tt.steps)
			}
			if fetched := slices.Contains(tt.steps, "business_profile ok"); fetched && tt.age > 0 && !keptAt(s).After(before) {
				t.Error("the new profile was not kept")
			}
		})
	}
}

func TestFreshPlaceIsReused(t *testing.T) {
	for name, tt := range map[string]struct {
		placeID  string // of the company
		location string // for which the place stood in
		status   string
	}{
		"same place":            {"place-1", "", "reused"},
		"another place":         {"place-2", "", "ok"},
		"place unknown":         {"", "", "reused"},
		"place of the location": {"place-1", "locations/5", "ok"},
	} {
		s := audited(t)
		noLocation(s)
		companyOfPlace(s, tt.placeID)
		kept := audit.PlaceProfile(audit.FullPlace())
		kept.Location = tt.location
		keepProfile(s, kept, time.Hour)
		_, fetch := run(s, false)
		if want := []string{"business_profile skipped", "places " + tt.status}; !slices.Equal(steps(fetch), want) {
			t.Errorf("%s: steps = %q, want %q", name, steps(fetch), want)
		}
	}
}

// When the sources fail, the last profile is better than the company's record.
func TestLastProfileStandsIn(t *testing.T) {
	const kept = 30 * 24 * time.Hour
	failing := both(locationFails(provider.Temporary(nil)), placeFails(provider.Temporary(nil)))
	gone := both(noLocation, placeFails(provider.Gone(nil)))
	for name, tt := range map[string]struct {
		age    time.Duration
		fetch  bool
		change func(*directorytest.Service)
		source audit.Source
	}{
		"sources fail":             {kept - time.Second, true, failing, audit.FromLocation},
		"sources fail, too old":    {kept, true, failing, audit.FromRecord},
		"sources have nothing":     {48 * time.Hour, true, gone, audit.FromRecord},
		"not to be fetched":        {kept - time.Second, false, failing, audit.FromLocation},
		"not to be fetched, stale": {kept, false, failing, audit.FromRecord},
	} {
		s := audited(t)
		keepProfile(s, audit.FullProfile(), tt.age)
		tt.change(s)
		r := allOf(s)
		r.FetchExternal = tt.fetch
		_, a, _, err := s.Audits.Run(t.Context(), anna(s), r)
		if err != nil || a.Source != tt.source {
			t.Errorf("%s: source = %s, %v, want %s", name, a.Source, err, tt.source)
		}
	}
}
