// Command directory is the directory service: companies, their connections to
// accounts at two OAuth providers, social pages and profile audits.
package main

import (
	"context"
	"os"

	"backend.example/services/directory/internal/app"
	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/cli"
)

// Set by the linker; package build works without them.
var version, commit, date string

func main() {
	cli.Main("directory", func(ctx context.Context, args []string) error {
		program := app.NewProgram(build.New(version, commit, date), os.Environ(), os.Stdin, os.Stdout, os.Stderr)
		return program.Run(ctx, args)
	})
}
