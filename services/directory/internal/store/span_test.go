package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/store/storetest"
)

type spanKey struct{}

// TestTrace: each statement is within a span of its own, which ends with what went
// wrong.
func TestTrace(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s := storetest.Open(t, db.URL)
		var began, failed []string
		ended := 0
		ok(t, s.Trace(func(ctx context.Context, name string) (context.Context, func(error)) {
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
		ok(t, s.Companies().Create(t.Context(), &company.Company{Name: "Firma", Slug: "firma"}))
		company, err := s.CompanyBySlug(t.Context(), "firma")
		ok(t, err)
		ok(t, s.SetPlaceID(t.Context(), company.ID, "p"))
		if _, err := s.CompanyBySlug(t.Context(), "inna"); err == nil {
			t.Error("another company was found")
		}
		ok(t, s.Sessions().Delete(t.Context(), hash("nobody's")))
		ok(t, s.Ping(t.Context()))
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Ping(canceled); !errors.Is(err, context.Canceled) {
			t.Errorf("ping: %v", err)
		}
		want := []string{"create companies", "query companies", "update companies", "query companies", "delete sessions", "raw", "raw"}
		if !slices.Equal(began, want) || ended != len(want) || !slices.Equal(failed, []string{"raw"}) {
			t.Errorf("spans %q, want %q; %d ended, %q failed", began, want, ended, failed)
		}
	})
}
