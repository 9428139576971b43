// Package cli contains the commands of the hardware service.
package cli

import (
	"context"

	"github.com/spf13/cobra"

	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/cli"
)

// Program is what the commands need from the process and from package app.
type Program struct {
	cli.Program
	// Open returns look-ups with the settings of the service, and the function that closes them.
	Open func() (l Lookups, done func(), err error)
}

// Lookups are the operations of the commands.
type Lookups struct {
	Rankings *rankings.Rankings
	Prices   *prices.Prices
	Quotes   *prices.Quotes
	Shared   bool // with the running replicas, through Redis
}

// Run executes one command line.
func (p *Program) Run(ctx context.Context, args []string) error {
	return p.Execute(ctx, p.Root(), args)
}

// Root returns the root command with all others below it.
func (p *Program) Root() *cobra.Command {
	root := p.NewRoot("hardware", "Benchmark rankings and shop offers of PC components",
		"With --json a command prints one JSON document: the answer of the API.")
	root.AddCommand(p.benchmarkCommand(), p.priceCommand(), p.quoteCommand(), p.forgetCommand())
	cli.Prepare(root, p.Build)
	return root
}
