package directory

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// steps tells a fetch as "source status" each.
func steps(f *Fetch) []string {
	var told []string
	for _, s := range f.Steps {
		told = append(told, s.Step+" "+s.Status)
	}
	return told
}

// trigger audits company 1.
func (s *auditShelf) trigger(t *testing.T, force bool) (Audit, *Fetch) {
	t.Helper()
	r := request()
	r.ForceRefresh = force
	_, audit, fetch, err := s.audits1().Trigger(t.Context(), owner(), r)
	if err != nil {
		t.Fatal(err)
	}
	return audit, fetch
}

func TestSources(t *testing.T) {
	away := Temporary(errors.New("503"))
	for name, tt := range map[string]struct {
		change func(*auditShelf)
		steps  []string
		source ProfileSource
		failed bool // the whole refresh
	}{
		"location and its place": {func(*auditShelf) {}, []string{"business_profile ok", "places ok"}, FromBusinessProfile, false},
		"location alone":         {func(s *auditShelf) { s.noKey = true }, []string{"business_profile ok"}, FromBusinessProfile, false},
		"location, place unknown": {
			func(s *auditShelf) { s.placeErr = Gone(nil) }, []string{"business_profile ok", "places not_found"}, FromBusinessProfile, false,
		},
		"location, place away": {
			func(s *auditShelf) { s.placeErr = away }, []string{"business_profile ok", "places failed"}, FromBusinessProfile, false,
		},
		"not connected": {
			func(s *auditShelf) { s.locationErr = noConnection() }, []string{"business_profile skipped", "places ok"}, FromPlaces, false,
		},
		"location deleted": {
			func(s *auditShelf) { s.locationErr = Gone(nil) }, []string{"business_profile not_found", "places ok"}, FromPlaces, false,
		},
		"location away": {
			func(s *auditShelf) { s.locationErr = away }, []string{"business_profile failed", "places ok"}, FromPlaces, false,
		},
		"neither": {
			func(s *auditShelf) { s.locationErr, s.noKey = noConnection(), true },
			[]string{"business_profile skipped", "places skipped"}, FromCompanyRecord, true,
		},
		"both fail": {
			func(s *auditShelf) { s.locationErr, s.placeErr = away, away },
			[]string{"business_profile failed", "places failed"}, FromCompanyRecord, true,
		},
		"not kept": {
			func(s *auditShelf) { s.saveErr = errors.New("database is away") },
			[]string{"business_profile ok", "places ok", "save failed"}, FromBusinessProfile, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf()
			tt.change(s)
			audit, fetch := s.trigger(t, false)
			if got := steps(fetch); !slices.Equal(got, tt.steps) || audit.Source != tt.source {
				t.Errorf("steps = %q, source %s, want %q, %s", got, audit.Source, tt.steps, tt.source)
			}
			if fetch.Success == tt.failed || (fetch.Data == nil) != tt.failed || (fetch.Error == "") == tt.failed {
				t.Errorf("fetch = %+v, want it failed: %t", fetch, tt.failed)
			}
			for _, step := range fetch.Steps {
				sentence(t, step.Message)
			}
		})
	}
}

// What only a place tells comes to the location, and nothing else of it.
func TestPlaceCompletesTheLocation(t *testing.T) {
	s := newShelf()
	s.companies[1] = Company{ID: 1, Name: "Piekarnia", Status: CompanyStatusActive, PlaceID: "place-0"}
	s.place.Name, s.place.PlaceID = "Inna nazwa", "place-2"
	audit, fetch := s.trigger(t, false)
	if s.asked.PlaceID != "place-1" {
		t.Errorf("asked for the place %q, want the location's", s.asked.PlaceID)
	}
	p := fetch.Data
	if p.Name != "Piekarnia Kowalski" || p.PhotoCount != 10 || p.ReviewCount != 128 || p.PlaceID != "place-1" || audit.PlaceID != "place-1" {
		t.Errorf("profile = %+v", p)
	}
	if got := s.companies[1].PlaceID; got != "place-1" {
		t.Errorf("kept place = %q", got)
	}
}

func TestPlaceOfALocationThatDoesNotTellIts(t *testing.T) {
	s := newShelf()
	s.companies[1] = Company{ID: 1, Name: "Piekarnia", Status: CompanyStatusActive, PlaceID: "place-0"}
	s.location.PlaceID, s.place.PlaceID = "", "place-0"
	if _, fetch := s.trigger(t, false); s.asked.PlaceID != "place-0" || fetch.Data.PlaceID != "place-0" {
		t.Errorf("asked for %q, profile of %q", s.asked.PlaceID, fetch.Data.PlaceID)
	}
}

// kept is a profile of which an earlier fetch is so old.
func (s *auditShelf) kept(p Profile, age time.Duration) {
	p.FetchedAt = auditNow.Add(-age)
	if p.Source == FromBusinessProfile {
		p.Location = "locations/5"
	}
	s.profile = &p
}

func TestFreshDataAreReused(t *testing.T) {
	const day = 24 * time.Hour
	again := []string{"business_profile ok", "places ok"}
	reused := []string{"business_profile reused"}
	for name, tt := range map[string]struct {
		age    time.Duration
		force  bool
		change func(*auditShelf)
		steps  []string
	}{
		"just fetched":    {0, false, nil, reused},
		"under 24 hours":  {day - 1, false, nil, reused},
		"24 hours":        {day, false, nil, again},
		"forced":          {time.Minute, true, nil, again},
		"token renewed":   {time.Minute, false, func(s *auditShelf) { s.connection.UpdatedAt = auditNow }, reused},
		"other location":  {time.Minute, false, func(s *auditShelf) { s.connection.AccountID = "locations/6" }, again},
		"no location now": {time.Minute, false, func(s *auditShelf) { s.connection.AccountID = "accounts/1" }, again},
		"connected again": {time.Minute, false, func(s *auditShelf) { s.connection.Active = false }, again},
		"key is new":      {time.Minute, false, func(s *auditShelf) { s.kept(fullLocation(), time.Minute) }, []string{"business_profile reused", "places ok"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf()
			s.kept(fullProfile(), tt.age)
			if tt.change != nil {
				tt.change(s)
			}
			audit, fetch := s.trigger(t, tt.force)
			if got := steps(fetch); !slices.Equal(got, tt.steps) || !fetch.Success || audit.Score != 100 {
				t.Errorf("steps = %q, score %g, want %q, 100", got, audit.Score, tt.steps)
			}
			if saved := slices.Contains(s.calls, "save profile"); saved == slices.Equal(tt.steps, reused) {
				t.Errorf("saved is %t", saved)
			}
			if fetch.Data.Location != "" {
				t.Errorf("the answer tells the location %q", fetch.Data.Location)
			}
		})
	}
}

func TestFreshPlaceIsReused(t *testing.T) {
	for name, tt := range map[string]struct {
		placeID string // of the company
		status  string
	}{"same place": {"place-1", "reused"}, "another place": {"place-2", "ok"}} {
		s := newShelf()
		s.locationErr = noConnection()
		c := s.companies[1]
		c.PlaceID = tt.placeID
		s.companies[1] = c
		s.kept(fullPlace(), time.Hour)
		_, fetch := s.trigger(t, false)
		if want := []string{"business_profile skipped", "places " + tt.status}; !slices.Equal(steps(fetch), want) {
			t.Errorf("%s: steps = %q, want %q", name, steps(fetch), want)
		}
	}
}

// When the sources fail, the last profile is better than the company's record.
func TestLastProfileStandsIn(t *testing.T) {
	const kept = 30 * 24 * time.Hour
	failing := func(s *auditShelf) { s.locationErr, s.placeErr = Temporary(nil), Temporary(nil) }
	gone := func(s *auditShelf) { s.locationErr, s.placeErr = noConnection(), Gone(nil) }
	for name, tt := range map[string]struct {
		age    time.Duration
		fetch  bool
		change func(*auditShelf)
		source ProfileSource
	}{
		"sources fail":             {kept - 1, true, failing, FromBusinessProfile},
		"sources fail, too old":    {kept, true, failing, FromCompanyRecord},
		"sources have nothing":     {48 * time.Hour, true, gone, FromCompanyRecord},
		"not to be fetched":        {kept - 1, false, failing, FromBusinessProfile},
		"not to be fetched, stale": {kept, false, failing, FromCompanyRecord},
	} {
		s := newShelf()
		s.kept(fullProfile(), tt.age)
		tt.change(s)
		r := request()
		r.FetchExternal = tt.fetch
		_, audit, _, err := s.audits1().Trigger(t.Context(), owner(), r)
		if err != nil || audit.Source != tt.source {
			t.Errorf("%s: source = %s, %v, want %s", name, audit.Source, err, tt.source)
		}
	}
}

func TestCompanyRecordAsAProfile(t *testing.T) {
	c := Company{
		Name: " Piekarnia ", Address: "Rynek 1", Phone: "1", Website: "a.pl", Hours: "pn 8–16; wt 8–16\nśr 8–16;;", Description: "Opis",
		Categories: []string{"Piekarnia", "piekarnia "}, Services: []string{"Chleb"}, CoverPhotoURL: "https://a.pl/c.png", PlaceID: "place-1",
	}
	p := c.profile(auditNow)
	if p.Name != "Piekarnia" || strings.Join(p.Hours, "|") != "pn 8–16|wt 8–16|śr 8–16" || len(p.Categories) != 1 || p.LogoPresent ||
		!p.CoverPresent || p.PlaceID != "place-1" || p.Source != FromCompanyRecord || !p.FetchedAt.Equal(auditNow) {
		t.Errorf("profile = %+v", p)
	}
	for _, f := range []Field{FieldPhotos, FieldReviews} {
		if p.Knows(f) {
			t.Errorf("a company's record tells %s", f)
		}
	}
}
