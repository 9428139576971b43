// Command hardware is the hardware service: benchmark rankings of PC components
// and the cheapest offers of Polish shops, over HTTP and on the command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"backend.example/services/internal/kit/build"
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
