package directory_test

import (
	"testing"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/internal/kit/fault"
)

func TestLatest(t *testing.T) {
	s := directorytest.New(t)
	for _, score := range []float64{10, 20} {
		if err := s.Store.SaveAudit(t.Context(), &directory.Audit{CompanyID: s.Company.ID, Score: score, Category: "poor"}); err != nil {
			t.Fatal(err)
		}
	}
	for name, ref := range map[string]directory.CompanyRef{
		"id": {ID: &s.Company.ID}, "slug": {Slug: "piekarnia"}, "id before slug": {ID: &s.Company.ID, Slug: "nie-ma"},
	} {
		c, audit, err := s.Audits.Latest(t.Context(), ref)
		if err != nil || c.Slug != "piekarnia" || audit.Score != 20 {
			t.Errorf("%s: Latest = %+v, %+v, %v", name, c, audit, err)
		}
	}
}

func archived(c *directory.Company) { c.Status = "archived" }

func TestLatestFaults(t *testing.T) {
	s := directorytest.New(t)
	old := s.AddCompany("dawna", archived)
	for name, tt := range map[string]struct {
		ref     directory.CompanyRef
		kind    fault.Kind
		code    string
		company int64 // that comes with the fault
	}{
		"nothing":         {directory.CompanyRef{}, fault.Invalid, directory.CodeMissingParameters.Name, 0},
		"unknown id":      {directory.CompanyRef{ID: new(int64(9)), Slug: "piekarnia"}, fault.NotFound, directory.CodeCompanyNotFound.Name, 0},
		"unknown slug":    {directory.CompanyRef{Slug: "nie-ma"}, fault.NotFound, directory.CodeCompanyNotFound.Name, 0},
		"not active":      {directory.CompanyRef{ID: &old.ID}, fault.NotFound, directory.CodeCompanyNotFound.Name, 0},
		"same by slug":    {directory.CompanyRef{Slug: "dawna"}, fault.NotFound, directory.CodeCompanyNotFound.Name, 0},
		"no audit so far": {directory.CompanyRef{ID: &s.Company.ID}, fault.NotFound, directory.CodeNoAudit.Name, s.Company.ID},
	} {
		c, _, err := s.Audits.Latest(t.Context(), tt.ref)
		wantFault(t, err, tt.kind, tt.code)
		if c.ID != tt.company {
			t.Errorf("%s: company = %+v", name, c)
		}
	}
}

func TestHistory(t *testing.T) {
	s := directorytest.New(t)
	s.AddCompany("dawna", archived)
	for range 3 {
		if err := s.Store.SaveAudit(t.Context(), &directory.Audit{CompanyID: s.Company.ID, Category: "poor"}); err != nil {
			t.Fatal(err)
		}
	}
	c, audits, err := s.Audits.History(t.Context(), "piekarnia", 0, 2)
	if err != nil || c.ID != s.Company.ID || len(audits) != 2 || audits[0].ID != 3 {
		t.Errorf("History = %+v, %+v, %v", c, audits, err)
	}
	for _, slug := range []string{"nie-ma", "dawna"} {
		_, _, err := s.Audits.History(t.Context(), slug, 0, 2)
		wantFault(t, err, fault.NotFound, directory.CodeCompanyNotFound.Name)
	}
}
