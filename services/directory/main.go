// Command directory is the directory service: companies, their connections to
// accounts at two OAuth providers, social pages and profile audits.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"backend.example/services/internal/kit/build"
)

// The linker sets these three. Package build copes without them.
var version, commit, date string

func thisBuild() build.Info { return build.New(version, commit, date) }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	p := program{environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	if err := p.run(ctx, os.Args[1:]); err != nil {
		if !errors.Is(err, context.Canceled) {
			fmt.Fprintln(os.Stderr, "directory:", err)
		}
		os.Exit(1)
	}
}
