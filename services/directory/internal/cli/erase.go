package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/account"
	"backend.example/services/internal/kit/cli"
)

// erase returns how a command runs an erasure, removes the deleted bytes and prints the outcome. format
// names what is erased in errors, with the argument of the command.
func (p *Program) erase(format string,
	run func(ctx context.Context, s *Services, args []string) (outcome string, err error)) runE {
	return p.changing(func(ctx context.Context, s *Services, args []string) error {
		p.Progress.Show("erasing…")
		outcome, err := run(ctx, s, args)
		what := fmt.Sprintf(format, strings.Join(args, ""))
		if err != nil {
			return explain(what, err)
		}
		if _, err := s.Erasures.Purge(ctx); err != nil {
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
		RunE: p.erase("user %s", func(ctx context.Context, s *Services, args []string) (string, error) {
			u, err := s.Users.ByEmail(ctx, account.NormalEmail(args[0]))
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("user %d deleted", u.ID), s.Erasures.User(ctx, operator(), u)
		}),
	})
}

func (p *Program) companyDeleteCommand() *cobra.Command {
	return addYesFlag(&cobra.Command{
		Use:               "delete SLUG",
		Short:             "Erase a company with all that is its own; its users stay, without a company",
		ValidArgsFunction: p.slugs,
		RunE: p.erase("company %q", func(ctx context.Context, s *Services, args []string) (string, error) {
			c, err := s.Companies.BySlug(ctx, args[0])
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("company %d deleted", c.ID), s.Erasures.Company(ctx, operator(), c)
		}),
	})
}

func (p *Program) eraseCommand() *cobra.Command {
	return cli.Group("erase", "Erasures, after a backup was restored", &cobra.Command{
		Use:   "replay",
		Short: "Erase again what DIRECTORY_ERASURE_LOG has noted",
		Long: "Erase again what DIRECTORY_ERASURE_LOG has noted, before the service starts on a restored " +
			"backup.\n\nIt may be repeated.",
		RunE: p.erase("erase replay%s", func(ctx context.Context, s *Services, _ []string) (string, error) {
			n, err := s.Erasures.Replay(ctx, operator())
			return fmt.Sprintf("%d erased again", n), err
		}),
	})
}
