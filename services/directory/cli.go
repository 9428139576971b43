package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
	"backend.example/services/internal/kit/fault"
)

// program is what every command gets from the process.
type program struct {
	environ        []string
	stdin          io.Reader
	stdout, stderr io.Writer
}

// run executes one command line.
func (p *program) run(ctx context.Context, args []string) error {
	root := &cobra.Command{
		Use:           "directory",
		Short:         "Companies, their connected accounts and profile audits",
		Long:          "Companies, their connected accounts and profile audits.\n\nSettings come from environment variables; see services/directory/README.md.",
		Version:       thisBuild().String(),
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context()) },
	}
	root.AddCommand(p.serveCommand(), p.healthcheckCommand(), p.migrateCommand(), p.seedCommand(),
		p.userCommand(), p.companyCommand(), p.scanCommand(), p.keysCommand(), p.eraseCommand(), p.backupCommand(), p.moveCommand(), p.sessionCommand(),
		p.trailCommand(), p.webhookCommand())
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetArgs(args)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	return root.ExecuteContext(ctx)
}

// group is a command that only holds other commands.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	g := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	g.AddCommand(commands...)
	return g
}

// withStore runs a command's work on the database of the settings, and brings its
// schema up to date first. An embedded database that is not there is an error: who
// works in another folder would get a new one, and look for what is not in it.
func (p *program) withStore(ctx context.Context, work func(context.Context, config, *store.Store) error) error {
	return p.withMigrated(ctx, false, work)
}

// withNewStore is withStore for the commands that make a database.
func (p *program) withNewStore(ctx context.Context, work func(context.Context, config, *store.Store) error) error {
	return p.withMigrated(ctx, true, work)
}

func (p *program) withMigrated(ctx context.Context, mayMake bool, work func(context.Context, config, *store.Store) error) error {
	return p.withDatabase(ctx, mayMake, func(ctx context.Context, cfg config, s *store.Store) error {
		if err := s.Migrate(ctx); err != nil {
			return err
		}
		return work(ctx, cfg, s)
	})
}

// withDatabase runs work on the database of the settings as it is.
func (p *program) withDatabase(ctx context.Context, mayMake bool, work func(context.Context, config, *store.Store) error) error {
	cfg, err := loadConfig(p.environ)
	if err == nil && !mayMake {
		err = cfg.requireFile()
	}
	if err == nil {
		err = loadKeys(&cfg)
	}
	if err != nil {
		return err
	}
	s, err := openStore(ctx, cfg)
	if err != nil {
		return err
	}
	return errors.Join(work(ctx, cfg, s), s.Close())
}

// requireFile refuses an embedded database that is not there.
func (c *config) requireFile() error {
	path, embedded := c.sqlitePath()
	if !embedded {
		return nil
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil // opening it says what is wrong
	}
	return fmt.Errorf("there is no database %s: go to the folder of the service, or set DIRECTORY_DATABASE_URL; "+
		"directory migrate up makes a new one", path)
}

// openStore opens the database of the settings.
func openStore(ctx context.Context, cfg config) (*store.Store, error) {
	keys, err := store.ParseKeys(cfg.EncryptionKeys.Reveal())
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, cfg.DatabaseURL.Reveal(), keys)
}

func (p *program) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(p.stderr, &slog.HandlerOptions{Level: level}))
}

// explain adds what an error is about, such as "user anna@firma.example", and says
// in English what a fault tells the users of the website in Polish.
func explain(what string, err error) error {
	if err == nil {
		return nil
	}
	if english := directory.Code(fault.From(err).Code).English(); english != "" {
		return fmt.Errorf("%s: %s", what, english)
	}
	return fmt.Errorf("%s: %w", what, err)
}
