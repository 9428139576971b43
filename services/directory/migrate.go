package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/store"
)

func (p *program) migrateCommand() *cobra.Command {
	step := func(use, short string, do func(*store.Store, context.Context) error) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				return p.withDatabase(cmd.Context(), true, func(ctx context.Context, _ config, s *store.Store) error {
					if err := do(s, ctx); err != nil {
						return err
					}
					return p.printMigrations(ctx, s)
				})
			},
		}
	}
	return group("migrate", "Change the schema of the database",
		step("up", "Apply every migration that is missing", (*store.Store).Migrate),
		step("down", "Take back the newest migration, with the data in it", (*store.Store).MigrateDown),
		step("status", "List the migrations", func(*store.Store, context.Context) error { return nil }),
	)
}

func (p *program) printMigrations(ctx context.Context, s *store.Store) error {
	migrations, err := s.MigrationStatus(ctx)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "VERSION\tNAME\tAPPLIED")
	for _, m := range migrations {
		applied := "no"
		if !m.AppliedAt.IsZero() {
			applied = m.AppliedAt.UTC().Format("2006-01-02 15:04:05Z")
		}
		fmt.Fprintf(w, "%d\t%s\t%s\n", m.Version, m.Name, applied)
	}
	return w.Flush()
}
