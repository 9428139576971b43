// Command directory is the directory service: companies, their connections to
// accounts at two OAuth providers, social pages and profile audits.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/store"
	"backend.example/services/internal/kit/build"
)

// Set by the linker; package build knows what to do without them.
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
		p.userCommand(), p.companyCommand(), p.scanCommand(), p.keysCommand())
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetArgs(args)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	return root.ExecuteContext(ctx)
}

// group is a command that only holds others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	g := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	g.AddCommand(commands...)
	return g
}

// withStore runs a command's work on the database of the settings. The schema is
// brought up to date first, except for the commands that do just that.
func (p *program) withStore(ctx context.Context, migrate bool, work func(context.Context, config, *store.Store) error) error {
	cfg, err := loadConfig(p.environ)
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
	if migrate {
		err = s.Migrate(ctx)
	}
	if err == nil {
		err = work(ctx, cfg, s)
	}
	return errors.Join(err, s.Close())
}

func (p *program) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(p.stderr, &slog.HandlerOptions{Level: level}))
}
