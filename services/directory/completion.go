package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/store"
	"backend.example/services/internal/kit/cli"
)

// slugs completes the slug of a company as the first argument.
func (p *program) slugs(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	return p.first(cmd, args, toComplete, func(ctx context.Context, s *store.Store) (words []string, err error) {
		companies, err := s.Companies(ctx)
		for _, c := range companies {
			words = append(words, cobra.CompletionWithDesc(c.Slug, cli.Printable(c.Name)))
		}
		return words, err
	})
}

// emails completes the e-mail address of a user as the first argument.
func (p *program) emails(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	return p.first(cmd, args, toComplete, func(ctx context.Context, s *store.Store) (words []string, err error) {
		users, err := s.Users(ctx)
		for _, u := range users {
			words = append(words, cobra.CompletionWithDesc(u.Email, cli.Printable(u.Name)))
		}
		return words, err
	})
}

func (p *program) emailsAndRoles(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 1 {
		return roleNames, cobra.ShellCompDirectiveNoFileComp
	}
	return p.emails(cmd, args, toComplete)
}

// first completes the first argument with what the database has. Without a database
// there is nothing to complete, and nobody is told in the middle of a line.
func (p *program) first(cmd *cobra.Command, args []string, toComplete string,
	find func(context.Context, *store.Store) ([]string, error),
) (words []string, _ cobra.ShellCompDirective) {
	quiet := program{environ: slices.DeleteFunc(slices.Clone(p.environ), func(setting string) bool {
		return strings.HasPrefix(setting, "DIRECTORY_ACTIVE_HELP=") // the script for fish sets it, and it is no setting of ours
	})}
	_ = quiet.reading(cmd.Context(), func(ctx context.Context, _ config, s *store.Store) (err error) {
		words, err = find(ctx, s)
		return err
	})
	return cli.First(words...)(cmd, args, toComplete)
}

// companyFlag defines --company, which takes the slug of a company.
func (p *program) companyFlag(cmd *cobra.Command, slug *string, usage string) {
	cmd.Flags().StringVar(slug, "company", "", usage)
	_ = cmd.RegisterFlagCompletionFunc("company", func(cmd *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		return p.slugs(cmd, nil, toComplete)
	}) // it is new
}
