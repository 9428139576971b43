// Package cli contains the commands of the hardware service.
package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/httpapi"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/fault"
)

// Program is what the commands need from the process and from package app.
type Program struct {
	cli.Program
	// Open returns look-ups with the settings of the service, and the function that closes them.
	Open func() (l Lookups, done func(), err error)
}

// Lookups are the operations of the commands.
type Lookups struct {
	Rankings *rankings.Rankings
	Prices   *prices.Prices
	Quotes   *prices.Quotes
	Shared   bool // with the running replicas, through Redis
}

// Run executes one command line.
func (p *Program) Run(ctx context.Context, args []string) error {
	return p.Execute(ctx, p.Root(), args)
}

// Root returns the root command with all others below it.
func (p *Program) Root() *cobra.Command {
	root := p.NewRoot("hardware", "Benchmark rankings and shop offers of PC components",
		"With --json a command prints one JSON document: the answer of the API.")
	root.AddCommand(p.benchmarkCommand(), p.priceCommand(), p.quoteCommand(), p.forgetCommand())
	cli.Prepare(root, p.Build)
	return root
}

func (p *Program) benchmarkCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "benchmark FAMILY", Short: "Print the ranking of a family: cpu, gpu, ssd, hdd, ram, usb",
		Example:           "  hardware benchmark gpu --limit 10",
		ValidArgsFunction: cli.First(catalog.Families()...),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := cli.Choose("family", args[0], catalog.Families())
			if err != nil {
				return err
			}
			if limit < 1 {
				return cli.Usagef("--limit %d: want 1 to %d", limit, rankings.MaxLimit)
			}
			return p.lookUp(cmd.Context(), func(ctx context.Context, l Lookups) error {
				return p.printRanking(ctx, l, catalog.Family(name), min(limit, rankings.MaxLimit))
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 20, fmt.Sprintf("number of rows, at most %d", rankings.MaxLimit))
	return p.Out.JSONFlag(cmd)
}

func (p *Program) printRanking(ctx context.Context, l Lookups, family catalog.Family, limit int) error {
	answer, _, err := l.Rankings.Get(ctx, family)
	if err != nil {
		return explain(err)
	}
	if p.Out.JSON {
		return p.printDocument(httpapi.RankingJSON(answer, family, limit))
	}
	ranking := answer.Value
	var rows [][]any
	for _, r := range ranking.Rows[:min(limit, len(ranking.Rows))] {
		rows = append(rows, []any{r.Rank, r.Brand, cli.Link{Text: r.Model, URL: r.URL}, r.PartNumber, r.Benchmark,
			r.Samples})
	}
	if err := p.Out.Table([]string{"RANK", "BRAND", "MODEL", "PART NUMBER", "BENCHMARK", "SAMPLES"}, rows); err != nil {
		return err
	}
	return p.Out.Printf("\nsource: %s\n", ranking.Source)
}

func (p *Program) printDocument(document []byte, err error) error {
	if err != nil {
		return err
	}
	return p.Out.Document(document)
}

// lookUp uses the settings of the service: with HARDWARE_REDIS_URL, look-ups share the cache and the pace of the
// running replicas.
func (p *Program) lookUp(ctx context.Context, run func(context.Context, Lookups) error) error {
	l, done, err := p.Open()
	if err != nil {
		return err
	}
	defer done()
	return run(ctx, l)
}

// explain adds the hint of a fault, whose own text is Polish.
func explain(err error) error {
	advice := fault.From(err).Advice()
	if advice == "" {
		return err
	}
	return fmt.Errorf("%s: %w", advice, err)
}

func (p *Program) forgetCommand() *cobra.Command {
	var category string
	cmd := &cobra.Command{
		Use: "forget QUERY…", Short: "Forget which product a query means, and its prices, in all replicas",
		Long: "Forget which product a query means, and its prices, in all replicas. The next such query searches " +
			"again.\n\n" +
			"Without --category it is forgotten in every category. It needs HARDWARE_REDIS_URL.",
		Example:           "  hardware forget wd blue 1tb --category storage",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := parseQuery(strings.Join(args, " "), category)
			if err != nil {
				return err
			}
			return p.lookUp(cmd.Context(), func(ctx context.Context, l Lookups) error { return p.forget(ctx, l, q) })
		},
	}
	cli.ChoiceVar(cmd, &category, "category", catalog.Categories(), "kind of product")
	return cmd
}

var errNotShared = errors.New("without HARDWARE_REDIS_URL each process keeps its own answers: " +
	"restart the service to forget them")

func (p *Program) forget(ctx context.Context, l Lookups, q catalog.Query) error {
	if !l.Shared {
		return errNotShared
	}
	categories := []string{string(q.Category)}
	if q.Category == "" {
		categories = slices.Concat(categories, catalog.Categories())
	}
	found := false
	for _, category := range categories {
		forgotten, err := l.Prices.Forget(ctx, catalog.Query{Text: q.Text, Category: catalog.Category(category)})
		if err != nil {
			return err
		}
		found = found || forgotten
	}
	if !found {
		return cli.NotFoundf("nothing is kept for %q", q.Text)
	}
	return p.Out.Printf("forgotten: %s\n", cli.Printable(q.Text))
}
