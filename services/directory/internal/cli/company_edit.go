package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/company"
	"backend.example/services/internal/kit/cli"
)

// companyTexts and companyLists are what a company says about itself, by the names of
// the flags that say it.
var (
	companyTexts = []struct {
		flag, usage string
		of          func(*company.Company) *string
	}{
		{"address", "street and number, postal code, city", func(c *company.Company) *string { return &c.Address }},
		{"phone", "telephone number", func(c *company.Company) *string { return &c.Phone }},
		{"website", "address of the website", func(c *company.Company) *string { return &c.Website }},
		{"hours", "opening hours, a line for each day", func(c *company.Company) *string { return &c.Hours }},
		{"description", "what the company does", func(c *company.Company) *string { return &c.Description }},
		{"logo-url", "address of the logo", func(c *company.Company) *string { return &c.LogoURL }},
		{"cover-photo-url", "address of the cover photo", func(c *company.Company) *string { return &c.CoverPhotoURL }},
		{"place-id", "external place identifier", func(c *company.Company) *string { return &c.PlaceID }},
	}
	companyLists = []struct {
		flag, usage string
		of          func(*company.Company) *[]string
	}{
		{"category", "a category; may be repeated", func(c *company.Company) *[]string { return &c.Categories }},
		{"service", "a service; may be repeated", func(c *company.Company) *[]string { return &c.Services }},
	}
)

// addCompanyFlags adds flags that set the fields of c; their present values are the
// default.
func addCompanyFlags(cmd *cobra.Command, c *company.Company) {
	cli.ChoiceVar(cmd, &c.Status, "status", []string{company.StatusActive, statusArchived}, "audits see active companies alone")
	for _, text := range companyTexts {
		cmd.Flags().StringVar(text.of(c), text.flag, *text.of(c), text.usage)
	}
	for _, list := range companyLists {
		cmd.Flags().StringSliceVar(list.of(c), list.flag, nil, list.usage)
	}
}

func (p *Program) companyEditCommand() *cobra.Command {
	var edited company.Company
	cmd := &cobra.Command{
		Use: "edit SLUG", Short: "Change what a company says about itself; omitted flags leave it unchanged", ValidArgsFunction: p.slugs,
		Example: "  directory company edit piekarnia-kowalski --phone '+48 12 345 67 89'",
	}
	cmd.Flags().StringVar(&edited.Name, "name", "", "the company's name")
	addCompanyFlags(cmd, &edited)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return p.changeCompany(cmd.Context(), args[0], "company edit", func(c *company.Company) (string, error) {
			changed := takeChanged(cmd, c, &edited)
			if len(changed) == 0 {
				return "", cli.Usagef("no flag says what to change; directory company edit --help lists them")
			}
			return strings.Join(changed, ", "), checkCompany(c)
		})
	}
	return cmd
}

// takeChanged copies what the flags of the command line named, and returns their names.
func takeChanged(cmd *cobra.Command, c, edited *company.Company) (changed []string) {
	take := func(flag string, copyIt func()) {
		if cmd.Flags().Changed(flag) {
			copyIt()
			changed = append(changed, flag)
		}
	}
	take("name", func() { c.Name = edited.Name })
	take("status", func() { c.Status = edited.Status })
	for _, text := range companyTexts {
		take(text.flag, func() { *text.of(c) = *text.of(edited) })
	}
	for _, list := range companyLists {
		take(list.flag, func() { *list.of(c) = *list.of(edited) })
	}
	return changed
}

func (p *Program) companyArchiveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "archive SLUG", Short: "Keep a company's data and show it no more; edit --status active takes it back", ValidArgsFunction: p.slugs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.changeCompany(cmd.Context(), args[0], "company archive", func(c *company.Company) (string, error) {
				c.Status = statusArchived
				return "", nil
			})
		},
	}
}

// changeCompany runs change on the company with that slug; change says for the audit
// trail what it changed.
func (p *Program) changeCompany(ctx context.Context, slug, action string, change func(*company.Company) (detail string, err error)) error {
	return p.changing(ctx, func(ctx context.Context, s *Services) error {
		what := fmt.Sprintf("company %q", slug)
		c, err := s.Companies.BySlug(ctx, slug)
		if err != nil {
			return explain(what, err)
		}
		detail, err := change(&c)
		if err != nil {
			return err
		}
		if err := s.Companies.Save(ctx, c, aboutCompany(c, action, detail)); err != nil {
			return explain(what, err)
		}
		return p.Out.Printf("company %d %s changed\n", c.ID, c.Slug)
	})
}
