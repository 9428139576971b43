package app

import (
	"context"
	"io"
	"log/slog"
	"time"

	"backend.example/services/hardware/internal/cli"
	"backend.example/services/internal/kit/build"
	kitcli "backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/settings"
)

// NewProgram wires the commands to the service.
func NewProgram(info build.Info, environ []string, stdin io.Reader, stdout, stderr io.Writer) *cli.Program {
	p := &cli.Program{Open: func() (cli.Lookups, func(), error) {
		cfg, err := LoadConfig(environ)
		if err != nil {
			return cli.Lookups{}, nil, err
		}
		log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelError}))
		a, err := New(cfg, Options{Log: log, Now: time.Now})
		if err != nil {
			return cli.Lookups{}, nil, err
		}
		return cli.Lookups{Rankings: a.Rankings, Prices: a.Prices, Quotes: a.Quotes, Shared: a.redis != nil}, a.Close,
			nil
	}}
	p.Program = kitcli.Program{
		Service: program{environ, stderr, info},
		Environ: environ, Stdin: stdin, Stdout: stdout, Stderr: stderr, Build: info,
		Settings: settings.List(defaults()),
	}
	return p
}

// program implements kitcli.Service.
type program struct {
	environ []string
	stderr  io.Writer
	build   build.Info
}

// Probe implements kitcli.Service.
func (p program) Probe(ctx context.Context) error {
	cfg, err := LoadConfig(p.environ)
	if err != nil {
		return err
	}
	return httpx.Probe(ctx, cfg.AdminAddr)
}
