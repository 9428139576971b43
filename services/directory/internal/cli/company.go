package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/cli"
)

// statusArchived is the status of a company that keeps its data and is not shown.
const statusArchived = "archived"

func (p *Program) companyCommand() *cobra.Command {
	return cli.Group("company", "Manage the companies", p.companyAddCommand(), p.companyListCommand(),
		p.companyEditCommand(), p.companyArchiveCommand(), p.companyExportCommand(), p.companyDeleteCommand())
}

func (p *Program) companyAddCommand() *cobra.Command {
	c := company.Company{Status: company.StatusActive}
	cmd := &cobra.Command{
		Use: "add NAME", Short: "Add a company",
		Example: "  directory company add 'Piekarnia Kowalski' --slug piekarnia-kowalski --phone '+48 12 345 67 89'",
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Name = args[0]
			if err := checkCompany(&c); err != nil {
				return err
			}
			if err := company.CheckSlug(c.Slug); err != nil {
				return cli.WithStatus(cli.StatusUsage, explain(fmt.Sprintf("--slug %q", c.Slug), err))
			}
			return p.changing(cmd.Context(), func(ctx context.Context, s *Services) error {
				if err := s.Companies.Create(ctx, &c); err != nil {
					return explain(fmt.Sprintf("company %q", c.Slug), err)
				}
				if err := trail.Record(s.Write(ctx), aboutCompany(c, "company add", "")); err != nil {
					return err
				}
				return p.Out.Printf("company %d %s added\n", c.ID, c.Slug)
			})
		},
	}
	cmd.Flags().StringVar(&c.Slug, "slug", "", "the company's name in addresses")
	addCompanyFlags(cmd, &c)
	return cmd
}

// checkCompany takes the white space around the name away.
func checkCompany(c *company.Company) error {
	c.Name = strings.TrimSpace(c.Name)
	if c.Name == "" {
		return cli.Usagef("a company needs a name")
	}
	return nil
}

// aboutCompany is the line of the audit trail for what a command does to a company.
func aboutCompany(c company.Company, action, detail string) trail.Entry {
	return trail.Entry{Actor: operator().Name, CompanyID: c.ID, Action: action, Detail: detail}
}

// companyLine is a company of a list.
type companyLine struct {
	ID     int64  `json:"id"`
	Slug   string `json:"slug"`
	Name   string `json:"name"`
	Status string `json:"status"`
}

func (p *Program) companyListCommand() *cobra.Command {
	return p.Out.JSONFlag(&cobra.Command{
		Use: "list", Short: "List the companies",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.reading(cmd.Context(), func(ctx context.Context, s *Services) error {
				companies, err := s.Companies.List(ctx)
				if err != nil {
					return err
				}
				var lines []companyLine
				for _, c := range companies {
					lines = append(lines, companyLine{c.ID, c.Slug, c.Name, c.Status})
				}
				return cli.List(p.Out, lines, []string{"ID", "SLUG", "NAME", "STATUS"}, func(c companyLine) []any {
					return []any{c.ID, c.Slug, c.Name, c.Status}
				})
			})
		},
	})
}
