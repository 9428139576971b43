package app

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"backend.example/services/directory/internal/cli"
	"backend.example/services/directory/internal/database"
	"backend.example/services/internal/kit/build"
	kitcli "backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/settings"
)

// NewProgram wires the commands to the service.
func NewProgram(info build.Info, environ []string, stdin io.Reader, stdout, stderr io.Writer) *cli.Program {
	p := &cli.Program{Open: func(ctx context.Context, environ []string, access cli.Access) (*cli.Services, error) {
		cfg, s, err := openDatabase(ctx, environ, access)
		if err != nil {
			return nil, err
		}
		a, err := New(cfg, s, Options{Build: info, Log: newLogger(stderr, slog.LevelWarn)})
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		return a.services(), nil
	}}
	p.Program = kitcli.Program{
		Environ: environ, Stdin: stdin, Stdout: stdout, Stderr: stderr, Build: info,
		Settings: settings.List(defaults()),
		Service:  program{environ, stderr, info},
	}
	return p
}

// program implements kitcli.Service.
type program struct {
	environ []string
	stderr  io.Writer
	build   build.Info
}

// Serve implements kitcli.Service.
func (p program) Serve(ctx context.Context) error { return serve(ctx, p.build, p.environ, p.stderr) }

// Doctor implements kitcli.Service.
func (p program) Doctor(ctx context.Context) *kitcli.Diagnosis { return diagnose(ctx, p.environ) }

// Probe implements kitcli.Service.
func (p program) Probe(ctx context.Context) error {
	cfg, err := LoadConfig(p.environ)
	if err != nil {
		return err
	}
	return httpx.Probe(ctx, cfg.AdminAddr)
}

// services returns the parts that commands use.
func (a *App) services() *cli.Services {
	_, embedded := a.cfg.sqlitePath()
	return &cli.Services{
		DB: a.DB, Companies: a.Companies, Users: a.Users, Passwords: a.Passwords, Sessions: a.Sessions,
		Audits: a.Audits, Connections: a.Connections, Erasures: a.Erasures, Scan: a.Scan, Webhooks: a.Webhooks,
		Embedded: embedded, PublicURL: a.cfg.PublicURL,
	}
}

// openDatabase loads the settings and opens their database.
func openDatabase(ctx context.Context, environ []string, access cli.Access) (Config, *database.DB, error) {
	cfg, err := LoadConfig(environ)
	if err != nil {
		return Config{}, nil, err
	}
	if access != cli.Create {
		if err := cfg.requireFile(); err != nil {
			return Config{}, nil, err
		}
	}
	if err := loadKeys(&cfg, access != cli.Read); err != nil {
		return Config{}, nil, err
	}
	s, err := openStore(ctx, cfg)
	return cfg, s, err
}

func openStore(ctx context.Context, cfg Config) (*database.DB, error) {
	keys, err := database.ParseKeys(cfg.EncryptionKeys.Reveal())
	if err != nil {
		return nil, err
	}
	return database.Open(ctx, cfg.DatabaseURL.Reveal(), keys)
}

func newLogger(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}))
}
