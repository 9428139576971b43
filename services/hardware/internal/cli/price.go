package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/httpapi"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/purchase"
	"backend.example/services/internal/kit/cli"
)

func (p *Program) priceCommand() *cobra.Command {
	var category string
	cmd := &cobra.Command{
		Use: "price QUERY…", Short: "Print the five cheapest offers of a product",
		Long:              "Print the five cheapest offers of a product, which the words of QUERY name.",
		Example:           "  hardware price rtx 4070 super --category gpu",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := parseQuery(strings.Join(args, " "), category)
			if err != nil {
				return err
			}
			return p.lookUp(cmd.Context(), func(ctx context.Context, l Lookups) error {
				return p.printPrice(ctx, l, q)
			})
		},
	}
	cli.ChoiceVar(cmd, &category, "category", catalog.Categories(), "kind of product")
	return p.Out.JSONFlag(cmd)
}

func parseQuery(text, category string) (catalog.Query, error) {
	q, err := catalog.ParseQuery(text, catalog.Category(category))
	if err != nil {
		return q, cli.Usagef("%q: a query has at least %d characters, and none that is not seen",
			text, catalog.MinQueryLength)
	}
	return q, nil
}

const showEvery = 250 * time.Millisecond

func (p *Program) printPrice(ctx context.Context, l Lookups, q catalog.Query) error {
	done := make(chan struct{})
	go p.showWait(l, q, done)
	answer, _, err := l.Prices.Get(ctx, lookup.Caller{}, q)
	close(done)
	if err != nil {
		return explain(err)
	}
	price := answer.Value
	switch {
	case p.Out.JSON:
		err = p.printDocument(httpapi.PriceJSON(answer, q.Text))
	case price.ProductName != "":
		err = p.printOffers(price)
	}
	if err != nil {
		return err
	}
	if price.ProductName == "" {
		return cli.NotFoundf("nothing matched %q; try the maker and the model, or look at %s", q.Text, price.ProductURL)
	}
	return nil
}

// showWait shows the wait for a slot until done is closed.
func (p *Program) showWait(l Lookups, q catalog.Query, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-time.After(showEvery):
		}
		if wait := l.Prices.Place(q).Wait.Round(100 * time.Millisecond); wait > 0 {
			p.Progress.Show("waiting %s for our turn at the source…", wait)
		}
	}
}

func (p *Program) printOffers(price prices.Price) error {
	err := p.Out.Printf("%s\n%s\n%d offers, read at %s\n\n", cli.Printable(price.ProductName),
		p.Out.Link(cli.Link{URL: price.ProductURL}), price.OfferCount, cli.Time(price.ScrapedAt))
	if err != nil {
		return err
	}
	var rows [][]any
	for _, o := range price.Offers {
		rows = append(rows, []any{cli.Amount(o.Price), withDelivery(o), o.StoreLabel, cli.Link{URL: o.URL}})
	}
	return p.Out.Table([]string{"PRICE (PLN)", "WITH DELIVERY", "SHOP", "ADDRESS"}, rows)
}

func withDelivery(o prices.Offer) any {
	if o.PriceWithDelivery == 0 {
		return nil
	}
	return cli.Amount(o.PriceWithDelivery)
}

func (p *Program) quoteCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "quote [PART…]",
		Short: "Print what a build costs: each part where it is cheapest, and the shops that have most of it",
		Long: "Print what a build costs: each part where it is cheapest, and the shops that have most of it.\n\n" +
			"A PART is the name of a product, behind its category and a colon where that helps; " +
			fmt.Sprintf("%d are the most.\n", prices.MaxQuotes) +
			"A file has one on each line; empty lines, and those that begin with #, do not count.",
		Example: "  hardware quote 'cpu: ryzen 7 7800x3d' 'gpu: rtx 4070 super' 'zasilacz 750w'\n" +
			"  hardware quote --file build.txt --json",
		RunE: func(cmd *cobra.Command, parts []string) error {
			if file != "" {
				lines, err := p.readParts(file)
				if err != nil {
					return err
				}
				parts = append(parts, lines...)
			}
			queries, err := parseParts(parts)
			if err != nil {
				return err
			}
			return p.lookUp(cmd.Context(), func(ctx context.Context, l Lookups) error {
				return p.printQuotes(ctx, l, queries)
			})
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) (words []string, _ cobra.ShellCompDirective) {
			for _, category := range catalog.Categories() {
				words = append(words, category+": ")
			}
			return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "read parts from a file; - is the standard input")
	return p.Out.JSONFlag(cmd)
}

// maxPartsFile is in bytes.
const maxPartsFile = 64 << 10

func (p *Program) readParts(name string) (parts []string, err error) {
	in := p.Stdin
	if name != "-" {
		file, err := os.Open(name) // #nosec G304 -- the operator names it
		if err != nil {
			return nil, fmt.Errorf("--file: %w", err)
		}
		defer file.Close()
		in = file
	}
	lines := bufio.NewScanner(io.LimitReader(in, maxPartsFile))
	for lines.Scan() {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line != "" && !strings.HasPrefix(line, "#") {
			parts = append(parts, line)
		}
	}
	return parts, lines.Err()
}

func parseParts(parts []string) ([]catalog.Query, error) {
	if n := len(parts); n < 1 || n > prices.MaxQuotes {
		return nil, cli.Usagef("%d parts: want 1 to %d, as arguments or with --file", n, prices.MaxQuotes)
	}
	queries := make([]catalog.Query, len(parts))
	for i, part := range parts {
		before, after, colon := strings.Cut(part, ":")
		category, err := cli.Choose("category", strings.TrimSpace(before), catalog.Categories())
		if !colon || err != nil { // a colon of the name
			category, after = "", part
		}
		if queries[i], err = parseQuery(after, category); err != nil {
			return nil, err
		}
	}
	return queries, nil
}

// printQuotes returns an error if some products were not looked up or found.
func (p *Program) printQuotes(ctx context.Context, l Lookups, queries []catalog.Query) error {
	quotes, err := p.awaitQuotes(ctx, l, queries)
	if err != nil {
		return err
	}
	compared := purchase.Compare(quotes)
	if p.Out.JSON {
		err = p.printDocument(httpapi.ComparisonJSON(queries, quotes, compared))
	} else {
		err = errors.Join(p.printParts(queries, quotes), p.printComparison(compared))
	}
	failed := 0
	for _, quote := range quotes {
		if quote.Fault != nil {
			failed++
		}
	}
	switch {
	case err != nil:
		return err
	case failed > 0:
		return fmt.Errorf("%s parts could not be looked up; try again later", countOf(failed, len(quotes)))
	case compared.Split.Count < len(quotes):
		missing := countOf(len(quotes)-compared.Split.Count, len(quotes))
		return cli.NotFoundf("%s parts have no offer; try the maker and the model", missing)
	}
	return nil
}

const askAgainAfter = 250 * time.Millisecond

func (p *Program) awaitQuotes(ctx context.Context, l Lookups, queries []catalog.Query) ([]prices.Quote, error) {
	for {
		quotes, open := l.Quotes.Ask(ctx, lookup.Caller{}, queries), 0
		for _, quote := range quotes {
			if quote.IsPending() {
				open++
			}
		}
		if open == 0 {
			return quotes, nil
		}
		p.Progress.Show("%s parts looked up…", countOf(len(quotes)-open, len(quotes)))
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(askAgainAfter):
		}
	}
}

func (p *Program) printParts(queries []catalog.Query, quotes []prices.Quote) error {
	var rows [][]any
	for i, quote := range quotes {
		row := []any{queries[i].Text, nil, nil}
		switch {
		case quote.Fault != nil:
			row = append(row, cmp.Or(quote.Fault.Hint, quote.Fault.Code))
		case len(quote.Answer.Value.Offers) == 0:
			row = append(row, cmp.Or(quote.Answer.Value.ProductName, "nothing matched"))
		default:
			price := quote.Answer.Value
			lowest := price.Lowest()
			row = []any{
				queries[i].Text, cli.Amount(lowest.Price), cli.Link{Text: lowest.StoreLabel, URL: lowest.URL},
				cli.Link{Text: price.ProductName, URL: price.ProductURL},
			}
		}
		rows = append(rows, row)
	}
	return p.Out.Table([]string{"PART", "PRICE (PLN)", "SHOP", "PRODUCT"}, rows)
}

const maxShops = 5

func (p *Program) printComparison(c purchase.Comparison) error {
	all := len(c.Split.Offers)
	cheapest := fmt.Sprintf("(the cheapest of %d)", c.Split.Stores())
	rows := [][]any{{cheapest, countOf(c.Split.Count, all), cli.Amount(c.Split.Sum)}}
	for _, shop := range c.Shops[:min(maxShops, len(c.Shops))] {
		rows = append(rows, []any{shop.StoreLabel, countOf(shop.Count, all), cli.Amount(shop.Sum)})
	}
	if err := p.Out.Printf("\n"); err != nil {
		return err
	}
	return p.Out.Table([]string{"FROM", "PARTS", "SUM (PLN)"}, rows)
}

func countOf(n, all int) string { return fmt.Sprintf("%d of %d", n, all) }
