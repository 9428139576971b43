// Command hardware is the hardware service: benchmark rankings of PC components
// and the cheapest offers of Polish shops, over HTTP and on the command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/telemetry"
)

// Set by the linker; package build knows what to do without them.
var version, commit, date string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, context.Canceled) {
			fmt.Fprintln(os.Stderr, "hardware:", err)
		}
		os.Exit(1)
	}
}

// run executes one command line.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) error {
	p := program{environ: environ, stdout: stdout, stderr: stderr, build: build.New(version, commit, date)}
	root := &cobra.Command{
		Use:           "hardware",
		Short:         "Benchmark rankings and shop offers of PC components",
		Long:          "Benchmark rankings and shop offers of PC components.\n\nSettings come from environment variables; see services/hardware/README.md.",
		Version:       p.build.String(),
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context()) },
	}
	root.AddCommand(p.serveCommand(), p.benchmarkCommand(), p.priceCommand(), p.healthcheckCommand())
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return root.ExecuteContext(ctx)
}

// program is what every command gets from the process.
type program struct {
	environ        []string
	stdout, stderr io.Writer
	build          build.Info
}

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
	tuneGarbageCollector(cfg)
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
	if log.Enabled(ctx, slog.LevelInfo) {
		a.accessLog = httpx.NewAccessLog(p.stderr)
		defer a.accessLog.Flush()
	}
	httpx.RegisterBuild(a.registry, "hardware", p.build)
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
