package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
)

// statusArchived is the status of a company that keeps its data and is not shown.
const statusArchived = "archived"

func (p *program) companyCommand() *cobra.Command {
	return group("company", "Manage the companies", p.companyAddCommand(), p.companyListCommand(),
		p.companyEditCommand(), p.companyArchiveCommand(), p.companyExportCommand(), p.companyDeleteCommand())
}

func (p *program) companyAddCommand() *cobra.Command {
	c := directory.Company{Status: directory.CompanyStatusActive}
	cmd := &cobra.Command{
		Use: "add NAME", Short: "Add a company", Args: cobra.ExactArgs(1),
		Example: "  directory company add 'Piekarnia Kowalski' --slug piekarnia-kowalski --phone '+48 12 345 67 89'",
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Name = args[0]
			if err := checkCompany(&c); err != nil {
				return err
			}
			if err := directory.CheckSlug(c.Slug); err != nil {
				return explain(fmt.Sprintf("--slug %q", c.Slug), err)
			}
			return p.withStore(cmd.Context(), func(ctx context.Context, _ config, s *store.Store) error {
				if err := s.CreateCompany(ctx, &c); err != nil {
					return explain(fmt.Sprintf("company %q", c.Slug), err)
				}
				if err := s.Record(ctx, aboutCompany(c, "company add", "")); err != nil {
					return err
				}
				_, err := fmt.Fprintf(p.stdout, "company %d %s added\n", c.ID, c.Slug)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&c.Slug, "slug", "", "the company's name in addresses")
	addCompanyFlags(cmd, &c)
	return cmd
}

// checkCompany takes the white space around the name away.
func checkCompany(c *directory.Company) error {
	c.Name = strings.TrimSpace(c.Name)
	if c.Name == "" {
		return errors.New("a company needs a name")
	}
	if c.Status != directory.CompanyStatusActive && c.Status != statusArchived {
		return fmt.Errorf("--status %q: neither active nor archived", c.Status)
	}
	return nil
}

// aboutCompany is the line of the audit trail for what a command does to a company.
func aboutCompany(c directory.Company, action, detail string) directory.Entry {
	return directory.Entry{Actor: operator().Name, CompanyID: c.ID, Action: action, Detail: detail}
}

func (p *program) companyListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the companies", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withStore(cmd.Context(), func(ctx context.Context, _ config, s *store.Store) error {
				companies, err := s.Companies(ctx)
				if err != nil {
					return err
				}
				w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "ID\tSLUG\tNAME\tSTATUS")
				for _, c := range companies {
					fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", c.ID, c.Slug, c.Name, c.Status)
				}
				return w.Flush()
			})
		},
	}
}
