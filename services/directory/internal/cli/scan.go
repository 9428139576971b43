package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/directory"
)

func (p *Program) scanCommand() *cobra.Command {
	return p.out.JSONFlag(&cobra.Command{
		Use: "scan", Short: "Renew credentials, sync figures and audit profiles of every connected company, once",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.changing(cmd.Context(), func(ctx context.Context, a *Services) error {
				result, err := a.Scan.Run(ctx, p.showScan)
				if p.progress.Clear(); err != nil {
					return err
				}
				return p.printScan(result)
			})
		},
	})
}

func (p *Program) showScan(progress directory.ScanProgress) {
	p.progress.Show("%d of %d connections, %d steps failed", progress.Done, progress.Total, progress.Failed)
}

// scanLine is the outcome of a scan.
type scanLine struct {
	Connections int `json:"connections"`
	Renewed     int `json:"renewed"`
	Synced      int `json:"synced"`
	Skipped     int `json:"skipped"`
	Failed      int `json:"failed"`
	Left        int `json:"left"`
}

func (p *Program) printScan(r directory.ScanResult) error {
	if !r.Ran {
		return errors.New("another process is scanning")
	}
	if p.out.JSON {
		return p.out.Value(scanLine{r.Connections, r.Renewed, r.Synced, r.Skipped, r.Failed, r.Left})
	}
	return p.out.Printf("%d connections: %d credentials renewed, %d accounts synced, %d skipped, %d steps failed, %d left for later\n",
		r.Connections, r.Renewed, r.Synced, r.Skipped, r.Failed, r.Left)
}
