package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/cli"
)

func (p *Program) connectionCommand() *cobra.Command {
	return cli.Group(
		"connection",
		"List the connections of companies, and undo wrong marks",
		p.connectionListCommand(),
		p.connectionUnmarkCommand(),
	)
}

// connectionLine is a connection of a list.
type connectionLine struct {
	ID        int64            `json:"id"`
	CompanyID int64            `json:"company_id"`
	Company   string           `json:"company"` // its slug
	Provider  provider.Name    `json:"provider"`
	Service   provider.Service `json:"service"`
	State     connection.State `json:"state"`
	Reason    *string          `json:"reason"` // in Polish
	UpdatedAt time.Time        `json:"updated_at"`
}

func (l connectionLine) cells() []any {
	return []any{l.ID, l.Company, l.Service, l.State, l.UpdatedAt, l.Reason}
}

func (p *Program) connectionListCommand() *cobra.Command {
	var state, slug string
	var states []string
	for _, s := range connection.States() {
		states = append(states, string(s))
	}
	cmd := &cobra.Command{
		Use: "list", Short: "List the connections, with their state",
		Example: "  directory connection list --state reconnect --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.reading(cmd.Context(), func(ctx context.Context, s *Services) error {
				companyID, err := companyOf(ctx, s, slug)
				if err != nil {
					return err
				}
				q := connection.Query{State: connection.State(state)}
				if companyID != nil {
					q.CompanyID = *companyID
				}
				list, err := s.Connections.List(ctx, q)
				if err != nil {
					return err
				}
				lines := make([]connectionLine, len(list))
				for i, c := range list {
					lines[i] = connectionLine{
						ID:        c.ID,
						CompanyID: c.CompanyID,
						Company:   c.Slug,
						Provider:  c.Pair.Provider,
						Service:   c.Pair.Service,
						State:     c.State,
						UpdatedAt: c.UpdatedAt,
					}
					if c.Reason != "" {
						lines[i].Reason = &c.Reason
					}
				}
				return cli.List(
					p.Out,
					lines,
					[]string{"ID", "COMPANY", "SERVICE", "STATE", "CHANGED", "REASON"},
					connectionLine.cells,
				)
			})
		},
	}
	cli.ChoiceVar(cmd, &state, "state", states, "only those in a state")
	p.companyFlag(cmd, &slug, "slug of a company")
	return p.Out.JSONFlag(cmd)
}

func (p *Program) connectionUnmarkCommand() *cobra.Command {
	var slug, since string
	cmd := &cobra.Command{
		Use: "unmark PROVIDER",
		Short: "Undo that connections were marked as broken; what is really lost is marked again at its " +
			"next use",
		Example:           "  directory connection unmark provider_social --since 6h",
		ValidArgsFunction: cli.First(string(provider.Search), string(provider.Social)),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		q := connection.Query{Provider: provider.Name(args[0])}
		if q.Provider != provider.Search && q.Provider != provider.Social {
			return cli.Usagef("PROVIDER is %s or %s", provider.Search, provider.Social)
		}
		var err error
		if q.MarkedSince, err = parseSince(since, time.Now()); err != nil {
			return cli.Usagef("--since %q is neither a time such as 48h nor a date", since)
		}
		return p.changing(cmd.Context(), func(ctx context.Context, s *Services) error {
			if since == "" && slug == "" {
				return cli.Usagef("want --since TIME or --company SLUG")
			}
			companyID, err := companyOf(ctx, s, slug)
			if err != nil {
				return err
			}
			if companyID != nil {
				q.CompanyID = *companyID
			}
			n, err := s.Connections.Unmark(ctx, operator().By(), q)
			if err != nil {
				return fmt.Errorf("%d connections unmarked: %w", n, err)
			}
			return p.Out.Printf("%d connections unmarked\n", n)
		})
	}
	cmd.Flags().StringVar(
		&since,
		"since",
		"",
		"marked since a time: how long ago, such as 48h, or a date, such as 2026-11-22",
	)
	p.companyFlag(cmd, &slug, "slug of a company")
	return cmd
}
