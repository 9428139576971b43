package main

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"backend.example/services/directory/internal/store"
)

func TestScanOfNothing(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string) {
		require(t, settings, "seed")
		const want = "0 companies: 0 credentials renewed, 0 accounts synced, 0 skipped, 0 failed\n"
		if out := require(t, settings, "scan"); out != want {
			t.Errorf("printed %q", out)
		}
	})
}

func TestScanAlone(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string) {
		inStore(t, settings, func(ctx context.Context, s *store.Store) error {
			_, err := s.Exclusively(ctx, "scan", func(context.Context) error {
				out, err := command(t, settings, "scan")
				refused(t, "scan", out, err, "another process is scanning")
				return nil
			})
			return err
		})
	})
}

// TestScheduledScan runs a service with an interval that the settings refuse.
func TestScheduledScan(t *testing.T) {
	settings := environ(t)
	require(t, settings, "migrate", "up")
	cfg, err := loadConfig(settings)
	if err == nil {
		err = loadKeys(&cfg)
	}
	if err != nil {
		t.Fatal(err)
	}
	cfg.ScanInterval = time.Millisecond
	s, err := openStore(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	reader, writer := io.Pipe()
	a, err := newApp(cfg, s, slog.New(slog.NewJSONHandler(writer, nil)), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	p := &process{stop: stop, done: make(chan error, 1)}
	go func() {
		err := a.serve(ctx)
		_ = writer.Close() // a pipe
		p.done <- err
	}()
	p.follow(t, reader)
	p.await(t, "scan done")
	if value, ok := metric(t, p, `directory_scans_total{outcome="ok"}`); !ok || value == "0" {
		t.Errorf("%q scans were counted", value)
	}
	if value, ok := metric(t, p, "directory_scan_last_success_timestamp_seconds"); !ok || value == "0" {
		t.Errorf("the last scan was at %q", value)
	}
	p.end(t)
}
