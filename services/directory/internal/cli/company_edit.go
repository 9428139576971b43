package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/company"
	"backend.example/services/internal/kit/cli"
)

// addCompanyFlags adds flags for what a company says about itself, and returns a function
// that returns what the flags of the command line name.
func addCompanyFlags(cmd *cobra.Command) (change func() company.Change) {
	var c company.Change
	texts := []struct {
		flag, usage string
		field       **string
	}{
		{"address", "street and number, postal code, city", &c.Address},
		{"phone", "telephone number", &c.Phone},
		{"website", "address of the website", &c.Website},
		{"hours", "opening hours, a line for each day", &c.Hours},
		{"description", "what the company does", &c.Description},
		{"logo-url", "address of the logo", &c.LogoURL},
		{"cover-photo-url", "address of the cover photo", &c.CoverPhotoURL},
		{"place-id", "external place identifier", &c.PlaceID},
	}
	lists := []struct {
		flag, usage string
		field       **[]string
	}{
		{"category", "a category; may be repeated", &c.Categories},
		{"service", "a service; may be repeated", &c.Services},
	}
	status := company.StatusActive
	cli.ChoiceVar(
		cmd,
		&status,
		"status",
		[]string{company.StatusActive, company.StatusArchived},
		"audits see active companies alone",
	)
	for _, text := range texts {
		cmd.Flags().String(text.flag, "", text.usage)
	}
	for _, list := range lists {
		cmd.Flags().StringSlice(list.flag, nil, list.usage)
	}
	return func() company.Change {
		for _, text := range texts {
			if value, err := cmd.Flags().GetString(text.flag); err == nil && cmd.Flags().Changed(text.flag) {
				*text.field = &value
			}
		}
		for _, list := range lists {
			if values, err := cmd.Flags().GetStringSlice(list.flag); err == nil && cmd.Flags().Changed(list.flag) {
				*list.field = &values
			}
		}
		if cmd.Flags().Changed("status") {
			c.Status = &status
		}
		return c
	}
}

func (p *Program) companyEditCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:               "edit SLUG",
		Short:             "Change what a company says about itself; omitted flags leave it unchanged",
		ValidArgsFunction: p.slugs,
		Example:           "  directory company edit piekarnia-kowalski --phone '+48 12 345 67 89'",
	}
	cmd.Flags().StringVar(&name, "name", "", "the company's name")
	change := addCompanyFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		edited := change()
		if cmd.Flags().Changed("name") {
			edited.Name = &name
			if strings.TrimSpace(name) == "" {
				return cli.Usagef("a company needs a name")
			}
		}
		return p.editCompany(cmd.Context(), args[0], "company edit", edited)
	}
	return cmd
}

func (p *Program) companyArchiveCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "archive SLUG",
		Short:             "Keep a company's data and show it no more; edit --status active takes it back",
		ValidArgsFunction: p.slugs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.editCompany(cmd.Context(), args[0], "company archive",
				company.Change{Status: new(company.StatusArchived)})
		},
	}
}

// editCompany changes the company with that slug like the API does.
func (p *Program) editCompany(ctx context.Context, slug, action string, change company.Change) error {
	return p.changing(ctx, func(ctx context.Context, s *Services) error {
		what := fmt.Sprintf("company %q", slug)
		if change == (company.Change{}) {
			return cli.Usagef("no flag says what to change; directory company edit --help lists them")
		}
		c, err := s.Companies.BySlug(ctx, slug)
		if err != nil {
			return explain(what, err)
		}
		if c, err = s.Companies.Edit(ctx, c.ID, change, byOperator(action)); err != nil {
			return explain(what, err)
		}
		return p.Out.Printf("company %d %s changed\n", c.ID, c.Slug)
	})
}
