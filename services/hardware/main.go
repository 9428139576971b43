// Command hardware is the hardware service: benchmark rankings of PC components
// and the cheapest offers of Polish shops, over HTTP and on the command line.
package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"time"

	"backend.example/services/hardware/internal/cli"
	"backend.example/services/internal/kit/build"
	kitcli "backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/settings"
)

// Set by the linker; package build works without them.
var version, commit, date string

func main() {
	kitcli.Main("hardware", func(ctx context.Context, args []string) error {
		return newProgram(os.Environ(), os.Stdin, os.Stdout, os.Stderr).Run(ctx, args)
	})
}

// newProgram wires the commands to the service.
func newProgram(environ []string, stdin io.Reader, stdout, stderr io.Writer) *cli.Program {
	info := build.New(version, commit, date)
	p := &cli.Program{Open: func(waiting func(time.Duration)) (cli.Lookups, func(), error) {
		cfg, err := loadConfig(environ)
		if err != nil {
			return cli.Lookups{}, nil, err
		}
		log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelError}))
		a, err := newApp(cfg, log, nil, waiting)
		if err != nil {
			return cli.Lookups{}, nil, err
		}
		return cli.Lookups{Rankings: a.rankings, Prices: a.prices, Quotes: a.quotes, Shared: a.redis != nil}, a.close, nil
	}}
	p.Program = kitcli.Program{
		Environ: environ, Stdin: stdin, Stdout: stdout, Stderr: stderr, Build: info, Settings: settings.List[config](),
		Serve: func(ctx context.Context) error { return serve(ctx, environ, stderr, info) },
		Probe: func(ctx context.Context) error {
			cfg, err := loadConfig(environ)
			if err != nil {
				return err
			}
			return httpx.Probe(ctx, cfg.AdminAddr)
		},
	}
	return p
}
