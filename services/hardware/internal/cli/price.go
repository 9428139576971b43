package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/httpapi"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
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
