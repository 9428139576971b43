package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/httpapi"
	"backend.example/services/hardware/internal/rankings"
)

func (p *program) benchmarkCommand() *cobra.Command {
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use: "benchmark FAMILY", Short: "Print the ranking of a family: cpu, gpu, ssd, hdd, ram, usb", Args: cobra.ExactArgs(1),
		Example: "  hardware benchmark gpu --limit 10",
		RunE: func(cmd *cobra.Command, args []string) error {
			family, err := catalog.ParseFamily(args[0])
			if err != nil {
				return fmt.Errorf("%q is none of %v", args[0], catalog.Families())
			}
			if limit < 1 {
				return errors.New("--limit must be at least 1")
			}
			return p.lookUp(cmd.Context(), p.showWait, func(ctx context.Context, a *app) error {
				answer, _, err := a.rankings.Get(ctx, family)
				if err != nil {
					return err
				}
				limit := min(limit, rankings.MaxLimit)
				if asJSON {
					return p.printJSON(httpapi.RankingJSON(answer, family, limit))
				}
				return printRanking(p.stdout, answer.Value, limit)
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "number of rows, at most 500")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the answer of the API")
	return cmd
}

// lookUp runs look-ups with the service's own settings: with HARDWARE_REDIS_URL they
// share the cache and the throttle of the running replicas. waiting is told how long
// they wait for their turn, and may be nil.
func (p *program) lookUp(ctx context.Context, waiting func(time.Duration), ask func(context.Context, *app) error) error {
	cfg, err := loadConfig(p.environ)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	a, err := newApp(cfg, log, nil, waiting)
	if err != nil {
		return err
	}
	defer a.close()
	return ask(ctx, a)
}

// showWait tells a person at a terminal why nothing happens yet.
func (p *program) showWait(d time.Duration) {
	if d > 0 && p.atTerminal() {
		fmt.Fprintf(p.stderr, "waiting %s for our turn at the source…\n", d.Round(100*time.Millisecond))
	}
}

// atTerminal reports whether a person sees what is written to stderr.
func (p *program) atTerminal() bool {
	file, ok := p.stderr.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (p *program) printJSON(body []byte, err error) error {
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s\n", body)
	return err
}

func printRanking(out io.Writer, ranking rankings.Ranking, limit int) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RANK\tBRAND\tMODEL\tPART NUMBER\tBENCHMARK\tSAMPLES")
	for _, r := range ranking.Rows[:min(limit, len(ranking.Rows))] {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%g\t%d\n", r.Rank, r.Brand, r.Model, r.PartNumber, r.Benchmark, r.Samples)
	}
	fmt.Fprintf(w, "\nsource: %s\n", ranking.Source)
	return w.Flush()
}
