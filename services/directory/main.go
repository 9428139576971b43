// Command directory is the directory service: companies, their connections to
// accounts at two OAuth providers, social pages and profile audits.
package main

import (
	"context"
	"os"

	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/cli"
)

// The linker sets these three. Package build copes without them.
var version, commit, date string

func thisBuild() build.Info { return build.New(version, commit, date) }

func main() {
	cli.Main("directory", func(ctx context.Context, args []string) error {
		p := program{environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
		return p.run(ctx, args)
	})
}
