package cli

import (
	"context"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/database"
	"backend.example/services/internal/kit/cli"
)

func (p *Program) migrateCommand() *cobra.Command {
	step := func(use, short string, access Access, do work) *cobra.Command {
		return p.Out.JSONFlag(&cobra.Command{
			Use: use, Short: short,
			RunE: func(cmd *cobra.Command, _ []string) error {
				return p.open(cmd.Context(), access, func(ctx context.Context, s *Services) error {
					if err := do(ctx, s); err != nil {
						return err
					}
					return p.printMigrations(ctx, s)
				})
			},
		})
	}
	down := step("down", "Take back the newest migration, with the data in it, while the service is stopped", Change,
		func(ctx context.Context, s *Services) error { return s.MigrateDown(ctx) })
	addYesFlag(down)
	return cli.Group(
		"migrate",
		"Change the schema of the database",
		step(
			"up",
			"Apply every migration that is missing",
			Create,
			func(ctx context.Context, s *Services) error { return s.Migrate(ctx) },
		),
		down,
		step("status", "List the migrations", Read, func(context.Context, *Services) error { return nil }),
	)
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
