package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/internal/kit/cli"
)

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
