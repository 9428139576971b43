package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/internal/kit/cli"
)

func (p *Program) auditCommand() *cobra.Command {
	var last, refresh bool
	cmd := &cobra.Command{
		Use: "audit SLUG", Short: "Audit a company's business profile, or print its last audit", ValidArgsFunction: p.slugs,
		Long: "Audit a company's business profile by the rules of the API, and keep the audit.\n\n" +
			"Each operator may run as many in an hour as a user. External data are fetched unless they are less than a day old.",
		Example: "  directory audit piekarnia-kowalski --last",
		RunE: func(cmd *cobra.Command, args []string) error {
			ref := directory.CompanyRef{Slug: args[0]}
			if last && refresh {
				return cli.Usagef("want either --last or --refresh")
			}
			if last {
				return p.reading(cmd.Context(), func(ctx context.Context, s *Services) error {
					c, audit, err := s.Audits.Latest(ctx, ref)
					return p.printAudit(ref, c, audit, err)
				})
			}
			return p.changing(cmd.Context(), func(ctx context.Context, a *Services) error { return p.audit(ctx, a, ref, refresh) })
		},
	}
	cmd.Flags().BoolVar(&last, "last", false, "print the last audit, and run none")
	cmd.Flags().BoolVar(&refresh, "refresh", false, "fetch external data, however new they are")
	return p.out.JSONFlag(cmd)
}

// audit runs an audit and leaves a line in the trail.
func (p *Program) audit(ctx context.Context, a *Services, ref directory.CompanyRef, refresh bool) error {
	done := p.progress.Since("auditing")
	c, audit, _, err := a.Audits.Trigger(ctx, operator(), directory.AuditRequest{Company: ref, Save: true, FetchExternal: true, ForceRefresh: refresh})
	done()
	if err == nil {
		err = a.Record(ctx, aboutCompany(c, "audit", fmt.Sprintf("%g, %s", audit.Score, audit.Category)))
	}
	return p.printAudit(ref, c, audit, err)
}

func (p *Program) printAudit(ref directory.CompanyRef, c directory.Company, audit directory.Audit, err error) error {
	if err != nil {
		return explain(fmt.Sprintf("company %q", ref.Slug), err)
	}
	if p.out.JSON {
		return p.out.Value(httpapi.DescribeAudit(c, audit))
	}
	err = p.out.Printf("%s: %g of 100, %s (%s, %s, rules %s, %g%% of the points known)\n\n",
		cli.Printable(c.Name), audit.Score, audit.Category, cli.Time(audit.At), audit.Source, audit.Version, audit.Coverage())
	if err != nil {
		return err
	}
	var rows [][]any
	for _, field := range directory.Fields() {
		s := audit.Fields[field]
		gain := any(nil)
		if i := slices.IndexFunc(audit.Recommendations, func(r directory.Recommendation) bool { return r.Field == field }); i >= 0 {
			gain = audit.Recommendations[i].Priority
		}
		rows = append(rows, []any{string(field), s.Status, s.Score, s.MaxScore, gain, s.Recommendation})
	}
	return p.out.Table([]string{"FIELD", "STATUS", "POINTS", "OF", "PRIORITY", "WHAT TO DO"}, rows)
}
