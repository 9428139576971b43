package directory

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"backend.example/services/internal/kit/fault"
)

func idOf(id int64) *int64 { return &id }

// owner may edit company 1.
func owner() Actor {
	return Actor{User: User{ID: 42, CompanyID: idOf(1), Role: Member, Email: "anna@firma.example"}, RequestID: "req-1"}
}

// request asks for all of company 1.
func request() AuditRequest {
	return AuditRequest{Company: CompanyRef{ID: idOf(1)}, Save: true, FetchExternal: true}
}

func wantCode(t *testing.T, err error, kind fault.Kind, code string) {
	t.Helper()
	if f := fault.From(err); f == nil || f.Kind != kind || f.Code != code || f.Message == "" {
		t.Errorf("err = %v, want %s of kind %d with a text", err, code, kind)
	}
}

func TestLatest(t *testing.T) {
	s := newShelf()
	s.audits = []Audit{{ID: 1, CompanyID: 1, Score: 10}, {ID: 2, CompanyID: 1, Score: 20}, {ID: 3, CompanyID: 2}}
	for name, ref := range map[string]CompanyRef{
		"id": {ID: idOf(1)}, "slug": {Slug: "piekarnia"}, "id before slug": {ID: idOf(1), Slug: "nie-ma"},
	} {
		c, audit, err := s.audits1().Latest(t.Context(), ref)
		if err != nil || c.Slug != "piekarnia" || audit.ID != 2 {
			t.Errorf("%s: Latest = %+v, %+v, %v", name, c, audit, err)
		}
	}
}

func TestLatestFaults(t *testing.T) {
	s := newShelf()
	for name, tt := range map[string]struct {
		ref     CompanyRef
		kind    fault.Kind
		code    string
		company int64 // that comes with the fault
	}{
		"nothing":         {CompanyRef{}, fault.Invalid, "missing_parameters", 0},
		"unknown id":      {CompanyRef{ID: idOf(9), Slug: "piekarnia"}, fault.NotFound, "no_company", 0},
		"unknown slug":    {CompanyRef{Slug: "nie-ma"}, fault.NotFound, "no_company", 0},
		"not active":      {CompanyRef{ID: idOf(2)}, fault.NotFound, "no_company", 0},
		"same by slug":    {CompanyRef{Slug: "dawna"}, fault.NotFound, "no_company", 0},
		"no audit so far": {CompanyRef{ID: idOf(1)}, fault.NotFound, "no_audit", 1},
	} {
		c, _, err := s.audits1().Latest(t.Context(), tt.ref)
		wantCode(t, err, tt.kind, tt.code)
		if c.ID != tt.company {
			t.Errorf("%s: company = %+v", name, c)
		}
	}
}

func TestHistory(t *testing.T) {
	s := newShelf()
	for id := range int64(5) {
		s.audits = append(s.audits, Audit{ID: id + 1, CompanyID: 1})
	}
	for name, tt := range map[string]struct {
		before int64
		n      int
		want   []int64
	}{"newest": {0, 2, []int64{5, 4}}, "next": {4, 2, []int64{3, 2}}, "last": {2, 2, []int64{1}}, "after it": {1, 2, nil}} {
		c, audits, err := s.audits1().History(t.Context(), "piekarnia", tt.before, tt.n)
		var ids []int64
		for _, a := range audits {
			ids = append(ids, a.ID)
		}
		if err != nil || c.ID != 1 || !slices.Equal(ids, tt.want) {
			t.Errorf("%s: History = %v, %v, want %v", name, ids, err, tt.want)
		}
	}
	for _, slug := range []string{"nie-ma", "dawna"} {
		_, _, err := s.audits1().History(t.Context(), slug, 0, 2)
		wantCode(t, err, fault.NotFound, "no_company")
	}
}

func TestTrigger(t *testing.T) {
	s := newShelf()
	c, audit, fetch, err := s.audits1().Trigger(t.Context(), owner(), request())
	if err != nil || c.ID != 1 || fetch == nil || !fetch.Success {
		t.Fatalf("Trigger = %+v, %+v, %v", c, fetch, err)
	}
	want, err := Assess(new(fullProfile()))
	if err != nil {
		t.Fatal(err)
	}
	want.ID, want.CompanyID, want.At, want.TriggeredBy, want.LogoPresent = 1, 1, auditNow, idOf(42), true
	if !reflect.DeepEqual(audit, want) || audit.Score != 100 {
		t.Errorf("audit = %+v, want %+v", audit, want)
	}
	if !reflect.DeepEqual(s.audits, []Audit{want}) {
		t.Errorf("stored = %+v, want %+v", s.audits, want)
	}
	order := []string{"limit", "read location", "find place", "save profile", "set place place-1", "save audit"}
	if !slices.Equal(s.calls, order) {
		t.Errorf("calls = %q, want %q", s.calls, order)
	}
}

func TestTriggerWithoutSaveOrFetch(t *testing.T) {
	s := newShelf()
	r := request()
	r.Save, r.FetchExternal = false, false
	_, audit, fetch, err := s.audits1().Trigger(t.Context(), owner(), r)
	if err != nil || fetch != nil || audit.Source != FromCompanyRecord || audit.ID != 0 || audit.Score == 0 {
		t.Errorf("Trigger = %+v, %+v, %v", audit, fetch, err)
	}
	if want := []string{"limit"}; !slices.Equal(s.calls, want) || len(s.audits) > 0 {
		t.Errorf("calls = %q, want %q", s.calls, want)
	}
}

// The checks come in the documented order; only what passes all costs a use.
func TestTriggerChecks(t *testing.T) {
	stranger, guest := owner(), owner()
	stranger.User.CompanyID, guest.User.Role = idOf(2), Unaffiliated
	spent := func(s *auditShelf) {
		s.uses["audit 42"] = slices.Repeat([]time.Time{auditNow}, 20)
	}
	for name, tt := range map[string]struct {
		actor   Actor
		ref     CompanyRef
		spoil   func(*auditShelf)
		kind    fault.Kind
		code    string
		company int64 // that comes with the fault
	}{
		"no company named":         {stranger, CompanyRef{}, spent, fault.Invalid, "missing_parameters", 0},
		"unknown company":          {stranger, CompanyRef{ID: idOf(9)}, spent, fault.NotFound, "no_company", 0},
		"company that is archived": {stranger, CompanyRef{ID: idOf(2)}, spent, fault.NotFound, "no_company", 0},
		"of another company":       {stranger, CompanyRef{ID: idOf(1)}, spent, fault.Forbidden, "not_allowed", 1},
		"unaffiliated":             {guest, CompanyRef{ID: idOf(1)}, spent, fault.Forbidden, "not_allowed", 1},
		"used up":                  {owner(), CompanyRef{ID: idOf(1)}, spent, fault.Limited, "audit_limit", 1},
		"limit not readable": {
			owner(), CompanyRef{ID: idOf(1)}, func(s *auditShelf) { s.limitErr = errors.New("database is away") }, fault.Internal, "internal", 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf()
			tt.spoil(s)
			r := request()
			r.Company = tt.ref
			c, _, fetch, err := s.audits1().Trigger(t.Context(), tt.actor, r)
			wantCode(t, err, tt.kind, tt.code)
			if c.ID != tt.company || fetch != nil || len(s.calls) > 0 {
				t.Errorf("company %d, fetch %+v, calls %q", c.ID, fetch, s.calls)
			}
		})
	}
}

func TestAdministratorAuditsAnyCompany(t *testing.T) {
	actor := Actor{User: User{ID: 1, Role: Admin}}
	if _, _, _, err := newShelf().audits1().Trigger(t.Context(), actor, request()); err != nil {
		t.Error(err)
	}
}

func TestTwentyAuditsInAnyHour(t *testing.T) {
	s, now := newShelf(), auditNow
	audits := s.auditsAt(func() time.Time { return now })
	try := func(actor Actor) error {
		_, _, _, err := audits.Trigger(t.Context(), actor, request())
		return err
	}
	wantLeft := func(want int) {
		t.Helper()
		if state, err := audits.Left(t.Context(), owner()); err != nil || state.Left != want || state.OK != (want > 0) {
			t.Errorf("Left = %+v, %v, want %d", state, err, want)
		}
	}
	for used := range 20 {
		wantLeft(20 - used)
		if err := try(owner()); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Minute)
	}
	wantLeft(0)
	err := try(owner())
	wantCode(t, err, fault.Limited, "audit_limit")
	if got := fault.From(err).RetryAfter; got != 40*time.Minute {
		t.Errorf("RetryAfter = %v, want 40m", got)
	}
	other := owner()
	other.User.ID = 43
	if err := try(other); err != nil {
		t.Errorf("another user: %v", err)
	}
	now = auditNow.Add(time.Hour)
	if err := try(owner()); err != nil {
		t.Errorf("an hour after the first: %v", err)
	}
	wantCode(t, try(owner()), fault.Limited, "audit_limit")
}

// A use counts although its audit fails.
func TestFailedAuditsCount(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(*auditShelf)
		kind  fault.Kind
		code  string
	}{
		"nothing known": {func(s *auditShelf) {
			s.locationErr, s.placeErr = noConnection(), Gone(nil)
			s.companies[1] = Company{ID: 1, Name: "Piekarnia Kowalski", Status: CompanyStatusActive}
		}, fault.Invalid, "no_profile_data"},
		"not saved":            {func(s *auditShelf) { s.auditErr = errors.New("database is away") }, fault.Internal, "internal"},
		"profile not readable": {func(s *auditShelf) { s.profileErr = errors.New("database is away") }, fault.Internal, "internal"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf()
			tt.spoil(s)
			c, _, _, err := s.audits1().Trigger(t.Context(), owner(), request())
			wantCode(t, err, tt.kind, tt.code)
			if c.ID != 1 || len(s.uses["audit 42"]) != 1 {
				t.Errorf("company %d, uses %v", c.ID, s.uses)
			}
		})
	}
}

func TestAuditEndsWithItsCaller(t *testing.T) {
	s := newShelf()
	ctx, cancel := context.WithCancel(t.Context())
	s.during = cancel
	_, _, _, err := s.audits1().Trigger(ctx, owner(), request())
	if !errors.Is(err, context.Canceled) || slices.Contains(s.calls, "save audit") {
		t.Errorf("err = %v, calls = %q", err, s.calls)
	}
}
