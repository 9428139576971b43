package statistics_test

import (
	"reflect"
	"testing"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/statistics"
)

// TestReadingsOfOneTime: the later one replaces the other, and the chart has both. Times are
// in UTC and in microseconds.
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

// TestChartGoesBack 90 readings, of whatever account.
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
