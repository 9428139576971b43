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
