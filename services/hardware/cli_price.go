package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/httpapi"
	"backend.example/services/hardware/internal/prices"
)

func (p *program) priceCommand() *cobra.Command {
	var category string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "price QUERY…", Short: "Print the five cheapest offers of a product, or the cheapest of up to 20 products",
		Args:    cobra.RangeArgs(1, prices.MaxQuotes),
		Example: "  hardware price \"rtx 4070 super\" --category gpu\n  hardware price \"ryzen 7 7800x3d\" \"rtx 4070 super\" \"zasilacz 750w\"",
		RunE: func(cmd *cobra.Command, args []string) error {
			queries, err := parseQueries(args, category)
			if err != nil {
				return err
			}
			if len(queries) > 1 {
				return p.lookUp(cmd.Context(), nil, func(ctx context.Context, a *app) error { return p.printQuotes(ctx, a, queries, asJSON) })
			}
			return p.lookUp(cmd.Context(), p.showWait, func(ctx context.Context, a *app) error { return p.printPrice(ctx, a, queries[0], asJSON) })
		},
	}
	cmd.Flags().StringVar(&category, "category", "", "cpu, gpu, ram, storage, motherboard, psu, cooling or case")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the answer of the API")
	return cmd
}

func parseQueries(args []string, category string) ([]catalog.Query, error) {
	hint, err := catalog.ParseCategory(category)
	if err != nil {
		return nil, fmt.Errorf("--category %q is none of %v", category, catalog.Categories())
	}
	queries := make([]catalog.Query, len(args))
	for i, arg := range args {
		if queries[i], err = catalog.ParseQuery(arg, hint); err != nil {
			return nil, fmt.Errorf("%q: a query has %d to %d characters, with a letter or a digit: %w", arg, catalog.MinQueryLength, catalog.MaxQueryLength, err)
		}
	}
	return queries, nil
}

func (p *program) printPrice(ctx context.Context, a *app, q catalog.Query, asJSON bool) error {
	answer, _, err := a.prices.Get(ctx, q)
	if err != nil {
		return err
	}
	if asJSON {
		return p.printJSON(httpapi.PriceJSON(answer, q.Text))
	}
	return printOffers(p.stdout, answer.Value)
}

func printOffers(out io.Writer, price prices.Price) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if price.ProductName == "" {
		fmt.Fprintf(w, "%s\n%s\n", price.Note, price.ProductURL)
		return w.Flush()
	}
	fmt.Fprintf(w, "%s\n%s\n%d offers, read at %s\n\nPRICE (PLN)\tSHOP\tADDRESS\n",
		price.ProductName, price.ProductURL, price.OfferCount, httpapi.ScrapedAt(price.ScrapedAt))
	for _, o := range price.Offers {
		fmt.Fprintf(w, "%.2f\t%s\t%s\n", o.Price, o.StoreLabel, o.URL)
	}
	return w.Flush()
}

// askAgainAfter is how often the command line asks how far several look-ups are.
const askAgainAfter = 250 * time.Millisecond

// printQuotes looks several products up. Those that failed are an error at the end.
func (p *program) printQuotes(ctx context.Context, a *app, queries []catalog.Query, asJSON bool) error {
	quotes, err := p.awaitQuotes(ctx, a, queries)
	if err != nil {
		return err
	}
	if asJSON {
		err = p.printJSON(httpapi.QuotesJSON(queries, quotes))
	} else {
		err = printQuoteTable(p.stdout, queries, quotes)
	}
	failed := 0
	for _, quote := range quotes {
		if quote.Fault != nil {
			failed++
		}
	}
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %d products could not be looked up", failed, len(quotes))
	}
	return err
}

func (p *program) awaitQuotes(ctx context.Context, a *app, queries []catalog.Query) ([]prices.Quote, error) {
	for shown := -1; ; {
		quotes, open := a.quotes.Ask(ctx, queries), 0
		for _, quote := range quotes {
			if quote.IsPending() {
				open++
			}
		}
		if open == 0 {
			return quotes, nil
		}
		if shown != open && p.atTerminal() {
			fmt.Fprintf(p.stderr, "%d of %d products looked up…\n", len(quotes)-open, len(quotes))
		}
		shown = open
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(askAgainAfter):
		}
	}
}

func printQuoteTable(out io.Writer, queries []catalog.Query, quotes []prices.Quote) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "QUERY\tPRICE (PLN)\tSHOP\tPRODUCT")
	sum, known := 0.0, 0
	for i, quote := range quotes {
		switch {
		case quote.Fault != nil:
			fmt.Fprintf(w, "%s\t-\t-\t%s\n", queries[i].Text, quote.Fault.Code)
		case len(quote.Answer.Value.Offers) == 0:
			fmt.Fprintf(w, "%s\t-\t-\t%s\n", queries[i].Text, cmp.Or(quote.Answer.Value.ProductName, "nothing matched"))
		default:
			lowest := quote.Answer.Value.Lowest()
			sum, known = sum+lowest.Price, known+1
			fmt.Fprintf(w, "%s\t%.2f\t%s\t%s\n", queries[i].Text, lowest.Price, lowest.StoreLabel, quote.Answer.Value.ProductName)
		}
	}
	fmt.Fprintf(w, "\nsum of %d of %d prices\t%.2f\n", known, len(quotes), sum)
	return w.Flush()
}
