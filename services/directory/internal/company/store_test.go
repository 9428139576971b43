package company_test

import (
	"os"
	"reflect"
	"testing"
	"time"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

func TestCompaniesAreStored(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		now := databasetest.Time
		s, ctx := company.New(databasetest.Open(t, db.URL, database.WithClock(func() time.Time { return now }))), t.Context()
		full := company.Company{
			Name: "Zażółć gęślą jaźń 🦔 \u0301", Slug: "zazolc", Status: "active", Address: "ul. Łąkowa 1\n00-001 Łódź",
			Phone: "+48 123", Website: "https://example.test/?a=b&c='d\"", Hours: "pn–pt", Description: "\u202eopis\t\\u0000 %_",
			Categories: []string{"piekarnia", "a \"b\", c"}, Services: []string{"dowóz"}, LogoURL: "l", CoverPhotoURL: "c", PlaceID: "p",
		}
		bare := company.Company{Name: "b", Slug: "b", Status: "inactive"}
		for _, c := range []*company.Company{&full, &bare} {
			if err := s.Create(ctx, c); err != nil {
				t.Fatal(err)
			}
		}
		if full.ID == 0 || bare.ID <= full.ID || !full.CreatedAt.Equal(database.Instant(now)) || full.UpdatedAt != full.CreatedAt ||
			bare.Categories == nil || bare.Services == nil || !full.Active() || bare.Active() {
			t.Errorf("created %+v and %+v", full, bare)
		}
		want := []company.Company{full, bare}
		if got, err := s.List(ctx); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("List = %+v, %v; want %+v", got, err, want)
		}
		for _, c := range want {
			if got, err := s.ByID(ctx, c.ID); err != nil || !reflect.DeepEqual(got, c) || got.CreatedAt.Location() != time.UTC {
				t.Errorf("ByID = %+v, %v; want %+v", got, err, c)
			}
			if got, err := s.BySlug(ctx, c.Slug); err != nil || !reflect.DeepEqual(got, c) {
				t.Errorf("BySlug = %+v, %v; want %+v", got, err, c)
			}
		}

		now = now.Add(time.Hour)
		if err := s.SetPlaceID(ctx, full.ID, "place"); err != nil {
			t.Fatal(err)
		}
		full.PlaceID, full.UpdatedAt = "place", database.Instant(now)
		edited := bare
		edited.Phone, edited.Slug, edited.Categories = "1", "other", nil
		if err := s.Save(ctx, edited, trail.Entry{CompanyID: bare.ID, Action: "company edit"}); err != nil {
			t.Fatal(err)
		}
		bare.Phone, bare.UpdatedAt = "1", database.Instant(now)
		if got, err := s.List(ctx); err != nil || !reflect.DeepEqual(got, []company.Company{full, bare}) {
			t.Errorf("after changes %+v, %v; want %+v and %+v", got, err, full, bare)
		}
		if lines, err := trail.Find(ctx, db.DB, trail.Search{CompanyID: bare.ID, Limit: 9}); err != nil || len(lines) != 1 {
			t.Errorf("trail %+v, %v", lines, err)
		}
	})
}

func TestCompanyFaults(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s, ctx := company.New(db.DB), t.Context()
		add(t, s, "First", "first")
		_, byID := s.ByID(ctx, 99)
		_, bySlug := s.BySlug(ctx, "First")
		for err, want := range map[error]fault.Code{
			s.Create(ctx, &company.Company{Slug: "first"}): company.CodeSlugTaken,
			byID:                       company.CodeNotFound,
			bySlug:                     company.CodeNotFound,
			s.SetPlaceID(ctx, 99, "p"): company.CodeNotFound,
			s.Save(ctx, company.Company{ID: 99}, trail.Entry{}): company.CodeNotFound,
		} {
			if !fault.Is(err, want) {
				t.Errorf("err = %v, want %s", err, want)
			}
		}
	})
}
