package main

import (
	"context"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/telemetry"
)

func (p *program) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "serve", Short: "Answer HTTP requests (the default)", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context()) },
	}
}

func (p *program) serve(ctx context.Context) error {
	cfg, err := loadConfig(p.environ)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(p.stderr, &slog.HandlerOptions{Level: cfg.LogLevel}))
	tracing, err := telemetry.Start(ctx, "hardware", p.build, log)
	if err != nil {
		return err
	}
	defer tracing.Stop(context.WithoutCancel(ctx), log)
	log = tracing.Logger(log)
	a, err := newApp(cfg, log, tracing, nil)
	if err != nil {
		return err
	}
	defer a.close()
	log.Info("starting", "build", p.build, "tracing", tracing.On(), "aggregator", cfg.AggregatorBaseURL.String(),
		"benchmark", cfg.BenchmarkBaseURL.String(), "redis", cfg.RedisURL != "")
	if strings.Contains(cfg.UserAgent, "backend.example") && strings.HasSuffix(cfg.AggregatorBaseURL.Hostname(), "ceneo.pl") {
		log.Warn("HARDWARE_USER_AGENT names no contact of yours: set it before you ask the real sources")
	}
	return a.serve(ctx)
}

// healthcheckCommand is for container engines, whose images have no curl.
func (p *program) healthcheckCommand() *cobra.Command {
	return &cobra.Command{
		Use: "healthcheck", Short: "Exit 0 when the service on HARDWARE_ADMIN_ADDR is ready", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(p.environ)
			if err != nil {
				return err
			}
			return httpx.Probe(cmd.Context(), cfg.AdminAddr)
		},
	}
}
