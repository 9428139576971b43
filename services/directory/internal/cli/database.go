package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/database"
	"backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/fault"
)

func (p *Program) migrateCommand() *cobra.Command {
	step := func(use, short string, access Access, do func(*Services, context.Context) error) *cobra.Command {
		return p.Out.JSONFlag(&cobra.Command{
			Use: use, Short: short,
			RunE: p.open(access, func(ctx context.Context, s *Services, _ []string) error {
				if err := do(s, ctx); err != nil {
					return err
				}
				return p.printMigrations(ctx, s)
			}),
		})
	}
	down := step("down", "Take back the newest migration, with the data in it, while the service is stopped", Change,
		(*Services).MigrateDown)
	addYesFlag(down)
	return cli.Group("migrate", "Change the schema of the database",
		step("up", "Apply every migration that is missing", Create, (*Services).Migrate),
		down,
		step("status", "List the migrations", Read, func(*Services, context.Context) error { return nil }))
}

func (p *Program) printMigrations(ctx context.Context, s *Services) error {
	migrations, err := s.MigrationStatus(ctx)
	if err != nil {
		return err
	}
	return cli.List(p.Out, migrations, []string{"VERSION", "NAME", "APPLIED"}, func(m database.Migration) []any {
		if m.AppliedAt == nil {
			return []any{m.Version, m.Name, "no"}
		}
		return []any{m.Version, m.Name, *m.AppliedAt}
	})
}

func (p *Program) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy the embedded database to a new file while the service works",
		Long: "Copy the embedded database to a new file while the service works.\n\n" +
			"The keys are not in it; without them no secret in it can be read.",
		RunE: p.open(Read, func(ctx context.Context, s *Services, args []string) error {
			p.Progress.Show("copying the database…")
			if err := s.Backup(ctx, args[0]); err != nil {
				return err
			}
			return p.Out.Printf("%s written; keep the encryption keys, too\n", args[0])
		}),
	}
}

func (p *Program) moveCommand() *cobra.Command {
	var to, file string
	cmd := &cobra.Command{
		Use: "move", Short: "Copy the embedded database to PostgreSQL, while the service is stopped",
		Long: "Copy the embedded database to PostgreSQL, while the service is stopped.\n\n" +
			"One that was interrupted goes on where it was when it is repeated. The file stays as it is.\n" +
			"The password may be in ~/.pgpass, in PGPASSWORD or in the URL of --to-file, not of --to, which other\n" +
			"users of the machine see.",
		Example: "  directory move --to-file /etc/backend/secrets/database_url",
		RunE: func(cmd *cobra.Command, args []string) error {
			to, err := moveTarget(to, file)
			if err != nil {
				return err
			}
			return p.changing(func(ctx context.Context, s *Services, _ []string) error {
				if !s.Embedded {
					return database.ErrMoveKinds
				}
				target, err := s.OpenOther(ctx, to)
				if err != nil {
					return fmt.Errorf("--to: %w", err)
				}
				return errors.Join(p.move(ctx, s.DB, target), target.Close())
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "URL of an empty PostgreSQL database, without a password")
	cmd.Flags().StringVar(&file, "to-file", "", "file with the URL")
	return p.Out.JSONFlag(cmd)
}

func moveTarget(to, file string) (string, error) {
	if (to == "") == (file == "") {
		return "", cli.Usagef("want either --to URL or --to-file FILE")
	}
	if file != "" {
		content, err := os.ReadFile(file) // #nosec G304 -- the operator names it
		return strings.TrimSpace(string(content)), err
	}
	if target, err := url.Parse(to); err == nil && target.User != nil {
		if _, shown := target.User.Password(); shown {
			return "", cli.Usagef("--to: a password here shows in the list of processes: use --to-file FILE")
		}
	}
	return to, nil
}

func (p *Program) move(ctx context.Context, from, to *database.DB) error {
	if err := to.Migrate(ctx); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	var lines []movedLine
	err := database.Move(ctx, from, to, func(progress database.MoveProgress) {
		line := movedLine{progress.Table, progress.Total}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
		p.Progress.Show("%s: %d of %d rows", progress.Table, progress.Done, progress.Total)
	})
	if err != nil {
		return err
	}
	err = cli.List(p.Out, lines, []string{"TABLE", "ROWS, THE SAME ON BOTH SIDES"},
		func(m movedLine) []any { return []any{m.Table, m.Rows} })
	if err != nil {
		return err
	}
	return p.afterMove(ctx, to)
}

type movedLine struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
}

// afterMove prints what to do next, apart from the data.
func (p *Program) afterMove(ctx context.Context, to *database.DB) error {
	hints := p.Stdout
	if p.Out.JSON {
		hints = p.Stderr
	}
	var unreadable *fault.Error
	if err := to.CheckSecrets(ctx); errors.As(err, &unreadable) {
		fmt.Fprintf(hints, "a secret cannot be read with these keys, in source and target: %v\n", unreadable)
	} else if err != nil {
		return err
	}
	_, err := fmt.Fprintln(
		hints,
		"Set DIRECTORY_DATABASE_URL to the new database, and DIRECTORY_SESSION_KEYS, DIRECTORY_ENCRYPTION_KEYS "+
			"and DIRECTORY_ERASURE_LOG to what was used until now.",
	)
	return err
}

func (p *Program) keysCommand() *cobra.Command {
	generate := &cobra.Command{
		Use: "generate", Short: "Print a new key for DIRECTORY_SESSION_KEYS or DIRECTORY_ENCRYPTION_KEYS",
		RunE: func(*cobra.Command, []string) error {
			return p.Out.Printf("%s\n", database.GenerateKey())
		},
	}
	rotate := &cobra.Command{
		Use: "rotate", Short: "Encrypt all secrets again with the first key of DIRECTORY_ENCRYPTION_KEYS",
		Long: "Encrypt all secrets again with the first key of DIRECTORY_ENCRYPTION_KEYS.\n\n" +
			"Add the new key behind the old one and restart every replica, so that each can read it; put it\n" +
			"first and restart them again; then run this. Afterwards the old key can go.\n\n" +
			"Rows that no key opens are listed and stay as they are. The exit status is 1 then, although all others\n" +
			"are done, because a key may be missing in the list.",
		RunE: p.changing(p.rotate),
	}
	return cli.Group("keys", "Make and change keys", generate, rotate)
}

// rotate returns an error if secrets are left that no key opens.
func (p *Program) rotate(ctx context.Context, s *Services, _ []string) error {
	p.Progress.Show("encrypting the secrets…")
	r, err := s.RotateSecrets(ctx)
	if err != nil {
		return err
	}
	if len(r.Unreadable) == 0 {
		return p.Out.Printf("%d rows looked through; all secrets use the first key\n", r.Rows)
	}
	for _, row := range r.Unreadable {
		if err := p.Out.Printf("not readable: %s\n", row); err != nil {
			return err
		}
	}
	return fmt.Errorf("DIRECTORY_ENCRYPTION_KEYS: no key opens %d of %d rows; all others use the first key. "+
		"Add a missing key and repeat this, or connect these accounts again", len(r.Unreadable), r.Rows)
}
