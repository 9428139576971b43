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

func (p *Program) companyCommand() *cobra.Command {
	return cli.Group("company", "Manage the companies", p.companyAddCommand(), p.companyListCommand(),
		p.companyEditCommand(), p.companyArchiveCommand(), p.companyExportCommand(), p.companyDeleteCommand())
}

func (p *Program) companyAddCommand() *cobra.Command {
	var slug string
	cmd := &cobra.Command{
		Use: "add NAME", Short: "Add a company",
		Example: "  directory company add 'Piekarnia Kowalski' --slug piekarnia-kowalski --phone '+48 12 345 67 89'",
	}
	cmd.Flags().StringVar(&slug, "slug", "", "the company's name in addresses")
	change := addCompanyFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		added := change()
		if added.Name = &args[0]; strings.TrimSpace(args[0]) == "" {
			return cli.Usagef("a company needs a name")
		}
		if err := company.CheckSlug(slug); err != nil {
			return cli.WithStatus(cli.StatusUsage, explain(fmt.Sprintf("--slug %q", slug), err))
		}
		return p.changing(cmd.Context(), func(ctx context.Context, s *Services) error {
			c, err := s.Companies.Add(ctx, slug, added, byOperator("company add"))
			if err != nil {
				return explain(fmt.Sprintf("company %q", slug), err)
			}
			return p.Out.Printf("company %d %s added\n", c.ID, c.Slug)
		})
	}
	return cmd
}

// byOperator is the line of the audit trail for what a command does.
func byOperator(action string) trail.Entry {
	e := operator().By()
	e.Action = action
	return e
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
