package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/scan"
	"backend.example/services/internal/kit/cli"
)

func (p *Program) connectionCommand() *cobra.Command {
	return cli.Group("connection", "List the connections of companies, and undo wrong marks",
		p.connectionListCommand(), p.connectionUnmarkCommand())
}

type connectionLine struct {
	ID        int64            `json:"id"`
	CompanyID int64            `json:"company_id"`
	Company   string           `json:"company"` // its slug
	Provider  provider.Name    `json:"provider"`
	Service   provider.Service `json:"service"`
	State     connection.State `json:"state"`
	Reason    *string          `json:"reason"` // in Polish
	UpdatedAt time.Time        `json:"updated_at"`

	Reading connection.ServiceState `json:"service_state"`
}

func (l connectionLine) cells() []any {
	read, reason := time.Time{}, l.Reason
	if l.Reading.At != nil {
		read = *l.Reading.At
	}
	if reason == nil {
		reason = orNull(string(l.Reading.Reason))
	}
	act := cmp.Or(string(l.Reading.Act), "-")
	return []any{l.ID, l.Company, l.Service, l.State, l.UpdatedAt, l.Reading.Progress, read, act, reason}
}

// connectionLines also has a line for photos that are read with the connection of the pages.
func connectionLines(ctx context.Context, s *Services, list []connection.Listed) ([]connectionLine, error) {
	var lines []connectionLine
	services := map[int64]map[string]connection.ServiceStatus{}
	for _, c := range list {
		if services[c.CompanyID] == nil {
			status, err := s.Connections.StatusOf(ctx, c.CompanyID)
			if err != nil {
				return nil, err
			}
			services[c.CompanyID] = status
		}
		line := connectionLine{
			ID: c.ID, CompanyID: c.CompanyID, Company: c.Slug, Provider: c.Pair.Provider, Service: c.Pair.Service,
			State: c.State, Reason: orNull(c.Reason), UpdatedAt: c.UpdatedAt,
			Reading: services[c.CompanyID][c.Pair.String()].State,
		}
		lines = append(lines, line)
		photos := services[c.CompanyID][provider.PhotosPair.String()]
		if c.Pair == provider.PagesPair && photos.Connected && !photos.Own {
			line.Service, line.Reading = provider.SocialPhotos, photos.State
			lines = append(lines, line)
		}
	}
	return lines, nil
}

func (p *Program) connectionListCommand() *cobra.Command {
	var state, slug string
	var states []string
	for _, s := range connection.States() {
		states = append(states, string(s))
	}
	cmd := &cobra.Command{
		Use: "list", Short: "List the connections, with the state of their services",
		Example: "  directory connection list --state reconnect --json",
	}
	cli.ChoiceVar(cmd, &state, "state", states, "only those in a state")
	p.companyFlag(cmd, &slug, "slug of a company")
	head := []string{"ID", "COMPANY", "SERVICE", "STATE", "CHANGED", "PROGRESS", "READ", "ACT", "REASON"}
	return list(p, cmd, head, connectionLine.cells,
		func(ctx context.Context, s *Services, _ []string) ([]connectionLine, error) {
			companyID, err := companyOf(ctx, s, slug, false)
			if err != nil {
				return nil, err
			}
			q := connection.Query{State: connection.State(state)}
			if companyID != nil {
				q.CompanyIDs = []int64{*companyID}
			}
			found, err := s.Connections.List(ctx, q)
			if err != nil {
				return nil, err
			}
			return connectionLines(ctx, s, found)
		})
}

func (p *Program) connectionUnmarkCommand() *cobra.Command {
	var slug, since string
	cmd := &cobra.Command{
		Use: "unmark PROVIDER",
		Short: "Undo that connections were marked as broken; what is really lost is marked again at its " +
			"next use",
		Example:           "  directory connection unmark provider_social --since 6h",
		ValidArgsFunction: cli.First(provider.Names()...),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		q := connection.Query{Provider: provider.Name(args[0])}
		if !slices.Contains(provider.Names(), q.Provider) {
			return cli.Usagef("PROVIDER is %s or %s", provider.Search, provider.Social)
		}
		var err error
		if q.MarkedSince, err = parseSince(since); err != nil {
			return cli.Usagef("--since %q is neither a time such as 48h nor a date", since)
		}
		return p.changing(func(ctx context.Context, s *Services, _ []string) error {
			if since == "" && slug == "" {
				return cli.Usagef("want --since TIME or --company SLUG")
			}
			companyID, err := companyOf(ctx, s, slug, false)
			if err != nil {
				return err
			}
			if companyID != nil {
				q.CompanyIDs = []int64{*companyID}
			}
			n, err := s.Connections.Unmark(ctx, operator().By(), q)
			if err != nil {
				return fmt.Errorf("%d connections unmarked: %w", n, err)
			}
			return p.Out.Printf("%d connections unmarked\n", n)
		})(cmd, args)
	}
	cmd.Flags().StringVar(&since, "since", "",
		"marked since a time: how long ago, such as 48h, or a date, such as 2026-11-22")
	p.companyFlag(cmd, &slug, "slug of a company")
	return cmd
}

func (p *Program) pauseCommand() *cobra.Command {
	return cli.Group("pause", "What scans leave out, because a provider refused it",
		p.pauseListCommand(), p.pauseLiftCommand())
}

// pauseLine is a pause of a list; what does not restrict it is null.
type pauseLine struct {
	Provider  provider.Name `json:"provider"`
	Service   *string       `json:"service"`
	CompanyID *int64        `json:"company_id"`
	Until     time.Time     `json:"until"`
}

func (l pauseLine) cells() []any { return []any{l.Provider, l.Service, l.CompanyID, l.Until} }

func (p *Program) pauseListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List the pauses of providers, of their services and of single connections",
	}
	return list(p, cmd, []string{"PROVIDER", "SERVICE", "COMPANY", "UNTIL"}, pauseLine.cells,
		func(ctx context.Context, s *Services, _ []string) (lines []pauseLine, err error) {
			pauses, err := s.Scan.Pauses(ctx)
			for _, p := range pauses {
				service, company := orNull(string(p.Service)), orNull(p.CompanyID)
				lines = append(lines, pauseLine{p.Provider, service, company, p.Until.UTC()})
			}
			return lines, err
		})
}

func (p *Program) pauseLiftCommand() *cobra.Command {
	return &cobra.Command{
		Use: "lift PROVIDER", Short: "End the pauses of a provider and of its connections",
		ValidArgsFunction: cli.First(provider.Names()...),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := provider.Name(args[0])
			if !slices.Contains(provider.Names(), name) {
				return cli.Usagef("PROVIDER is %s or %s", provider.Search, provider.Social)
			}
			return p.changing(func(ctx context.Context, s *Services, _ []string) error {
				n, err := s.Scan.Lift(ctx, operator().By(), name)
				if err != nil {
					return err
				}
				return p.Out.Printf("%d pauses lifted\n", n)
			})(cmd, args)
		},
	}
}

func (p *Program) scanCommand() *cobra.Command {
	show := func(progress scan.Progress) {
		p.Progress.Show("%d of %d connections, %d steps failed", progress.Done, progress.Total, progress.Failed)
	}
	return p.Out.JSONFlag(&cobra.Command{
		Use: "scan", Short: "Renew credentials, sync figures and audit profiles of every connected company, once",
		RunE: p.changing(func(ctx context.Context, s *Services, _ []string) error {
			r, err := s.Scan.Run(ctx, show)
			if err != nil {
				return err
			}
			if p.Out.JSON {
				return p.Out.Value(r)
			}
			const result = "%d connections: %d credentials renewed, %d accounts synced, %d skipped, " +
				"%d steps failed, %d left for later\n"
			return p.Out.Printf(result, r.Connections, r.Renewed, r.Synced, r.Skipped, r.Failed, r.Left)
		}),
	})
}
