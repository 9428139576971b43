package main

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/storetest"
	"backend.example/services/directory/internal/trail"
)

// TestScanPrunes: what the settings let go of is gone after a scan.
func TestScanPrunes(t *testing.T) {
	const day = 24 * time.Hour
	settings := withFile(t, environ(t, "DIRECTORY_KEEP_READINGS=2400h", "DIRECTORY_KEEP_AUDITS=2400h", "DIRECTORY_KEEP_TRAIL=0"))
	require(t, settings, "company", "add", "Firma", "--slug", "firma")
	inStore(t, settings, func(ctx context.Context, s *storetest.Store) error {
		for _, age := range []time.Duration{200 * day, day} {
			at := time.Now().Add(-age)
			if err := history.Save(ctx, s.DB, storetest.Reading(1, at)); err != nil {
				return err
			}
			if err := audit.New(audit.Options{DB: s.DB}).Save(ctx, &audit.Audit{CompanyID: 1, Category: "poor", At: at}); err != nil {
				return err
			}
			if err := s.Record(ctx, trail.Entry{CompanyID: 1, Action: "refresh", At: at}); err != nil {
				return err
			}
		}
		return nil
	})
	require(t, settings, "scan")
	inStore(t, settings, func(ctx context.Context, s *storetest.Store) error {
		_, readings, err := history.Read[struct{}](ctx, s.DB, 1, provider.SocialPages)
		if err != nil {
			return err
		}
		_, audits, err := audit.New(audit.Options{DB: s.DB}).History(ctx, "firma", 0, 9)
		if err != nil {
			return err
		}
		lines, err := s.Trail(ctx, trail.Search{CompanyID: 1, Limit: 9})
		if len(readings) != 1 || len(audits) != 1 || len(lines) < 2 {
			t.Errorf("%d readings, %d audits and %d lines of the trail are left", len(readings), len(audits), len(lines))
		}
		return err
	})
}

// TestPrunesNowAndThen: of runs that follow each other closely the first prunes.
func TestPrunesNowAndThen(t *testing.T) {
	inStore(t, environ(t), func(ctx context.Context, s *storetest.Store) error {
		company := company.Company{Name: "Firma", Slug: "firma", Status: company.StatusActive}
		if err := s.Companies().Create(ctx, &company); err != nil {
			return err
		}
		a := &app{cfg: config{KeepReadings: time.Hour}, db: s.DB, log: slog.New(slog.DiscardHandler)}
		prune := a.pruner()
		for want := range 2 {
			if err := history.Save(ctx, s.DB, storetest.Reading(company.ID, time.Now().Add(-2*time.Hour))); err != nil {
				return err
			}
			prune(ctx)
			_, left, err := history.Read[struct{}](ctx, s.DB, company.ID, provider.SocialPages)
			if err != nil || len(left) != want {
				t.Errorf("run %d: %d readings are left, %v", want, len(left), err)
			}
		}
		return nil
	})
}
