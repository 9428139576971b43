package main

import (
	"context"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"backend.example/services/internal/kit/web"
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
	a, err := newApp(cfg, log, nil)
	if err != nil {
		return err
	}
	defer a.close()
	log.Info("starting", "version", version, "aggregator", cfg.AggregatorBaseURL.String(),
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
			return web.Probe(cmd.Context(), cfg.AdminAddr)
		},
	}
}
