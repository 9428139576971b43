package main

import (
	"context"
	"testing"
	"time"

	"backend.example/services/directory/internal/storetest"
)

func TestScanOfNothing(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string) {
		require(t, settings, "seed")
		const want = "0 connections: 0 credentials renewed, 0 accounts synced, 0 skipped, 0 steps failed, 0 left for later\n"
		if out := require(t, settings, "scan"); out != want {
			t.Errorf("printed %q", out)
		}
	})
}

func TestScanAlone(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string) {
		inStore(t, settings, func(ctx context.Context, s *storetest.Store) error {
			_, err := s.Exclusively(ctx, "scan", func(context.Context) error {
				out, err := command(t, settings, "scan")
				refused(t, "scan", out, err, "another process is scanning")
				return nil
			})
			return err
		})
	})
}

func TestScheduledScan(t *testing.T) {
	settings := environ(t)
	require(t, settings, "seed")
	inStore(t, settings, addExpired)
	p := startApp(t, settings, 100*time.Millisecond, time.Hour)
	p.await(t, "scan done")
	for _, name := range []string{`directory_scans_total{outcome="ok"}`, "directory_scan_last_success_timestamp_seconds"} {
		if value, ok := metric(t, p, name); !ok || value == "0" {
			t.Errorf("%s is %q", name, value)
		}
	}
	p.end(t)
}
