package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
)

func (p *program) scanCommand() *cobra.Command {
	return &cobra.Command{
		Use: "scan", Short: "Renew credentials and sync the statistics of every connected company, once", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withStore(cmd.Context(), func(ctx context.Context, cfg config, s *store.Store) error {
				a, err := newApp(cfg, s, p.logger(slog.LevelWarn), nil)
				if err != nil {
					return err
				}
				result, err := a.scan.Run(ctx, p.showScan)
				if err != nil {
					return err
				}
				return p.printScan(result)
			})
		},
	}
}

// showScan tells a person at a terminal how far the scan is.
func (p *program) showScan(progress directory.ScanProgress) {
	screen, ok := terminal(p.stderr)
	if !ok {
		return
	}
	state := "done"
	if progress.Failed {
		state = "failed, see the log"
	}
	fmt.Fprintf(screen, "%d/%d company %d: %s\n", progress.Done, progress.Total, progress.CompanyID, state)
}

func (p *program) printScan(r directory.ScanResult) error {
	if !r.Ran {
		return errors.New("another process is scanning")
	}
	_, err := fmt.Fprintf(p.stdout, "%d companies: %d credentials renewed, %d accounts synced, %d skipped, %d failed\n",
		r.Companies, r.Renewed, r.Synced, r.Skipped, r.Failed)
	return err
}
