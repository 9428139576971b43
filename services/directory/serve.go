package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime"

	"backend.example/services/directory/internal/cli"
	"backend.example/services/directory/internal/store"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/telemetry"
)

// serve brings the schema up to date, which several replicas may do at once, and
// answers until ctx ends.
func serve(ctx context.Context, environ []string, stderr io.Writer) error {
	tuneGarbageCollector(concurrentHashes(runtime.GOMAXPROCS(0)))
	cfg, s, err := openDatabase(ctx, environ, cli.Create)
	if err != nil {
		return err
	}
	err = s.Migrate(ctx)
	if err == nil {
		err = serveOn(ctx, cfg, s, stderr)
	}
	return errors.Join(err, s.Close())
}

func serveOn(ctx context.Context, cfg config, s *store.Store, stderr io.Writer) error {
	log := newLogger(stderr, cfg.LogLevel)
	tracing, err := telemetry.Start(ctx, "directory", thisBuild(), log)
	if err != nil {
		return err
	}
	defer tracing.Stop(context.WithoutCancel(ctx), log)
	log = tracing.Logger(log)
	_, embedded := cfg.sqlitePath()
	if err := traceStore(s, tracing, embedded); err != nil {
		return err
	}
	a, err := newApp(cfg, s, log, tracing)
	if err != nil {
		return err
	}
	if log.Enabled(ctx, slog.LevelInfo) {
		a.accessLog = httpx.NewAccessLog(stderr)
		defer a.accessLog.Flush()
	}
	httpx.RegisterBuild(a.registry, "directory", thisBuild())
	log.Info("starting", "build", thisBuild(), "tracing", tracing.On(), "public_url", cfg.PublicURL.String(), "sqlite", embedded,
		"company_access", cfg.CompanyAccess, "scan_interval", cfg.ScanInterval.String(),
		"provider_search", cfg.SearchClientID != "", "provider_social", cfg.SocialClientID != "", "places", cfg.PlacesAPIKey != "")
	return a.serve(ctx)
}
