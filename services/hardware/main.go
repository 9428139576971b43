// Command hardware is the hardware service: benchmark rankings of PC components
// and the cheapest offers of Polish shops, over HTTP and on the command line.
package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/telemetry"
)

// Set by the linker; package build knows what to do without them.
var version, commit, date string

func main() {
	cli.Main("hardware", func(ctx context.Context, args []string) error {
		p := program{environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
		return p.run(ctx, args)
	})
}

// program is what every command gets from the process, and what follows from that.
type program struct {
	environ        []string
	stdin          io.Reader
	stdout, stderr io.Writer

	build    build.Info
	out      *cli.Output
	progress *cli.Progress
}

// run executes one command line.
func (p *program) run(ctx context.Context, args []string) error {
	root := p.root()
	root.SetArgs(args)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	defer p.progress.Clear()
	return root.ExecuteContext(ctx)
}

func (p *program) root() *cobra.Command {
	p.build = build.New(version, commit, date)
	p.out, p.progress = cli.NewOutput(p.stdout, p.environ), cli.NewProgress(p.stderr, p.environ)
	root := &cobra.Command{
		Use:   "hardware",
		Short: "Benchmark rankings and shop offers of PC components",
		Long: "Settings come from environment variables; see services/hardware/README.md. With --json a command prints one\n" +
			"JSON document: the answer of the API.",
		RunE: func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context()) },
	}
	root.AddCommand(p.serveCommand(), p.benchmarkCommand(), p.priceCommand(), p.quoteCommand(), p.healthcheckCommand())
	cli.Prepare(root, p.build)
	return root
}

func (p *program) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "serve", Short: "Answer HTTP requests (the default)",
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
		Use: "healthcheck", Short: "Exit 0 when the service on HARDWARE_ADMIN_ADDR is ready",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(p.environ)
			if err != nil {
				return err
			}
			return httpx.Probe(cmd.Context(), cfg.AdminAddr)
		},
	}
}
