package main

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/scan"
	"backend.example/services/directory/internal/storetest"
	"backend.example/services/directory/internal/trail"
)

func TestConnectionsAreCounted(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string) {
		require(t, settings, "seed")
		inStore(t, settings, func(ctx context.Context, s *storetest.Store) error {
			a := &app{cfg: config{ScanInterval: time.Hour}, store: s.Store, scan: scan.New(scan.Options{DB: s.DB})}
			want := func(what string, broken, due float64, oldest bool) {
				t.Helper()
				a.registry = prometheus.NewRegistry()
				if err := a.countConnections().Count(ctx); err != nil {
					t.Fatal(err)
				}
				is := gauges(t, a.registry)
				age := time.Since(time.Unix(int64(is["directory_scan_oldest_timestamp_seconds"]), 0))
				if is["directory_connections_broken"] != broken || is["directory_scan_interval_seconds"] != a.cfg.ScanInterval.Seconds() ||
					is["directory_scan_due_connections"] != due || oldest != (age < time.Hour) {
					t.Errorf("%s: %v", what, is)
				}
			}
			want("nothing connected", 0, 0, false)
			if err := addExpired(ctx, s); err != nil {
				return err
			}
			want("connected", 0, 1, true)
			a.cfg.ScanInterval = 0
			want("connected, and nothing scans", 0, 0, true)
			a.cfg.ScanInterval = time.Hour
			pair := provider.Pair{Provider: provider.Search, Service: provider.SearchProfile}
			c, err := s.Change(ctx, 1, pair, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
				c.ReconnectReason = "Dostęp wygasł."
				return nil, nil
			})
			if err != nil {
				return err
			}
			want("broken", 1, 1, true)
			err = s.Write(ctx).Exec("UPDATE oauth_tokens SET sync_scanned_at = ? WHERE id = ?", time.Now().Add(-time.Minute), c.ID).Error
			want("scanned", 1, 0, true)
			return err
		})
	})
}

// gauges sums what the registry shows by name.
func gauges(t *testing.T, registry prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]float64{}
	for _, family := range families {
		for _, series := range family.GetMetric() {
			sums[family.GetName()] += series.GetGauge().GetValue()
		}
	}
	return sums
}
