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

// TestAddAndEditSetEveryField to its own column, without surrounding space.
func TestAddAndEditSetEveryField(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := company.New(db.DB)
		ctx := t.Context()
		change := everyField()
		want := company.Company{
			ID:            1,
			Slug:          "a",
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
			Categories:    *change.Categories,
			Services:      *change.Services,
		}
		same := func(name string, got company.Company, err error) {
			t.Helper()
			diff := cmp.Diff(want, got, cmpopts.IgnoreFields(company.Company{}, "CreatedAt", "UpdatedAt"))
			if err != nil ||
				diff != "" {
				t.Errorf("%s: %v (-want +got): %s", name, err, diff)
			}
		}
		added, err := s.Add(ctx, "a", change, trail.Entry{Actor: "ola", Action: "company add"})
		same("added", added, err)
		stored, err := s.ByID(ctx, 1)
		same("stored", stored, err)
		bare, err := s.Add(ctx, "b", company.Change{Name: new("B")}, trail.Entry{Actor: "ola", Action: "company add"})
		if err != nil || bare.Status != company.StatusActive {
			t.Fatalf("a company with a name alone: %+v, %v", bare, err)
		}
		if bare.Categories == nil || bare.Services == nil {
			t.Errorf("a company with a name alone: %+v, %v", bare, err)
		}
		edited, err := s.Edit(ctx, bare.ID, change, trail.Entry{Actor: "ewa", Action: "company edit"})
		want.ID, want.Slug = 2, "b"
		same("edited", edited, err)
		edited, err = s.Edit(
			ctx,
			bare.ID,
			company.Change{Status: new("active")},
			trail.Entry{Actor: "ewa", Action: "company edit"},
		)
		want.Status = "active"
		same("shown again", edited, err)
		empty := company.Change{
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
		}
		edited, err = s.Edit(ctx, 1, empty, trail.Entry{Actor: "ewa", Action: "company edit"})
		want = company.Company{
			ID:         1,
			Slug:       "a",
			Name:       want.Name,
			Status:     "archived",
			Categories: []string{},
			Services:   []string{},
		}
		same("emptied", edited, err)
		all, err := s.List(ctx)
		if err != nil || len(all) != 2 {
			t.Fatalf("the order of companies is %+v, %v", all, err)
		}
		if all[0].ID != 1 || all[1].ID != 2 {
			t.Errorf("the order of companies is %+v, %v", all, err)
		}
		lines, err := trail.Find(ctx, db.DB, trail.Search{Limit: 9})
		wantLines := []trail.Entry{
			{
				CompanyID: 1,
				Actor:     "ewa",
				Action:    "company edit",
				Detail: "address, phone, website, hours, description, logo_url, cover_photo_url, place_id, " +
					"categories, services",
			},
			{CompanyID: 2, Actor: "ewa", Action: "company edit", Detail: "status"},
			{
				CompanyID: 2,
				Actor:     "ewa",
				Action:    "company edit",
				Detail: "name, status, address, phone, website, hours, description, logo_url, cover_photo_url, " +
					"place_id, categories, services",
			},
			{CompanyID: 2, Actor: "ola", Action: "company add"},
			{CompanyID: 1, Actor: "ola", Action: "company add"},
		}
		if diff := cmp.Diff(wantLines, lines, cmpopts.IgnoreFields(trail.Entry{}, "At")); err != nil || diff != "" {
			t.Errorf("trail: %v (-want +got): %s", err, diff)
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
		if _, err := s.Edit(t.Context(), 1, change, trail.Entry{}); err == nil || fault.From(err).Message != want {
			t.Errorf("edited: %v, want %s", err, want)
		}
		if change.Name == nil {
			change.Name = new("Second")
		}
		if _, err := s.Add(t.Context(), "second", change, trail.Entry{}); err == nil ||
			fault.From(err).Message != want {
			t.Errorf("added: %v, want %s", err, want)
		}
	}
	if all, err := s.List(t.Context()); err != nil || len(all) != 1 || all[0].Name != "First" {
		t.Errorf("stored %+v, %v", all, err)
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
	lines, trailErr := trail.Find(ctx, db, trail.Search{Limit: 9})
	if err != nil || trailErr != nil || len(all)+len(lines) != 0 {
		t.Errorf("stored %+v, %v and %+v, %v", all, err, lines, trailErr)
	}
}
