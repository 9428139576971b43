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
		Environ: environ, Stdin: stdin, Stdout: stdout, Stderr: stderr, Build: info,
		Settings: settings.List(defaults()),
		Serve:    func(ctx context.Context) error { return serve(ctx, environ, stderr, info) },
		Doctor:   func(ctx context.Context) *kitcli.Diagnosis { return diagnose(ctx, environ) },
		Probe: func(ctx context.Context) error {
			cfg, err := LoadConfig(environ)
			if err != nil {
				return err
			}
			return httpx.Probe(ctx, cfg.AdminAddr)
		},
	}
	return p
}
