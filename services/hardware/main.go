// Command hardware is the hardware service: benchmark rankings of PC components
// and the cheapest offers of Polish shops, over HTTP and on the command line.
package main

import (
	"context"
	"os"

	"backend.example/services/hardware/internal/app"
	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/cli"
)

// Set by the linker; package build works without them.
var version, commit, date string

func main() {
	cli.Main("hardware", func(ctx context.Context, args []string) error {
		program := app.NewProgram(build.New(version, commit, date), os.Environ(), os.Stdin, os.Stdout, os.Stderr)
		return program.Run(ctx, args)
	})
}
