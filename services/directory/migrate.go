package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/store"
	"backend.example/services/internal/kit/cli"
)

func (p *program) migrateCommand() *cobra.Command {
	step := func(use, short string, may access, do func(*store.Store, context.Context) error) *cobra.Command {
		return p.out.JSONFlag(&cobra.Command{
			Use: use, Short: short,
			RunE: func(cmd *cobra.Command, _ []string) error {
				return p.withDatabase(cmd.Context(), may, func(ctx context.Context, _ config, s *store.Store) error {
					if err := do(s, ctx); err != nil {
						return err
					}
					return p.printMigrations(ctx, s)
				})
			},
		})
	}
	return cli.Group("migrate", "Change the schema of the database",
		step("up", "Apply every migration that is missing", makes, (*store.Store).Migrate),
		step("down", "Take back the newest migration, with the data in it", changes, (*store.Store).MigrateDown),
		step("status", "List the migrations", reads, func(*store.Store, context.Context) error { return nil }),
	)
}

// migrationLine is a migration of a list.
type migrationLine struct {
	Version   int64      `json:"version"`
	Name      string     `json:"name"`
	AppliedAt *time.Time `json:"applied_at"`
}

func (p *program) printMigrations(ctx context.Context, s *store.Store) error {
	migrations, err := s.MigrationStatus(ctx)
	if err != nil {
		return err
	}
	var lines []migrationLine
	for _, m := range migrations {
		line := migrationLine{Version: m.Version, Name: m.Name}
		if !m.AppliedAt.IsZero() {
			line.AppliedAt = &m.AppliedAt
		}
		lines = append(lines, line)
	}
	return cli.List(p.out, lines, []string{"VERSION", "NAME", "APPLIED"}, func(m migrationLine) []any {
		if m.AppliedAt == nil {
			return []any{m.Version, m.Name, "no"}
		}
		return []any{m.Version, m.Name, *m.AppliedAt}
	})
}
