package cli

import (
	"context"

	"github.com/spf13/cobra"

	"backend.example/services/internal/kit/cli"
)

// slugs completes the slug of a company as the first argument.
func (p *Program) slugs(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	return p.first(cmd, args, toComplete, func(ctx context.Context, s *Services) (words []string, err error) {
		companies, err := s.Companies.List(ctx)
		for _, c := range companies {
			words = append(words, cobra.CompletionWithDesc(c.Slug, cli.Printable(c.Name)))
		}
		return words, err
	})
}

// emails completes the e-mail address of a user as the first argument.
func (p *Program) emails(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	return p.first(cmd, args, toComplete, func(ctx context.Context, s *Services) (words []string, err error) {
		users, err := s.Users.List(ctx)
		for _, u := range users {
			words = append(words, cobra.CompletionWithDesc(u.Email, cli.Printable(u.Name)))
		}
		return words, err
	})
}

func (p *Program) emailsAndRoles(
	cmd *cobra.Command,
	args []string,
	toComplete string,
) ([]string, cobra.ShellCompDirective) {
	if len(args) == 1 {
		return roleNames, cobra.ShellCompDirectiveNoFileComp
	}
	return p.emails(cmd, args, toComplete)
}

// first completes the first argument with what the database has. Without a database
// there is nothing to complete, and no error is printed in the middle of a line.
func (p *Program) first(cmd *cobra.Command, args []string, toComplete string,
	find func(context.Context, *Services) ([]string, error),
) (words []string, _ cobra.ShellCompDirective) {
	_ = p.reading(cmd.Context(), func(ctx context.Context, s *Services) (err error) {
		words, err = find(ctx, s)
		return err
	})
	return cli.First(words...)(cmd, args, toComplete)
}

// companyFlag defines --company, which takes the slug of a company.
func (p *Program) companyFlag(cmd *cobra.Command, slug *string, usage string) {
	cmd.Flags().StringVar(slug, "company", "", usage)
	_ = cmd.RegisterFlagCompletionFunc(
		"company",
		func(cmd *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			return p.slugs(cmd, nil, toComplete)
		},
	) // it is new
}
