package cli

import (
	"context"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/scan"
)

func (p *Program) scanCommand() *cobra.Command {
	return p.Out.JSONFlag(&cobra.Command{
		Use: "scan", Short: "Renew credentials, sync figures and audit profiles of every connected company, once",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.changing(cmd.Context(), func(ctx context.Context, a *Services) error {
				result, err := a.Scan.Run(ctx, p.showScan)
				if err != nil {
					return err
				}
				return p.printScan(result)
			})
		},
	})
}

func (p *Program) showScan(progress scan.Progress) {
	p.Progress.Show("%d of %d connections, %d steps failed", progress.Done, progress.Total, progress.Failed)
}

func (p *Program) printScan(r scan.Result) error {
	if p.Out.JSON {
		return p.Out.Value(r)
	}
	return p.Out.Printf(
		"%d connections: %d credentials renewed, %d accounts synced, %d skipped, %d steps failed, %d left for later\n",
		r.Connections,
		r.Renewed,
		r.Synced,
		r.Skipped,
		r.Failed,
		r.Left,
	)
}
