package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/store"
	"backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/fault"
)

// program is what every command gets from the process, and what follows from that.
type program struct {
	environ        []string
	stdin          io.Reader
	stdout, stderr io.Writer

	out      *cli.Output
	progress *cli.Progress
}

// run executes one command line.
func (p *program) run(ctx context.Context, args []string) error {
	root := p.root()
	root.SetArgs(args)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	defer p.progress.Clear()
	return root.ExecuteContext(ctx)
}

func (p *program) root() *cobra.Command {
	p.out, p.progress = cli.NewOutput(p.stdout, p.environ), cli.NewProgress(p.stderr, p.environ)
	root := &cobra.Command{
		Use:   "directory",
		Short: "Companies, their connected accounts and profile audits",
		Long: "Settings come from environment variables; see services/directory/README.md. With --json a command prints one\n" +
			"JSON document: a list is an array of objects, times are in UTC, what is not there is null.",
		RunE: func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context()) },
	}
	root.AddCommand(p.serveCommand(), p.healthcheckCommand(), p.migrateCommand(), p.seedCommand(),
		p.userCommand(), p.companyCommand(), p.auditCommand(), p.scanCommand(), p.keysCommand(), p.eraseCommand(), p.backupCommand(),
		p.moveCommand(), p.sessionCommand(), p.trailCommand(), p.webhookCommand())
	cli.Prepare(root, thisBuild())
	return root
}

// access is what a command may do to the database of the settings.
type access int

const (
	reads   access = iota // nothing is made, neither a file nor a table
	changes               // an embedded database has to be there
	makes                 // the database is made when it is not there
)

type work func(context.Context, config, *store.Store) error

// withStore runs a command's work on the database, and brings its schema up to date
// first. An embedded database that is not there is an error: who works in another
// folder would get a new one, and look for what is not in it.
func (p *program) withStore(ctx context.Context, do work) error {
	return p.withDatabase(ctx, changes, migrated(do))
}

// withNewStore is withStore for the commands that make a database.
func (p *program) withNewStore(ctx context.Context, do work) error {
	return p.withDatabase(ctx, makes, migrated(do))
}

func migrated(do work) work {
	return func(ctx context.Context, cfg config, s *store.Store) error {
		if err := s.Migrate(ctx); err != nil {
			return err
		}
		return do(ctx, cfg, s)
	}
}

// reading is withStore for the commands that only read.
func (p *program) reading(ctx context.Context, do work) error {
	return p.withDatabase(ctx, reads, func(ctx context.Context, cfg config, s *store.Store) error {
		if err := s.CheckSchema(ctx); err != nil {
			return fmt.Errorf("the database of DIRECTORY_DATABASE_URL: %w; directory migrate up brings it up to date", err)
		}
		return do(ctx, cfg, s)
	})
}

// withDatabase runs work on the database of the settings as it is.
func (p *program) withDatabase(ctx context.Context, may access, do work) error {
	cfg, err := loadConfig(p.environ)
	if err == nil && may != makes {
		err = cfg.requireFile()
	}
	if err == nil {
		err = loadKeys(&cfg, may != reads)
	}
	if err != nil {
		return err
	}
	s, err := openStore(ctx, cfg)
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, cfg, s), s.Close())
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
	keys, err := database.ParseKeys(cfg.EncryptionKeys.Reveal())
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
	f := fault.From(err)
	english := f.Hint
	if english == "" {
		return fmt.Errorf("%s: %w", what, err)
	}
	if f.RetryAfter > 0 {
		english += fmt.Sprintf("; try again in %s", f.RetryAfter.Round(time.Second))
	}
	return cli.WithStatus(cli.Status(err), fmt.Errorf("%s: %s", what, english))
}
