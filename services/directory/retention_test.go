package main

import (
	"context"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
)

// TestScanPrunes: what the settings let go of is gone after a scan.
func TestScanPrunes(t *testing.T) {
	const day = 24 * time.Hour
	settings := withFile(t, environ(t, "DIRECTORY_KEEP_READINGS=2400h", "DIRECTORY_KEEP_AUDITS=2400h", "DIRECTORY_KEEP_TRAIL=0"))
	require(t, settings, "company", "add", "Firma", "--slug", "firma")
	inStore(t, settings, func(ctx context.Context, s *store.Store) error {
		for _, age := range []time.Duration{200 * day, day} {
			at := time.Now().Add(-age)
			reading := directory.Statistics{CompanyID: 1, Service: directory.SocialPages, Page: &directory.PageData{}, SyncedAt: at}
			if err := s.SaveStatistics(ctx, reading); err != nil {
				return err
			}
			if err := s.SaveAudit(ctx, &directory.Audit{CompanyID: 1, Category: "poor", At: at}); err != nil {
				return err
			}
			if err := s.Record(ctx, directory.Entry{CompanyID: 1, Action: "refresh", At: at}); err != nil {
				return err
			}
		}
		return nil
	})
	require(t, settings, "scan")
	inStore(t, settings, func(ctx context.Context, s *store.Store) error {
		readings, err := s.StatisticsHistory(ctx, 1, directory.SocialPages, 9)
		if err != nil {
			return err
		}
		audits, err := s.AuditHistory(ctx, 1, 0, 9)
		if err != nil {
			return err
		}
		lines, err := s.Trail(ctx, 1, 9)
		if len(readings) != 1 || len(audits) != 1 || len(lines) < 2 {
			t.Errorf("%d readings, %d audits and %d lines of the trail are left", len(readings), len(audits), len(lines))
		}
		return err
	})
}
