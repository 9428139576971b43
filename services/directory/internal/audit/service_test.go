package audit_test

import (
	"context"
	"errors"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/scan"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

var profilePair = directorytest.ProfilePair

// anna is a manager of the company.
func anna(s *directorytest.Service) account.Actor { return directorytest.Actor(s.Anna) }

func inactive(c *connection.Connection) { c.Active = false }

// audited returns a service whose company has a chosen location and a public place,
// each complete in all that it can report.
func audited(t *testing.T) *directorytest.Service {
	s := directorytest.New(t)
	if _, err := s.Store.Companies().Edit(t.Context(), s.Company.ID, company.Change{Name: new("Piekarnia Kowalski Sp. z o.o.")}, trail.Entry{}); err != nil {
		t.Fatal(err)
	}
	s.Connect(connection.Connection{
		Pair: profilePair, AccessToken: "access-1", ExpiresAt: directorytest.After(1000 * time.Hour), Scopes: []string{directorytest.Scope},
		Chosen: connection.ChosenLocation, AccountID: "locations/5",
	})
	s.Search.Profile, s.Place.Profile, s.Place.Configured = audit.FullLocation(), audit.FullPlace(), true
	s.Wire()
	return s
}

// allOf requests everything for the service's company.
func allOf(s *directorytest.Service) audit.Request {
	return audit.Request{Company: audit.CompanyRef{ID: &s.Company.ID}, Save: true, FetchExternal: true}
}

// used returns how many audits anna has run in the last hour.
func used(s *directorytest.Service) int {
	s.T.Helper()
	state, err := s.Audits.Left(context.Background(), anna(s))
	if err != nil {
		s.T.Fatal(err)
	}
	return 20 - state.Left
}

// history returns the ids of all audits of the company, newest first.
func history(s *directorytest.Service) (ids []int64) {
	s.T.Helper()
	audits := s.Store.Read(context.Background()).Table("profile_audits").Where("company_id = ?", s.Company.ID)
	if err := audits.Order("id DESC").Pluck("id", &ids).Error; err != nil {
		s.T.Fatal(err)
	}
	return ids
}

func TestRun(t *testing.T) {
	s := audited(t)
	c, a, fetch, err := s.Audits.Run(t.Context(), anna(s), allOf(s))
	if err != nil || c.ID != s.Company.ID || fetch == nil || !fetch.Success {
		t.Fatalf("Run = %+v, %+v, %v", c, fetch, err)
	}
	want, err := audit.Assess(audit.FullProfile())
	if err != nil {
		t.Fatal(err)
	}
	want.ID, want.CompanyID, want.At, want.TriggeredBy, want.LogoPresent = 1, s.Company.ID, directorytest.Start, &s.Anna.ID, true
	want.Sources = fetch.Steps
	if !reflect.DeepEqual(a, want) || a.Score != 100 {
		t.Errorf("audit = %+v, want %+v", a, want)
	}
	if _, stored, err := s.Audits.Latest(t.Context(), audit.CompanyRef{ID: &s.Company.ID}); err != nil || !reflect.DeepEqual(stored, want) {
		t.Errorf("stored = %+v, %v, want %+v", stored, err, want)
	}
	if a.Subject != (audit.Subject{Name: "Piekarnia Kowalski", Address: "ul. Floriańska 12, 31-021 Kraków"}) || used(s) != 1 {
		t.Errorf("subject %+v, %d uses", a.Subject, used(s))
	}
	wantPlaces(s, "", "place-1")
}

// TestFailedAuditsCount checks that a failed audit costs a use, and that OnFinish gets
// its error.
func TestFailedAuditsCount(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(*directorytest.Service)
		kind  fault.Kind
		code  string
	}{
		"nothing known": {func(s *directorytest.Service) {
			s.Change(profilePair, inactive)
			s.Place.Err = provider.Gone(nil)
			s.Company = s.AddCompany("pusta", func(c *company.Company) { *c = company.Company{Name: "Pusta", Slug: c.Slug, Status: c.Status} })
			s.Anna.CompanyID = &s.Company.ID
		}, fault.Invalid, audit.CodeNoProfileData.Name},
		"not saved": {func(s *directorytest.Service) { s.FailInserts("profile_audits") }, fault.Internal, "internal"},
		"not published": {func(s *directorytest.Service) {
			if _, err := s.Webhooks.Add(context.Background(), trail.Entry{}, nil, "https://hook.example/"); err != nil {
				s.T.Fatal(err)
			}
			s.FailInserts("webhook_deliveries")
		}, fault.Internal, "internal"},
		"choice not readable":  {func(s *directorytest.Service) { s.Hide("oauth_tokens") }, fault.Internal, "internal"},
		"profile not readable": {func(s *directorytest.Service) { s.Hide("company_profiles") }, fault.Internal, "internal"},
	} {
		t.Run(name, func(t *testing.T) {
			s := audited(t)
			tt.spoil(s)
			c, _, _, err := s.Audits.Run(t.Context(), anna(s), allOf(s))
			directorytest.WantFault(t, err, tt.kind, tt.code)
			if c.ID != s.Company.ID || used(s) != 1 {
				t.Errorf("company %d, %d uses", c.ID, used(s))
			}
			if ids := history(s); len(ids) > 0 {
				t.Errorf("audits %v", ids)
			}
			if len(s.Ended) != 1 || !errors.Is(s.Ended[0], err) {
				t.Errorf("ended %v, want %v", s.Ended, err)
			}
		})
	}
}

func TestRunWithoutOnFinish(t *testing.T) {
	s := audited(t)
	_, _, _, err := audit.New(audit.Options{DB: s.Store.DB, Now: s.Clock}).Run(t.Context(), anna(s), audit.Request{})
	directorytest.WantFault(t, err, fault.Invalid, audit.CodeMissingParameters.Name)
}

// TestPicturesOfTheRecord checks that a logo and a cover photo of the company's record
// count, although Google reports neither.
func TestPicturesOfTheRecord(t *testing.T) {
	for _, want := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		for _, external := range []bool{true, false} {
			s := audited(t)
			change := company.Change{LogoURL: new(""), CoverPhotoURL: new("")}
			if want[0] {
				change.LogoURL = new("https://firma.example/logo.png")
			}
			if want[1] {
				change.CoverPhotoURL = new("https://firma.example/cover.png")
			}
			if _, err := s.Store.Companies().Edit(t.Context(), s.Company.ID, change, trail.Entry{}); err != nil {
				t.Fatal(err)
			}
			r := allOf(s)
			r.FetchExternal = external
			_, a, _, err := s.Audits.Run(t.Context(), anna(s), r)
			if err != nil || a.LogoPresent != want[0] || a.CoverPresent != want[1] {
				t.Errorf("logo %t, cover photo %t, %v, want %v", a.LogoPresent, a.CoverPresent, err, want)
			}
		}
	}
}

func TestAuditEndsWithItsCaller(t *testing.T) {
	s := audited(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.Place.During = cancel
	r := allOf(s)
	r.Save = false // the store would end it, too
	_, _, _, err := s.Audits.Run(ctx, anna(s), r)
	if !errors.Is(err, context.Canceled) || len(history(s)) > 0 {
		t.Errorf("err = %v, kept %v", err, history(s))
	}
}

// archive hides the company.
func archive(s *directorytest.Service) {
	s.Company.Status = "archived"
	if _, err := s.Store.Companies().Edit(context.Background(), s.Company.ID, company.Change{Status: new("archived")}, trail.Entry{}); err != nil {
		s.T.Fatal(err)
	}
}

// withLocation is a service whose company has chosen a location, and scan scans it a day later.
func withLocation(t *testing.T) (s *directorytest.Service, run func() scan.Result) {
	s = directorytest.New(t)
	s.Connect(connection.Connection{
		Pair: profilePair, AccessToken: "access-1", RefreshToken: "refresh-1", Chosen: connection.ChosenLocation, AccountID: "locations/1",
	})
	return s, func() scan.Result {
		s.Now = s.Now.Add(24 * time.Hour)
		result, err := s.Scan.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
}

// TestWeeklyAudit scans for two weeks: the first scan audits, and then the first one in each
// week of the company.
func TestWeeklyAudit(t *testing.T) {
	s, scan := withLocation(t)
	for range 15 {
		if result := scan(); result.Failed != 0 {
			t.Errorf("%+v", result)
		}
	}
	_, audits, err := s.Audits.History(t.Context(), s.Company.Slug, 0, 99)
	if err != nil {
		t.Fatal(err)
	}
	if len(audits) != 3 || audits[0].TriggeredBy != nil || audits[0].Source != audit.FromLocation ||
		audits[0].At.Sub(audits[1].At) != 7*24*time.Hour || !audits[2].At.Equal(directorytest.Start.Add(24*time.Hour)) {
		t.Errorf("audits %+v", audits)
	}
	if state, err := s.Audits.Left(t.Context(), anna(s)); err != nil || state.Left != 20 || len(s.Ended) > 0 {
		t.Errorf("%+v, %v, %d audits of users", state, err, len(s.Ended))
	}
}

// TestWeeklyAuditReadsThePlace checks that a scan's audit has what only the place reports.
func TestWeeklyAuditReadsThePlace(t *testing.T) {
	s, scan := withLocation(t)
	s.Place.Configured, s.Place.Profile = true, audit.FullPlace()
	s.Wire()
	scan()
	_, a, err := s.Audits.Latest(t.Context(), audit.CompanyRef{ID: &s.Company.ID})
	if got := steps(&audit.Fetch{Steps: a.Sources}); err != nil || a.PhotoCount != 10 || !slices.Equal(got, []string{"business_profile reused", "places ok"}) {
		t.Errorf("audit %+v of %q, %v", a, got, err)
	}
}

// TestWeeklyAuditAfterAUsers checks that a user's audit counts for the company's week.
func TestWeeklyAuditAfterAUsers(t *testing.T) {
	s, scan := withLocation(t)
	if _, _, _, err := s.Audits.Run(t.Context(), anna(s), audit.Request{Company: audit.CompanyRef{ID: &s.Company.ID}, Save: true}); err != nil {
		t.Fatal(err)
	}
	for range 7 {
		scan()
	}
	if n := len(history(s)); n != 2 {
		t.Errorf("%d audits after a week, want another one", n)
	}
}

func TestNoWeeklyAudit(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*directorytest.Service)
		want   scan.Result
	}{
		"location not readable": {func(s *directorytest.Service) { s.Search.Fail["ReadLocation"] = provider.Temporary(nil) }, scan.Result{Synced: 1, Failed: 1}},
		"throttled": {
			func(s *directorytest.Service) { s.Search.Fail["ReadLocation"] = provider.Throttled(nil, 0) }, scan.Result{Failed: 1, Left: 1},
		},
		"no location": {func(s *directorytest.Service) {
			s.Change(profilePair, func(c *connection.Connection) { c.Chosen, c.AccountID = connection.ChosenNothing, "accounts/9" })
		}, scan.Result{}},
		"profile not kept": {func(s *directorytest.Service) { s.FailInserts("company_profiles") }, scan.Result{Synced: 1, Failed: 1}},
		"company is gone":  {archive, scan.Result{Synced: 1}},
	} { // what is synced are the performance figures
		s, scan := withLocation(t)
		test.change(s)
		test.want.Ran, test.want.Connections = true, 1
		if result := scan(); result != test.want {
			t.Errorf("%s: %+v, want %+v", name, result, test.want)
		}
		if ids := history(s); len(ids) > 0 {
			t.Errorf("%s: audits %v", name, ids)
		}
	}
}

// TestWeeklyAuditFails checks that a failure of the database is an error, and that nothing
// counts as done then.
func TestWeeklyAuditFails(t *testing.T) {
	for name, spoil := range map[string]func(*directorytest.Service){
		"last audit not readable": func(s *directorytest.Service) { s.Hide("profile_audits") },
		"company not readable":    func(s *directorytest.Service) { s.Hide("companies") },
		"choice not readable":     func(s *directorytest.Service) { s.Hide("oauth_tokens") },
		"location not readable":   func(s *directorytest.Service) { s.Search.Fail["ReadLocation"] = provider.Temporary(nil) },
		"profile not kept":        func(s *directorytest.Service) { s.FailInserts("company_profiles") },
		"audit not saved":         func(s *directorytest.Service) { s.FailInserts("profile_audits") },
	} {
		s, _ := withLocation(t)
		spoil(s)
		if worked, err := s.Audits.RunWeekly(t.Context(), s.Company.ID); worked || err == nil {
			t.Errorf("%s: worked %t, %v", name, worked, err)
		}
	}
}
