package store_test

import (
	"testing"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store/storetest"
	"backend.example/services/internal/kit/fault"
)

func TestCompany(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := storetest.Open(t, db.URL, database.WithClock(func() time.Time { return databasetest.Time })), t.Context()
		full := directory.Company{
			Name: "Zażółć gęślą jaźń 🦔 \u0301", Slug: "zazolc", Status: "active", Address: "ul. Łąkowa 1\n00-001 Łódź",
			Phone: "+48 123", Website: "https://example.test/?a=b&c='d\"", Hours: "pn–pt", Description: "\u202eopis\t\\u0000 %_",
			Categories: []string{"piekarnia", "a \"b\", c"}, Services: []string{"dowóz"}, LogoURL: "l", CoverPhotoURL: "c", PlaceID: "p",
		}
		bare := directory.Company{Name: "b", Slug: "b", Status: "inactive"}
		ok(t, s.CreateCompany(ctx, &full))
		ok(t, s.CreateCompany(ctx, &bare))
		if full.ID == 0 || bare.ID <= full.ID || !full.CreatedAt.Equal(storetest.Kept(databasetest.Time)) || full.UpdatedAt != full.CreatedAt {
			t.Errorf("ids %d, %d, created %v", full.ID, bare.ID, full.CreatedAt)
		}
		bare.Categories, bare.Services = []string{}, []string{}
		want := []directory.Company{full, bare}
		requireEqual(t, "Companies", want, must(s.Companies(ctx))(t))
		for _, company := range want {
			requireEqual(t, "Company", company, must(s.Company(ctx, company.ID))(t))
			requireEqual(t, "CompanyBySlug", company, must(s.CompanyBySlug(ctx, company.Slug))(t))
		}
		if zone := must(s.Company(ctx, full.ID))(t).CreatedAt.Location(); zone != time.UTC {
			t.Errorf("created in zone %v", zone)
		}
	})
}

func TestCompanyFaults(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		storetest.AddCompany(t, s, "first")
		wantFault(t, s.CreateCompany(ctx, &directory.Company{Slug: "first"}), fault.Invalid, "slug_taken")
		wantFault(t, errorOf(s.Company(ctx, 99)), fault.NotFound, "company_not_found")
		wantFault(t, errorOf(s.CompanyBySlug(ctx, "First")), fault.NotFound, "company_not_found")
		wantFault(t, s.SetPlaceID(ctx, 99, "p"), fault.NotFound, "company_not_found")
	})
}

func TestSetPlaceID(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		now := databasetest.Time
		s, ctx := storetest.Open(t, db.URL, database.WithClock(func() time.Time { return now })), t.Context()
		c, other := storetest.AddCompany(t, s, "a"), storetest.AddCompany(t, s, "b")
		now = databasetest.Time.Add(time.Hour)
		ok(t, s.SetPlaceID(ctx, c.ID, "place"))
		after := must(s.Company(ctx, c.ID))(t)
		if after.PlaceID != "place" || !after.UpdatedAt.Equal(storetest.Kept(now)) || !after.CreatedAt.Equal(storetest.Kept(databasetest.Time)) {
			t.Errorf("place %q, updated %v, created %v", after.PlaceID, after.UpdatedAt, after.CreatedAt)
		}
		if must(s.Company(ctx, other.ID))(t).PlaceID != "" {
			t.Error("another company was changed")
		}
	})
}

// TestTimesOfSQLite: SQLite compares times as texts, so all of them have one format,
// which is that of the files before.
func TestTimesOfSQLite(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		if db.Name != "sqlite" {
			t.Skip("has a type for times")
		}
		s := storetest.Open(t, db.URL, database.WithClock(func() time.Time { return databasetest.Time }))
		storetest.AddCompany(t, s, "a")
		const want = "2026-03-29 00:30:15.123456+00:00"
		if got := query(t, db.Raw(t), "SELECT CAST(created_at AS TEXT) FROM companies"); got[0] != want {
			t.Errorf("created %q, want %q", got, want)
		}
	})
}
