package cli

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/scan"
	"backend.example/services/internal/kit/cli"
)

func (p *Program) pauseCommand() *cobra.Command {
	return cli.Group(
		"pause",
		"What scans leave out, because a provider refused it",
		p.pauseListCommand(),
		p.pauseLiftCommand(),
	)
}

// pauseLine is a pause of a list; what does not restrict it is null.
type pauseLine struct {
	Provider  provider.Name `json:"provider"`
	Service   *string       `json:"service"`
	CompanyID *int64        `json:"company_id"`
	Task      *string       `json:"task"`
	Until     time.Time     `json:"until"`
}

func pauseLineOf(p scan.Pause) pauseLine {
	line := pauseLine{Provider: p.Provider, Until: p.Until.UTC()}
	if p.Service != "" {
		line.Service = new(string(p.Service))
	}
	if p.CompanyID != 0 {
		line.CompanyID = &p.CompanyID
	}
	if p.Task != "" {
		line.Task = &p.Task
	}
	return line
}

func (l pauseLine) cells() []any { return []any{l.Provider, l.Service, l.CompanyID, l.Task, l.Until} }

func (p *Program) pauseListCommand() *cobra.Command {
	return p.Out.JSONFlag(&cobra.Command{
		Use: "list", Short: "List the pauses of providers, of their services and of single connections",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.reading(cmd.Context(), func(ctx context.Context, s *Services) error {
				list, err := s.Scan.Pauses(ctx)
				if err != nil {
					return err
				}
				lines := make([]pauseLine, len(list))
				for i, pause := range list {
					lines[i] = pauseLineOf(pause)
				}
				return cli.List(p.Out, lines, []string{"PROVIDER", "SERVICE", "COMPANY", "TASK", "UNTIL"},
					pauseLine.cells)
			})
		},
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
			return p.changing(cmd.Context(), func(ctx context.Context, s *Services) error {
				n, err := s.Scan.Lift(ctx, operator().By(), name)
				if err != nil {
					return err
				}
				return p.Out.Printf("%d pauses lifted\n", n)
			})
		},
	}
}
