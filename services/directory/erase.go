package main

import (
	"context"
	"fmt"
	"log/slog"
	"os/user"
	"path/filepath"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/store"
	"backend.example/services/internal/kit/cli"
)

// erasureFile is the log of erasures where the settings name none, beside an embedded
// database.
const erasureFile = "directory.erased.jsonl"

// erasureLog is nil where the settings name no file and the database is a server's.
func (c *config) erasureLog(log *slog.Logger) directory.ErasureLog {
	if c.ErasureLog != "" {
		return erasure.NewLog(c.ErasureLog, log)
	}
	if path, embedded := c.sqlitePath(); embedded {
		return erasure.NewLog(filepath.Join(filepath.Dir(path), erasureFile), log)
	}
	return nil
}

// operator is who works at the command line, by the name that the operating system
// knows.
func operator() directory.Actor {
	name := "command line"
	if u, err := user.Current(); err == nil {
		name += " (" + u.Username + ")"
	}
	return directory.Operator(name)
}

// withApp is withStore with the whole service, which does not serve.
func (p *program) withApp(ctx context.Context, work func(context.Context, *app) error) error {
	return p.withStore(ctx, func(ctx context.Context, cfg config, s *store.Store) error {
		a, err := newApp(cfg, s, p.logger(slog.LevelWarn), nil)
		if err != nil {
			return err
		}
		return work(ctx, a)
	})
}

// addYesFlag makes a command that cannot be undone ask for it.
func addYesFlag(cmd *cobra.Command) {
	const name = "yes"
	sure := cmd.Flags().Bool(name, false, "do it; it cannot be undone")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !*sure {
			return cli.Usagef("%s cannot be undone: repeat it with --yes", cmd.CommandPath())
		}
		return run(cmd, args)
	}
}

// erase runs an erasure with the whole service and prints the outcome; what is what an
// error is about.
func (p *program) erase(ctx context.Context, what string, run func(context.Context, *app) (outcome string, err error)) error {
	return p.withApp(ctx, func(ctx context.Context, a *app) error {
		done := p.progress.Since("erasing")
		outcome, err := run(ctx, a)
		if done(); err != nil {
			return explain(what, err)
		}
		return p.out.Printf("%s\n", outcome)
	})
}

func (p *program) userDeleteCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "delete EMAIL", Short: "Erase a user, the user's sessions and the connections that live on the user's grants", ValidArgsFunction: p.emails,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.erase(cmd.Context(), "user "+args[0], func(ctx context.Context, a *app) (string, error) {
				u, err := a.store.UserByEmail(ctx, directory.NormalEmail(args[0]))
				if err == nil {
					err = a.erasures.User(ctx, operator(), u)
				}
				return fmt.Sprintf("user %d deleted", u.ID), err
			})
		},
	}
	addYesFlag(cmd)
	return cmd
}

func (p *program) companyDeleteCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "delete SLUG", Short: "Erase a company with all that is its own; its users stay, without a company", ValidArgsFunction: p.slugs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.erase(cmd.Context(), fmt.Sprintf("company %q", args[0]), func(ctx context.Context, a *app) (string, error) {
				c, err := a.store.CompanyBySlug(ctx, args[0])
				if err == nil {
					err = a.erasures.Company(ctx, operator(), c)
				}
				return fmt.Sprintf("company %d deleted", c.ID), err
			})
		},
	}
	addYesFlag(cmd)
	return cmd
}

func (p *program) eraseCommand() *cobra.Command {
	return cli.Group("erase", "Erasures, after a backup was restored", &cobra.Command{
		Use: "replay", Short: "Erase again what DIRECTORY_ERASURE_LOG has noted",
		Long: "Erase again what DIRECTORY_ERASURE_LOG has noted, before the service starts on a restored backup.\n\nIt may be repeated.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.erase(cmd.Context(), "erase replay", func(ctx context.Context, a *app) (string, error) {
				n, err := a.erasures.Replay(ctx, operator())
				return fmt.Sprintf("%d erased again", n), err
			})
		},
	})
}
