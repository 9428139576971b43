package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/directory"
)

func (p *program) scanCommand() *cobra.Command {
	return &cobra.Command{
		Use: "scan", Short: "Renew credentials and sync the statistics of every connected company, once", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withApp(cmd.Context(), func(ctx context.Context, a *app) error {
				result, err := a.scan.Run(ctx, p.showScan)
				if err != nil {
					return err
				}
				return p.printScan(result)
			})
		},
	}
}

// showScan tells a person at a terminal how far the scan is, on one line.
func (p *program) showScan(progress directory.ScanProgress) {
	screen, ok := terminal(p.stderr)
	if !ok {
		return
	}
	fmt.Fprintf(screen, "\r%d of %d connections, %d steps failed", progress.Done, progress.Total, progress.Failed)
	if progress.Done == progress.Total {
		fmt.Fprintln(screen)
	}
}

func (p *program) printScan(r directory.ScanResult) error {
	if !r.Ran {
		return errors.New("another process is scanning")
	}
	_, err := fmt.Fprintf(p.stdout, "%d connections: %d credentials renewed, %d accounts synced, %d skipped, %d steps failed, %d left for later\n",
		r.Connections, r.Renewed, r.Synced, r.Skipped, r.Failed, r.Left)
	return err
}
