package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/cli"
)

func (p *Program) auditCommand() *cobra.Command {
	var last, refresh bool
	cmd := &cobra.Command{
		Use: "audit SLUG", Short: "Audit a company's business profile, or print its last audit",
		ValidArgsFunction: p.slugs,
		Long: "Audit a company's business profile by the rules of the API, and keep the audit.\n\n" +
			"Each operator may run as many in an hour as a user. External data are fetched unless they are less than " +
			"a day old.",
		Example: "  directory audit piekarnia-kowalski --last",
		RunE: func(cmd *cobra.Command, args []string) error {
			ref := audit.CompanyRef{Slug: args[0]}
			if last && refresh {
				return cli.Usagef("want either --last or --refresh")
			}
			if last {
				return p.reading(func(ctx context.Context, s *Services, _ []string) error {
					c, a, err := s.Audits.Latest(ctx, ref)
					return p.printAudit(ref, c, a, err)
				})(cmd, args)
			}
			return p.changing(func(ctx context.Context, s *Services, _ []string) error {
				return p.audit(ctx, s, ref, refresh)
			})(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&last, "last", false, "print the last audit, and run none")
	cmd.Flags().BoolVar(&refresh, "refresh", false, "fetch external data, however new they are")
	return p.Out.JSONFlag(cmd)
}

func (p *Program) audit(ctx context.Context, s *Services, ref audit.CompanyRef, refresh bool) error {
	p.Progress.Show("auditing…")
	request := audit.Request{Company: ref, Save: true, FetchExternal: true, ForceRefresh: refresh}
	result, err := s.Audits.Run(ctx, operator(), request)
	if err != nil {
		return p.printAudit(ref, result.Company.Found(), result.Audit, err)
	}
	entry := operator().Did("audit")
	entry.CompanyID = result.Company.ID
	entry.Detail = fmt.Sprintf("%g, %s", result.Audit.Score, result.Audit.Category)
	err = trail.Record(s.Write(ctx), entry)
	return p.printAudit(ref, result.Company.Found(), result.Audit, err)
}

// printAudit prints the audit of a company, or explains err.
func (p *Program) printAudit(ref audit.CompanyRef, c company.Found, a audit.Audit, err error) error {
	if err != nil {
		return explain(fmt.Sprintf("company %q", ref.Slug), err)
	}
	if p.Out.JSON {
		return p.Out.Value(audit.Report(c, a))
	}
	err = p.Out.Printf("%s: %g of 100, %s (%s, %s, rules %s, %g%% of the points known)\n%s\n\n",
		cli.Printable(c.Name), a.Score, a.Category, cli.Time(a.At), a.Source, a.Version, a.Coverage,
		cli.Printable(a.Subject.Name+", "+a.Subject.Address))
	if err != nil {
		return err
	}
	var rows [][]any
	for _, field := range audit.Fields() {
		status := a.Fields[field]
		priority := any(nil)
		for _, r := range a.Recommendations {
			if r.Field == field {
				priority = r.Priority
			}
		}
		rows = append(rows, []any{
			string(field), status.Status, status.Score, status.MaxScore, priority, status.Recommendation,
		})
	}
	return p.Out.Table([]string{"FIELD", "STATUS", "POINTS", "OF", "PRIORITY", "WHAT TO DO"}, rows)
}
