// Package cli contains the commands of the directory service.
package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/scan"
	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/fault"
)

// Program is what the commands need from the process.
type Program struct {
	cli.Program
	// Open opens the database of the settings in environ, and the services on it.
	Open func(ctx context.Context, environ []string, access Access) (*Services, error)
}

// Services are the database and the parts of the service that commands use.
type Services struct {
	*database.DB
	Companies   *company.Companies
	Users       *account.Users
	Passwords   *account.Passwords
	Sessions    *account.Sessions
	Audits      *audit.Service
	Connections *connection.Service
	Erasures    *erasure.Service
	Scan        *scan.Service
	Webhooks    *webhook.Service
	Embedded    bool // the database is an SQLite file
	PublicURL   *url.URL
}

// Access is what a command may do to the database of the settings.
type Access int

// The kinds of access.
const (
	Read   Access = iota // creates neither a file nor a table
	Change               // an embedded database has to exist
	Create               // creates the database if it does not exist
)

// Run executes one command line.
func (p *Program) Run(ctx context.Context, args []string) error {
	return p.Execute(ctx, p.Root(), args)
}

// Root returns the root command with all others below it.
func (p *Program) Root() *cobra.Command {
	root := p.NewRoot("directory", "Companies, their connected accounts and profile audits",
		"With --json a command prints one JSON document: a list is an array of objects, times are in UTC, and what "+
			"does\n"+
			"not exist is null.")
	root.AddCommand(
		p.migrateCommand(),
		p.seedCommand(),
		p.userCommand(),
		p.companyCommand(),
		p.auditCommand(),
		p.scanCommand(),
		p.connectionCommand(),
		p.jobsCommand(),
		p.pauseCommand(),
		p.keysCommand(),
		p.eraseCommand(),
		p.backupCommand(),
		p.moveCommand(),
		p.sessionCommand(),
		p.trailCommand(),
		p.webhookCommand(),
	)
	cli.Prepare(root, p.Build)
	return root
}

// work is what a command does with the database that is open, and its arguments.
type work func(ctx context.Context, s *Services, args []string) error

type runE func(cmd *cobra.Command, args []string) error

// changing returns how a command runs that changes the database, and brings its schema up to
// date first. An embedded database that does not exist is an error: in another folder, a
// command would create a new one, and not find its data there.
func (p *Program) changing(do work) runE {
	return p.open(Change, func(ctx context.Context, s *Services, args []string) error {
		if err := s.Migrate(ctx); err != nil {
			return err
		}
		return do(ctx, s, args)
	})
}

// reading is changing for a command that only reads, and refuses a schema that is not up to date.
func (p *Program) reading(do work) runE {
	return p.open(Read, func(ctx context.Context, s *Services, args []string) error {
		if err := s.CheckSchema(ctx); err != nil {
			return fmt.Errorf("the database of DIRECTORY_DATABASE_URL: %w; directory migrate up brings it up to date",
				err)
		}
		return do(ctx, s, args)
	})
}

// open is changing for the database as it is.
func (p *Program) open(access Access, do work) runE {
	return func(cmd *cobra.Command, args []string) error {
		// The completion script for fish sets DIRECTORY_ACTIVE_HELP, which is not a setting of
		// the service.
		environ := slices.DeleteFunc(slices.Clone(p.Environ), func(setting string) bool {
			return strings.HasPrefix(setting, "DIRECTORY_ACTIVE_HELP=")
		})
		s, err := p.Open(cmd.Context(), environ, access)
		if err != nil {
			return err
		}
		return errors.Join(do(cmd.Context(), s, args), s.Close())
	}
}

// list makes cmd print the rows that find returns, as a table or as JSON.
func list[Row any](p *Program, cmd *cobra.Command, head []string, cells func(Row) []any,
	find func(ctx context.Context, s *Services, args []string) ([]Row, error)) *cobra.Command {
	cmd.RunE = p.reading(func(ctx context.Context, s *Services, args []string) error {
		rows, err := find(ctx, s, args)
		if err != nil {
			return err
		}
		return cli.List(p.Out, rows, head, cells)
	})
	return p.Out.JSONFlag(cmd)
}

// orNull returns nil for the zero value, which JSON shows as null and a table as a dash.
func orNull[T comparable](value T) *T {
	if value == *new(T) {
		return nil
	}
	return &value
}

// operator returns who works at the command line, by the name that the system knows.
func operator() account.Actor {
	u, err := user.Current()
	if err != nil {
		return account.Operator("command line")
	}
	return account.Operator("command line (" + u.Username + ")")
}

// addYesFlag makes a command ask for --yes.
func addYesFlag(cmd *cobra.Command) *cobra.Command {
	sure := cmd.Flags().Bool("yes", false, "do it; it cannot be undone")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !*sure {
			return cli.Usagef("%s cannot be undone: repeat it with --yes", cmd.CommandPath())
		}
		return run(cmd, args)
	}
	return cmd
}

// parseSince reads how long ago, such as 48h, or a date; empty: the zero time.
func parseSince(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return time.Now().Add(-ago), nil
	}
	return time.ParseInLocation(time.DateOnly, text, time.Local)
}

// explain adds what an error is about, and the fault's hint for operators in place of its Polish text.
func explain(what string, err error) error {
	if err == nil {
		return nil
	}
	advice := fault.From(err).Advice()
	if advice == "" {
		return fmt.Errorf("%s: %w", what, err)
	}
	return cli.WithStatus(cli.Status(err), fmt.Errorf("%s: %s", what, advice))
}

func (p *Program) slugs(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	return p.first(cmd, args, toComplete, func(ctx context.Context, s *Services) (words []string, err error) {
		companies, err := s.Companies.List(ctx)
		for _, c := range companies {
			words = append(words, cobra.CompletionWithDesc(c.Slug, cli.Printable(c.Name)))
		}
		return words, err
	})
}

func (p *Program) emails(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	return p.first(cmd, args, toComplete, func(ctx context.Context, s *Services) (words []string, err error) {
		users, err := s.Users.List(ctx)
		for _, u := range users {
			words = append(words, cobra.CompletionWithDesc(u.Email, cli.Printable(u.Name)))
		}
		return words, err
	})
}

// first completes the first argument with what the database has. No error is printed in the middle of a
// line.
func (p *Program) first(cmd *cobra.Command, args []string, toComplete string,
	find func(context.Context, *Services) ([]string, error),
) (words []string, _ cobra.ShellCompDirective) {
	_ = p.reading(func(ctx context.Context, s *Services, _ []string) (err error) {
		words, err = find(ctx, s)
		return err
	})(cmd, args)
	return cli.First(words...)(cmd, args, toComplete)
}

func (p *Program) companyFlag(cmd *cobra.Command, slug *string, usage string) {
	cmd.Flags().StringVar(slug, "company", "", usage)
	complete := func(cmd *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		return p.slugs(cmd, nil, toComplete)
	}
	_ = cmd.RegisterFlagCompletionFunc("company", complete) // it is new
}

// companyOf returns the id of the company of --company, which may have to be active; nil without one.
func companyOf(ctx context.Context, s *Services, slug string, active bool) (*int64, error) {
	if slug == "" {
		return nil, nil
	}
	what := fmt.Sprintf("--company %q", slug)
	c, err := s.Companies.BySlug(ctx, slug)
	if err != nil {
		return nil, explain(what, err)
	}
	if active && !c.Active() {
		return nil, explain(what, errors.New(c.Status))
	}
	return &c.ID, nil
}
