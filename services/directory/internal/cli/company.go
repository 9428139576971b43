package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/erasure"
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
		return p.changing(func(ctx context.Context, s *Services, _ []string) error {
			c, err := s.Companies.Add(ctx, slug, added, operator().Did("company add"))
			if err != nil {
				return explain(fmt.Sprintf("company %q", slug), err)
			}
			return p.Out.Printf("company %d %s added\n", c.ID, c.Slug)
		})(cmd, args)
	}
	return cmd
}

func (p *Program) companyListCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the companies"}
	return list(p, cmd, []string{"ID", "SLUG", "NAME", "STATUS"},
		func(c company.Found) []any { return []any{c.ID, c.Slug, c.Name, c.Status} },
		func(ctx context.Context, s *Services, _ []string) (found []company.Found, err error) {
			companies, err := s.Companies.List(ctx)
			for _, c := range companies {
				found = append(found, c.Found())
			}
			return found, err
		})
}

// addCompanyFlags adds flags for what a company says about itself, and returns what reads them.
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
	cli.ChoiceVar(cmd, &status, "status", []string{company.StatusActive, company.StatusArchived},
		"audits see active companies alone")
	for _, text := range texts {
		cmd.Flags().String(text.flag, "", text.usage)
	}
	for _, list := range lists {
		cmd.Flags().StringSlice(list.flag, nil, list.usage)
	}
	return func() company.Change {
		for _, text := range texts {
			if cmd.Flags().Changed(text.flag) {
				value, _ := cmd.Flags().GetString(text.flag) // it exists
				*text.field = &value
			}
		}
		for _, list := range lists {
			if cmd.Flags().Changed(list.flag) {
				values, _ := cmd.Flags().GetStringSlice(list.flag) // it exists
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
		return p.editCompany("company edit", edited)(cmd, args)
	}
	return cmd
}

func (p *Program) companyArchiveCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "archive SLUG",
		Short:             "Keep a company's data and show it no more; edit --status active takes it back",
		ValidArgsFunction: p.slugs,
		RunE:              p.editCompany("company archive", company.Change{Status: new(company.StatusArchived)}),
	}
}

func (p *Program) editCompany(action string, change company.Change) runE {
	return p.changing(func(ctx context.Context, s *Services, args []string) error {
		what := fmt.Sprintf("company %q", args[0])
		if change == (company.Change{}) {
			return cli.Usagef("no flag says what to change; directory company edit --help lists them")
		}
		c, err := s.Companies.BySlug(ctx, args[0])
		if err != nil {
			return explain(what, err)
		}
		if c, err = s.Companies.Edit(ctx, c.ID, change, operator().Did(action)); err != nil {
			return explain(what, err)
		}
		return p.Out.Printf("company %d %s changed\n", c.ID, c.Slug)
	})
}

func (p *Program) companyExportCommand() *cobra.Command {
	return &cobra.Command{
		Use: "export SLUG", Short: "Print all that is kept of a company as JSON, without secrets",
		ValidArgsFunction: p.slugs,
		RunE: p.reading(func(ctx context.Context, s *Services, args []string) error {
			c, err := s.Companies.BySlug(ctx, args[0])
			if err != nil {
				return explain(fmt.Sprintf("company %q", args[0]), err)
			}
			return export(ctx, s, c.ID, p.Stdout)
		}),
	}
}

// export writes an object with a list for each section; it holds one row at a time.
func export(ctx context.Context, s *Services, companyID int64, to io.Writer) error {
	w := bufio.NewWriter(to)
	sections := erasure.Sections()
	current := ""
	separator := ""
	before := "{" // the next section
	begin := func(section string) {
		for current != section { // those without rows, too
			current, sections = sections[0], sections[1:]
			fmt.Fprintf(w, "%s%q: [", before, current)
			before, separator = "],\n", ""
		}
	}
	last := sections[len(sections)-1]
	err := erasure.Export(ctx, s.DB, companyID, func(row erasure.Row) error {
		begin(row.Section)
		fmt.Fprint(w, separator)
		separator = ","
		return writeRow(w, row)
	})
	if err != nil {
		return err
	}
	begin(last)
	fmt.Fprint(w, "]}\n")
	return w.Flush()
}

func writeRow(w *bufio.Writer, row erasure.Row) error {
	for i, name := range row.Names {
		value := row.Values[i]
		if document, ok := value.(erasure.Document); ok {
			value = json.RawMessage(document)
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("%s %s: %w", row.Section, name, err)
		}
		separator := ", "
		if i == 0 {
			separator = "\n  {"
		}
		fmt.Fprintf(w, "%s%q: %s", separator, name, encoded)
	}
	_, err := w.WriteString("}")
	return err
}
