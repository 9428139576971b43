package directory_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// audited is a service whose company has a chosen location and a public place,
// each complete in all that it can tell.
func audited(t *testing.T) *directorytest.Service {
	s := directorytest.New(t)
	s.Connect(directory.Connection{
		Pair: profilePair, AccessToken: "access-1", ExpiresAt: directorytest.After(1000 * time.Hour), Scopes: []string{directorytest.Scope},
		Chosen: directory.ChosenLocation, AccountID: "locations/5",
	})
	s.Search.Profile, s.Place.Profile, s.Place.Configured = directory.FullLocation(), directory.FullPlace(), true
	s.Wire()
	return s
}

// allOf asks for everything of the service's company.
func allOf(s *directorytest.Service) directory.AuditRequest {
	return directory.AuditRequest{Company: directory.CompanyRef{ID: &s.Company.ID}, Save: true, FetchExternal: true}
}

// used is how many audits anna has run in the last hour.
func used(s *directorytest.Service) int {
	s.T.Helper()
	state, err := s.Audits.Left(context.Background(), anna(s))
	if err != nil {
		s.T.Fatal(err)
	}
	return 20 - state.Left
}

// history are the ids of all audits of the company, newest first.
func history(s *directorytest.Service) (ids []int64) {
	s.T.Helper()
	audits, err := s.Store.AuditHistory(context.Background(), s.Company.ID, 0, 1000)
	if err != nil {
		s.T.Fatal(err)
	}
	for _, a := range audits {
		ids = append(ids, a.ID)
	}
	return ids
}

func TestTrigger(t *testing.T) {
	s := audited(t)
	c, audit, fetch, err := s.Audits.Trigger(t.Context(), anna(s), allOf(s))
	if err != nil || c.ID != s.Company.ID || fetch == nil || !fetch.Success {
		t.Fatalf("Trigger = %+v, %+v, %v", c, fetch, err)
	}
	want, err := directory.Assess(new(directory.FullProfile()))
	if err != nil {
		t.Fatal(err)
	}
	want.ID, want.CompanyID, want.At, want.TriggeredBy, want.LogoPresent = 1, s.Company.ID, directorytest.Start, &s.Anna.ID, true
	if !reflect.DeepEqual(audit, want) || audit.Score != 100 {
		t.Errorf("audit = %+v, want %+v", audit, want)
	}
	if stored, err := s.Store.LatestAudit(t.Context(), s.Company.ID); err != nil || !reflect.DeepEqual(stored, want) {
		t.Errorf("stored = %+v, %v, want %+v", stored, err, want)
	}
	if company, err := s.Store.Company(t.Context(), s.Company.ID); err != nil || company.PlaceID != "place-1" || used(s) != 1 {
		t.Errorf("place %q, %v, %d uses", company.PlaceID, err, used(s))
	}
}

func TestTriggerWithoutSaveOrFetch(t *testing.T) {
	s := audited(t)
	r := allOf(s)
	r.Save, r.FetchExternal = false, false
	_, audit, fetch, err := s.Audits.Trigger(t.Context(), anna(s), r)
	if err != nil || fetch != nil || audit.Source != directory.FromCompanyRecord || audit.ID != 0 || audit.Score == 0 {
		t.Errorf("Trigger = %+v, %+v, %v", audit, fetch, err)
	}
	if len(s.Search.Calls)+len(s.Place.Asked)+len(history(s)) > 0 || used(s) != 1 {
		t.Errorf("asked %q and %d places, kept %v, %d uses", s.Search.Calls, len(s.Place.Asked), history(s), used(s))
	}
}

// The checks come in the documented order; only what passes all costs a use.
func TestTriggerChecks(t *testing.T) {
	spent := func(s *directorytest.Service) {
		byUser := limit.Limit{Kind: "audit", Subject: "1", Max: 20, Window: time.Hour}
		for range 20 {
			if err := s.Limits.Take(context.Background(), s.Now, directory.CodeAuditLimit, byUser); err != nil {
				s.T.Fatal(err)
			}
		}
	}
	unaffiliated := func(a *directory.Actor) { a.User.Role = directory.Unaffiliated }
	stranger := func(a *directory.Actor) { a.User.CompanyID = new(int64(2)) }
	member := func(*directory.Actor) {}
	for name, tt := range map[string]struct {
		actor   func(*directory.Actor)
		ref     directory.CompanyRef
		spoil   func(*directorytest.Service)
		kind    fault.Kind
		code    string
		company int64 // that comes with the fault
	}{
		"no company named":         {stranger, directory.CompanyRef{}, spent, fault.Invalid, directory.CodeMissingParameters.Name, 0},
		"unknown company":          {stranger, directory.CompanyRef{ID: new(int64(9))}, spent, fault.NotFound, directory.CodeCompanyNotFound.Name, 0},
		"company that is archived": {stranger, directory.CompanyRef{Slug: "dawna"}, spent, fault.NotFound, directory.CodeCompanyNotFound.Name, 0},
		"of another company":       {stranger, directory.CompanyRef{Slug: "piekarnia"}, spent, fault.Forbidden, directory.CodeNotAllowed.Name, 1},
		"unaffiliated":             {unaffiliated, directory.CompanyRef{Slug: "piekarnia"}, spent, fault.Forbidden, directory.CodeNotAllowed.Name, 1},
		"used up":                  {member, directory.CompanyRef{Slug: "piekarnia"}, spent, fault.Limited, directory.CodeAuditLimit.Name, 1},
		"limit not readable": {
			member, directory.CompanyRef{Slug: "piekarnia"},
			func(s *directorytest.Service) { s.Store.Fail["TakeLimits"] = errors.New("database is away") }, fault.Internal, "internal", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := audited(t)
			s.AddCompany("dawna", archived)
			tt.spoil(s)
			before := used(s)
			actor, r := anna(s), allOf(s)
			tt.actor(&actor)
			r.Company = tt.ref
			c, _, fetch, err := s.Audits.Trigger(t.Context(), actor, r)
			wantFault(t, err, tt.kind, tt.code)
			if c.ID != tt.company || fetch != nil || len(s.Search.Calls)+len(history(s)) > 0 || used(s) != before {
				t.Errorf("company %d, fetch %+v, asked %q, kept %v, %d uses", c.ID, fetch, s.Search.Calls, history(s), used(s))
			}
		})
	}
}

func TestAdministratorAuditsAnyCompany(t *testing.T) {
	s := audited(t)
	admin := directorytest.Actor(s.AddUser("admin", directory.Admin, nil))
	if _, _, _, err := s.Audits.Trigger(t.Context(), admin, allOf(s)); err != nil {
		t.Error(err)
	}
}

func TestTwentyAuditsInAnyHour(t *testing.T) {
	s := audited(t)
	try := func(actor directory.Actor) error {
		r := allOf(s)
		r.Save, r.FetchExternal = false, false
		_, _, _, err := s.Audits.Trigger(t.Context(), actor, r)
		return err
	}
	wantLeft := func(want int) {
		t.Helper()
		if state, err := s.Audits.Left(t.Context(), anna(s)); err != nil || state.Left != want || state.OK != (want > 0) {
			t.Errorf("Left = %+v, %v, want %d", state, err, want)
		}
	}
	for used := range 20 {
		wantLeft(20 - used)
		if err := try(anna(s)); err != nil {
			t.Fatal(err)
		}
		s.Now = s.Now.Add(time.Minute)
	}
	wantLeft(0)
	err := try(anna(s))
	wantFault(t, err, fault.Limited, directory.CodeAuditLimit.Name)
	if got := fault.From(err).RetryAfter; got != 40*time.Minute {
		t.Errorf("RetryAfter = %v, want 40m", got)
	}
	if err := try(ewa(s)); err != nil {
		t.Errorf("another user: %v", err)
	}
	s.Now = directorytest.Start.Add(time.Hour)
	if err := try(anna(s)); err != nil {
		t.Errorf("an hour after the first: %v", err)
	}
	wantFault(t, try(anna(s)), fault.Limited, directory.CodeAuditLimit.Name)
}

// A use counts although its audit fails; whoever counts the audits hears of it.
func TestFailedAuditsCount(t *testing.T) {
	away := errors.New("database is away")
	for name, tt := range map[string]struct {
		spoil func(*directorytest.Service)
		kind  fault.Kind
		code  string
	}{
		"nothing known": {func(s *directorytest.Service) {
			s.Change(profilePair, inactive)
			s.Place.Err = provider.Gone(nil)
			s.Company = s.AddCompany("pusta", func(c *directory.Company) { *c = directory.Company{Name: "Pusta", Slug: c.Slug, Status: c.Status} })
			s.Anna.CompanyID = &s.Company.ID
		}, fault.Invalid, directory.CodeNoProfileData.Name},
		"not saved":            {func(s *directorytest.Service) { s.Store.Fail["SaveAudit"] = away }, fault.Internal, "internal"},
		"profile not readable": {func(s *directorytest.Service) { s.Store.Fail["Profile"] = away }, fault.Internal, "internal"},
	} {
		t.Run(name, func(t *testing.T) {
			s := audited(t)
			tt.spoil(s)
			c, _, _, err := s.Audits.Trigger(t.Context(), anna(s), allOf(s))
			wantFault(t, err, tt.kind, tt.code)
			if c.ID != s.Company.ID || used(s) != 1 {
				t.Errorf("company %d, %d uses", c.ID, used(s))
			}
			if len(s.Ended) != 1 || !errors.Is(s.Ended[0], err) {
				t.Errorf("ended %v, want %v", s.Ended, err)
			}
		})
	}
}

func TestAuditEndsWithItsCaller(t *testing.T) {
	s := audited(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.Place.During = cancel
	r := allOf(s)
	r.Save = false // the store would end it, too
	_, _, _, err := s.Audits.Trigger(ctx, anna(s), r)
	if !errors.Is(err, context.Canceled) || len(history(s)) > 0 {
		t.Errorf("err = %v, kept %v", err, history(s))
	}
}
