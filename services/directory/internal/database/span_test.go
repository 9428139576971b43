package database_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"backend.example/services/directory/internal/database/databasetest"
)

type spanKey struct{}

// TestTrace checks that each statement has a span of its own, which ends with the
// statement's error.
func TestTrace(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		db.AddCompany(t, "firma")
		traced := databasetest.Open(t, db.URL)
		var began, failed []string
		ended := 0
		ok(t, traced.Trace(func(ctx context.Context, name string) (context.Context, func(error)) {
			if ctx.Value(spanKey{}) != nil {
				t.Errorf("%s is within another span", name)
			}
			began = append(began, name)
			return context.WithValue(ctx, spanKey{}, name), func(err error) {
				ended++
				if err != nil {
					failed = append(failed, name)
				}
			}
		}))
		entries := traced.Write(t.Context()).Table("limit_entries")
		row := map[string]any{}
		id := 0
		ok(t, entries.Create(map[string]any{"kind": "k", "subject": "s", "used_at": databasetest.Time}).Error)
		ok(t, traced.Read(t.Context()).Table("limit_entries").Take(&row).Error)
		if err := traced.Read(t.Context()).Table("companies").Where("slug = 'inna'").Take(&row).Error; err == nil {
			t.Error("another company was found")
		}
		kind := traced.Read(t.Context()).Table("limit_entries").Select("kind")
		// is one statement
		ok(t, traced.Write(t.Context()).Table("limit_entries").Where("kind IN (?)", kind).Update("kind", "l").Error)
		ok(t, traced.Write(t.Context()).Table("limit_entries").Where("kind = 'l'").Delete(nil).Error)
		ok(t, traced.Read(t.Context()).Table("companies").Raw("SELECT id FROM companies").Row().Scan(&id))
		ok(t, traced.Ping(t.Context()))
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := traced.Ping(canceled); !errors.Is(err, context.Canceled) {
			t.Errorf("ping: %v", err)
		}
		want := []string{"create limit_entries", "query limit_entries", "query companies", "update limit_entries",
			"delete limit_entries", "row companies", "raw", "raw"}
		if !slices.Equal(began, want) || ended != len(want) || !slices.Equal(failed, []string{"raw"}) {
			t.Errorf("spans %q, want %q; %d ended, %q failed", began, want, ended, failed)
		}
	})
}
