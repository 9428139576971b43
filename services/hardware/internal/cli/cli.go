// Package cli contains the commands of the hardware service.
package cli

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/cli"
)

// Program is what the commands need from the process and from package main.
type Program struct {
	Environ        []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Build          build.Info
	Settings       string // a line for each setting, with its default

	// Serve runs the service until ctx ends.
	Serve func(ctx context.Context) error
	// Probe returns an error unless the running service is ready.
	Probe func(ctx context.Context) error
	// Open returns look-ups with the settings of the service, and the function that
	// closes them. waiting is called with the time until each turn at the aggregator.
	Open func(waiting func(time.Duration)) (l Lookups, done func(), err error)

	out      *cli.Output
	progress *cli.Progress
}

// Lookups are what the commands print.
type Lookups struct {
	Rankings *rankings.Rankings
	Prices   *prices.Prices
	Quotes   *prices.Quotes
}

// Run executes one command line.
func (p *Program) Run(ctx context.Context, args []string) error {
	root := p.Root()
	root.SetArgs(args)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	defer p.progress.Clear()
	return root.ExecuteContext(ctx)
}

// Root returns the root command with all others below it.
func (p *Program) Root() *cobra.Command {
	p.out, p.progress = cli.NewOutput(p.Stdout, p.Environ), cli.NewProgress(p.Stderr, p.Environ)
	serve := func(cmd *cobra.Command, _ []string) error { return p.Serve(cmd.Context()) }
	root := &cobra.Command{
		Use:   "hardware",
		Short: "Benchmark rankings and shop offers of PC components",
		Long: "With --json a command prints one JSON document: the answer of the API.\n\n" +
			"Settings come from environment variables; deploy/env/hardware.env.example describes them:\n\n" + p.Settings,
		RunE: serve,
	}
	root.AddCommand(
		&cobra.Command{Use: "serve", Short: "Answer HTTP requests (the default)", RunE: serve},
		p.benchmarkCommand(), p.priceCommand(), p.quoteCommand(),
		// healthcheck is for container engines, whose images have no curl.
		&cobra.Command{
			Use: "healthcheck", Short: "Exit 0 when the service on HARDWARE_ADMIN_ADDR is ready",
			RunE: func(cmd *cobra.Command, _ []string) error { return p.Probe(cmd.Context()) },
		},
	)
	cli.Prepare(root, p.Build)
	return root
}
