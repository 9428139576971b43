package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/account"
	"backend.example/services/internal/kit/cli"
)

// erase runs an erasure, removes the bytes and prints the outcome. what is what an error is about.
func (p *Program) erase(ctx context.Context, what string,
	run func(context.Context, *Services) (outcome string, err error)) error {
	return p.changing(ctx, func(ctx context.Context, a *Services) error {
		p.Progress.Show("erasing…")
		outcome, err := run(ctx, a)
		if err != nil {
			return explain(what, err)
		}
		if _, err := a.Erasures.Purge(ctx); err != nil {
			return explain(what, err)
		}
		return p.Out.Printf("%s\n", outcome)
	})
}

func (p *Program) userDeleteCommand() *cobra.Command {
	return addYesFlag(&cobra.Command{
		Use:               "delete EMAIL",
		Short:             "Erase a user, the user's sessions and the connections that live on the user's grants",
		ValidArgsFunction: p.emails,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.erase(cmd.Context(), "user "+args[0], func(ctx context.Context, a *Services) (string, error) {
				u, err := a.Users.ByEmail(ctx, account.NormalEmail(args[0]))
				if err != nil {
					return "", err
				}
				return fmt.Sprintf("user %d deleted", u.ID), a.Erasures.User(ctx, operator(), u)
			})
		},
	})
}

func (p *Program) companyDeleteCommand() *cobra.Command {
	return addYesFlag(&cobra.Command{
		Use:               "delete SLUG",
		Short:             "Erase a company with all that is its own; its users stay, without a company",
		ValidArgsFunction: p.slugs,
		RunE: func(cmd *cobra.Command, args []string) error {
			what := fmt.Sprintf("company %q", args[0])
			return p.erase(cmd.Context(), what, func(ctx context.Context, a *Services) (string, error) {
				c, err := a.Companies.BySlug(ctx, args[0])
				if err != nil {
					return "", err
				}
				return fmt.Sprintf("company %d deleted", c.ID), a.Erasures.Company(ctx, operator(), c)
			})
		},
	})
}

func (p *Program) eraseCommand() *cobra.Command {
	return cli.Group("erase", "Erasures, after a backup was restored", &cobra.Command{
		Use:   "replay",
		Short: "Erase again what DIRECTORY_ERASURE_LOG has noted",
		Long: "Erase again what DIRECTORY_ERASURE_LOG has noted, before the service starts on a restored " +
			"backup.\n\nIt may be repeated.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.erase(cmd.Context(), "erase replay", func(ctx context.Context, a *Services) (string, error) {
				n, err := a.Erasures.Replay(ctx, operator())
				return fmt.Sprintf("%d erased again", n), err
			})
		},
	})
}
