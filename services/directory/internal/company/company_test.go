package company_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// everyField is a change of all fields, each to the longest value that is allowed.
func everyField() company.Change {
	text := func(letter string, n int) *string { return new(" " + strings.Repeat(letter, n) + "\n") }
	entries := func(letter string) *[]string {
		return new(append(make([]string, 49), strings.Repeat(letter, 200)))
	}
	return company.Change{
		Name:          text("ż", 200),
		Status:        new(" archived "),
		Address:       text("a", 5000),
		Phone:         text("1", 5000),
		Website:       text("w", 5000),
		Hours:         text("h", 5000),
		Description:   text("ó", 5000),
		LogoURL:       text("l", 5000),
		CoverPhotoURL: text("c", 5000),
		PlaceID:       text("p", 5000),
		Categories:    entries("k"),
		Services:      entries("ś"),
	}
}

// withEveryField is the company with that id after everyField.
func withEveryField(id int64, slug string) company.Company {
	return company.Company{
		ID:            id,
		Slug:          slug,
		Name:          strings.Repeat("ż", 200),
		Status:        "archived",
		Address:       strings.Repeat("a", 5000),
		Phone:         strings.Repeat("1", 5000),
		Website:       strings.Repeat("w", 5000),
		Hours:         strings.Repeat("h", 5000),
		Description:   strings.Repeat("ó", 5000),
		LogoURL:       strings.Repeat("l", 5000),
		CoverPhotoURL: strings.Repeat("c", 5000),
		PlaceID:       strings.Repeat("p", 5000),
		Categories:    *everyField().Categories,
		Services:      *everyField().Services,
	}
}

// requireCompany compares everything but the times.
func requireCompany(t *testing.T, what string, want, got company.Company) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(company.Company{}, "CreatedAt", "UpdatedAt")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// adder and editor begin the lines of the audit trail.
var (
	adder  = trail.Entry{Actor: "ola", Action: "company add"}
	editor = trail.Entry{Actor: "ewa", Action: "company edit"}
)

func addCompany(t *testing.T, s *company.Companies, slug string, change company.Change) company.Company {
	t.Helper()
	added, err := s.Add(t.Context(), slug, change, adder)
	ok(t, err)
	return added
}

func editCompany(t *testing.T, s *company.Companies, id int64, change company.Change) company.Company {
	t.Helper()
	edited, err := s.Edit(t.Context(), id, change, editor)
	ok(t, err)
	return edited
}

// TestAddAndEditSetEveryField to its own column, without surrounding space.
func TestAddAndEditSetEveryField(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := company.New(db.DB)
		requireCompany(t, "added", withEveryField(1, "a"), addCompany(t, s, "a", everyField()))
		addCompany(t, s, "b", company.Change{Name: new("B")})
		requireCompany(t, "edited", withEveryField(2, "b"), editCompany(t, s, 2, everyField()))
		all, err := s.List(t.Context())
		ok(t, err)
		if len(all) != 2 {
			t.Fatalf("%d companies are stored, want 2", len(all))
		}
		requireCompany(t, "the first one, as stored", withEveryField(1, "a"), all[0])
		requireCompany(t, "the second one, as stored", withEveryField(2, "b"), all[1])
	})
}

// TestACompanyNeedsANameAlone: it is active then, and its lists are empty and not null.
func TestACompanyNeedsANameAlone(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		added := addCompany(t, company.New(db.DB), "b", company.Change{Name: new("B")})
		want := company.Company{
			ID: 1, Slug: "b", Name: "B", Status: company.StatusActive, Categories: []string{}, Services: []string{},
		}
		requireCompany(t, "added", want, added)
	})
}

// TestEditLeavesOtherFields: it changes, or empties, what it names alone.
func TestEditLeavesOtherFields(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := company.New(db.DB)
		addCompany(t, s, "a", everyField())
		active := withEveryField(1, "a")
		active.Status = company.StatusActive
		requireCompany(t, "shown again", active, editCompany(t, s, 1, company.Change{Status: new("active")}))
		emptied := editCompany(t, s, 1, company.Change{
			Address:       new(""),
			Phone:         new(""),
			Website:       new(""),
			Hours:         new(""),
			Description:   new(""),
			LogoURL:       new(""),
			CoverPhotoURL: new(""),
			PlaceID:       new(""),
			Categories:    &[]string{},
			Services:      &[]string{},
		})
		want := company.Company{
			ID: 1, Slug: "a", Name: active.Name, Status: active.Status, Categories: []string{}, Services: []string{},
		}
		requireCompany(t, "emptied", want, emptied)
	})
}

// TestTrailOfACompany has a line for each change, with the names of the fields and not their values.
func TestTrailOfACompany(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := company.New(db.DB)
		addCompany(t, s, "a", everyField())
		editCompany(t, s, 1, everyField())
		editCompany(t, s, 1, company.Change{Status: new("active")})
		lines, err := trail.Find(t.Context(), db.DB, trail.Search{Limit: 9})
		ok(t, err)
		want := []trail.Entry{ // newest first
			{CompanyID: 1, Actor: "ewa", Action: "company edit", Detail: "status"},
			{
				CompanyID: 1,
				Actor:     "ewa",
				Action:    "company edit",
				Detail: "name, status, address, phone, website, hours, description, logo_url, cover_photo_url, " +
					"place_id, categories, services",
			},
			{CompanyID: 1, Actor: "ola", Action: "company add"},
		}
		if diff := cmp.Diff(want, lines, cmpopts.IgnoreFields(trail.Entry{}, "At")); diff != "" {
			t.Errorf("trail (-want +got):\n%s", diff)
		}
	})
}

// TestFieldsAreLimited: the error names the field, and nothing is stored.
func TestFieldsAreLimited(t *testing.T) {
	s := company.New(databasetest.Open(t, databasetest.NewSQLite(t)))
	add(t, s, "First", "first")
	longer := func(text *string) *string { return new(strings.TrimSpace(*text) + "x") }
	long := everyField()
	for field, change := range map[string]company.Change{
		"name": {Name: longer(long.Name)}, "status": {Status: longer(long.Name)},
		"address": {Address: longer(long.Address)}, "phone": {Phone: longer(long.Phone)},
		"website": {Website: longer(long.Website)}, "hours": {Hours: longer(long.Hours)},
		"description": {Description: longer(long.Description)},
		"logo_url":    {LogoURL: longer(long.LogoURL)}, "cover_photo_url": {CoverPhotoURL: longer(long.CoverPhotoURL)},
		"place_id":   {PlaceID: longer(long.PlaceID)},
		"categories": {Categories: new(append(*long.Categories, ""))},
		"services":   {Services: &[]string{strings.Repeat("x", 201)}},
	} {
		want := httpapi.CodeInvalidField.Of(field).Message
		refused := func(act string, err error) {
			t.Helper()
			if err == nil || fault.From(err).Message != want {
				t.Errorf("%s with a long %s: error %v, want %q", act, field, err, want)
			}
		}
		_, err := s.Edit(t.Context(), 1, change, trail.Entry{})
		refused("edit", err)
		if change.Name == nil {
			change.Name = new("Second")
		}
		_, err = s.Add(t.Context(), "second", change, trail.Entry{})
		refused("add", err)
	}
	all, err := s.List(t.Context())
	ok(t, err)
	if len(all) != 1 || all[0].Name != "First" {
		t.Errorf("stored %+v, want the first company alone, as it was", all)
	}
}

// TestAddNeedsANameAndASlug before it stores anything, also a line in the audit trail.
func TestAddNeedsANameAndASlug(t *testing.T) {
	db := databasetest.Open(t, databasetest.NewSQLite(t))
	s, ctx := company.New(db), t.Context()
	for _, test := range []struct {
		slug   string
		change company.Change
		want   fault.Code
	}{
		{"a", company.Change{}, company.CodeNoName}, {"a", company.Change{Name: new(" \t")}, company.CodeNoName},
		{"A b", company.Change{Name: new("A")}, company.CodeInvalidSlug},
		{"a", company.Change{Name: new("A"), Status: new("inactive")}, httpapi.CodeInvalidField},
		{"a", company.Change{Name: new("A\x00")}, database.CodeInvalidText},
	} {
		if _, err := s.Add(ctx, test.slug, test.change, trail.Entry{}); !fault.Is(err, test.want) {
			t.Errorf("%q, %+v: %v, want %s", test.slug, test.change, err, test.want)
		}
	}
	all, err := s.List(ctx)
	if err != nil || len(all) > 0 {
		t.Errorf("companies %+v, error %v; want none", all, err)
	}
	lines, err := trail.Find(ctx, db, trail.Search{Limit: 9})
	if err != nil || len(lines) > 0 {
		t.Errorf("trail %+v, error %v; want none", lines, err)
	}
}
