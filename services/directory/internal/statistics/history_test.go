package statistics_test

import (
	"reflect"
	"testing"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/statistics"
)

type data struct {
	Name    string         `json:"name"`
	Metrics map[string]any `json:"metrics"`
}

func TestReadings(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		ctx := t.Context()
		base := database.Instant(databasetest.Time)
		pages := provider.SocialPages
		photos := provider.SocialPhotos
		db.AddCompany(t, "firma")
		reading := func(s provider.Service, account string, minutes int) statistics.Reading[data] {
			return statistics.Reading[data]{
				CompanyID: 1, Service: s, AccountID: account, Count: minutes,
				SyncedAt: base.Add(time.Duration(minutes) * time.Minute),
				Data: &data{
					Name:    "ą \u0000",
					Metrics: map[string]any{"views": 3.0, "by_day": map[string]any{"2026-11-20": 1.5}},
				},
			}
		}
		read := func(s provider.Service) (statistics.Reading[data], []statistics.Point) {
			t.Helper()
			r, points, err := statistics.Read[data](ctx, db.DB, 1, s)
			if err != nil {
				t.Fatal(err)
			}
			return r, points
		}
		if r, points := read(pages); r.Data != nil || points != nil {
			t.Errorf("before a reading: %+v, %+v", r, points)
		}
		newest := reading(pages, "1", 2)
		for _, r := range []statistics.Reading[data]{reading(pages, "2", 1), newest, reading(pages, "1", 0),
			reading(photos, "17", 9)} {
			if err := statistics.Save(ctx, db.DB, r); err != nil {
				t.Fatal(err)
			}
		}
		r, points := read(pages)
		if want := []statistics.Point{{At: base, Count: 0}, {At: newest.SyncedAt, Count: 2}}; !reflect.DeepEqual(
			r, newest,
		) || !reflect.DeepEqual(points, want) {
			t.Errorf("readings: %+v, %+v, want %+v, %+v", r, points, newest, want)
		}
		if r, points := read(photos); r.AccountID != "17" || len(points) != 1 {
			t.Errorf("of the other service: %+v, %+v", r, points)
		}
	})
}

func TestReadingsOfOneTime(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		ctx := t.Context()
		db.AddCompany(t, "firma")
		db.AddCompany(t, "druga")
		reading := statistics.Reading[data]{CompanyID: 1, Service: provider.SocialPages, AccountID: "1", Count: 7,
			Data: &data{Name: "a"}, SyncedAt: databasetest.Time}
		again, other := reading, reading
		again.AccountID = "2"
		again.Count = 8
		again.Data = &data{Name: "b"}
		other.CompanyID, other.Count = 2, 9
		for _, r := range []statistics.Reading[data]{reading, again, other} {
			if err := statistics.Save(ctx, db.DB, r); err != nil {
				t.Fatal(err)
			}
		}
		at := database.Instant(databasetest.Time)
		again.SyncedAt = at
		r, points, err := statistics.Read[data](ctx, db.DB, 1, provider.SocialPages)
		if want := []statistics.Point{{At: at, Count: 8}}; err != nil || !reflect.DeepEqual(r, again) ||
			!reflect.DeepEqual(points, want) {
			t.Errorf("%+v, %+v, %v; want %+v, %+v", r, points, err, again, want)
		}
		if r, points, err := statistics.Read[data](ctx, db.DB, 2, provider.SocialPages); err != nil || r.Count != 9 ||
			len(points) != 1 {
			t.Errorf("of the other company: %+v, %+v, %v", r, points, err)
		}
		counts := db.Query(t, "SELECT account_id, followers FROM social_statistics_history ORDER BY id")
		if !reflect.DeepEqual(counts, []string{"1|7", "2|8", "1|9"}) {
			t.Errorf("counts %q", counts)
		}
	})
}

func TestChartGoesBack90Readings(t *testing.T) {
	db := databasetest.Database{DB: databasetest.Open(t, databasetest.NewSQLite(t))}
	db.AddCompany(t, "firma")
	for i := range 92 {
		r := statistics.Reading[data]{CompanyID: 1, Service: provider.SocialPages, AccountID: "1", Count: i,
			Data:     &data{},
			SyncedAt: databasetest.Time.AddDate(0, 0, i)}
		if err := statistics.Save(t.Context(), db.DB, r); err != nil {
			t.Fatal(err)
		}
	}
	_, points, err := statistics.Read[data](t.Context(), db.DB, 1, provider.SocialPages)
	if err != nil || len(points) != 90 {
		t.Fatalf("%d points, %v", len(points), err)
	}
	if points[0].Count != 2 || points[89].Count != 91 {
		t.Errorf("%d points, %v", len(points), err)
	}
}
