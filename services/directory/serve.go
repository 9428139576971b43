package main

import (
	"context"
	"log/slog"
	"runtime"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/store"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/telemetry"
)

func (p *program) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "serve", Short: "Answer HTTP requests (the default)",
		RunE: func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context()) },
	}
}

// serve brings the schema up to date, which several replicas may do at once, and
// answers until ctx ends.
func (p *program) serve(ctx context.Context) error {
	tuneGarbageCollector(concurrentHashes(runtime.GOMAXPROCS(0)))
	return p.withNewStore(ctx, func(ctx context.Context, cfg config, s *store.Store) error {
		log := p.logger(cfg.LogLevel)
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
			a.accessLog = httpx.NewAccessLog(p.stderr)
			defer a.accessLog.Flush()
		}
		httpx.RegisterBuild(a.registry, "directory", thisBuild())
		log.Info("starting", "build", thisBuild(), "tracing", tracing.On(), "public_url", cfg.PublicURL.String(), "sqlite", embedded,
			"company_access", cfg.CompanyAccess, "scan_interval", cfg.ScanInterval.String(),
			"provider_search", cfg.SearchClientID != "", "provider_social", cfg.SocialClientID != "", "places", cfg.PlacesAPIKey != "")
		return a.serve(ctx)
	})
}

// healthcheckCommand is for container engines, whose images have no curl.
func (p *program) healthcheckCommand() *cobra.Command {
	return &cobra.Command{
		Use: "healthcheck", Short: "Exit 0 when the service on DIRECTORY_ADMIN_ADDR is ready",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(p.environ)
			if err != nil {
				return err
			}
			return httpx.Probe(cmd.Context(), cfg.AdminAddr)
		},
	}
}
