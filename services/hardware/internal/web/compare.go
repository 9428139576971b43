package web

import (
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/fault"
)

// maxCompared is how many parts stand side by side at most.
const maxCompared = 4

// maxListed bounds the parts in the address of a comparison.
const maxListed = 12

type compareView struct {
	Title string
	origin
	Parts   []comparedPart
	Surplus []partRef // that there is no room for
	Unknown []partRef // that the ranking does not have
	Dropped int       // further parts in the address
	Priced  int       // parts with a known price
	Pending int       // parts whose price is looked up
	Asked   bool      // with this request already
	Prices  string    // address of the prices alone, for the script
	Wait    string    // address of this page that looks them up, for browsers without scripts
	Ranking string    // address of the ranking
}

// Fault is why a price is not known, nil if there is no such reason.
func (v compareView) Fault() *fault.Error {
	for _, part := range v.Parts {
		if part.Fault != nil {
			return part.Fault
		}
	}
	return nil
}

// Retry is how long a page without scripts waits until it is loaded again; zero if it is not.
func (v compareView) Retry() time.Duration { return retryAfter(v.Fault()) }

// comparedPart is a column.
type comparedPart struct {
	partLink
	prices.Quote
	Number            int
	Remove            string // address of the comparison without it
	Fastest, BestBuy  bool
	Cheapest          bool // without delivery
	CheapestDelivered bool
}

// Waits reports whether the price is to be looked up.
func (p comparedPart) Waits() bool { return p.Query.Text != "" && p.IsPending() }

// partRef is a part in the address that is not shown.
type partRef struct{ Name, Remove string }

// comparison is what the address of a comparison says.
type comparison struct {
	basket basket
	family catalog.Family
	kind   kind
	names  []string
	more   int // names beyond maxListed
}

// address is path with the parts, except the one of a name.
func (c comparison) address(path, except string, pairs ...string) string {
	pairs = append(pairs, "rodzina", string(c.family))
	for _, name := range c.names {
		if name != except {
			pairs = append(pairs, "czesc", name)
		}
	}
	return address(path, c.basket, pairs...)
}

// compare answers GET /kreator/porownaj?rodzina=&czesc=&czesc=: parts of one ranking side
// by side. Prices that are not known are looked up only with czekaj=1: machines that follow
// links must not do so.
func (p *Pages) compare(c echo.Context) error {
	view, err := p.comparison(c, c.QueryParam("czekaj") != "")
	if err != nil {
		return err
	}
	return p.show(c, "compare", "Porównanie: "+view.Title, view)
}

// comparePrices answers GET /kreator/porownaj/ceny with the parts of a comparison that
// change while its prices are looked up.
func (p *Pages) comparePrices(c echo.Context) error {
	view, err := p.comparison(c, true)
	if err != nil {
		return err
	}
	return p.site.WriteFragment(c.Response(), c.Request(), http.StatusOK, "compare", "prices", view)
}

// comparison puts the parts of an address next to each other. With ask, prices that are not known
// are looked up.
func (p *Pages) comparison(c echo.Context, ask bool) (compareView, error) {
	asked, err := parseComparison(c)
	if err != nil {
		return compareView{}, err
	}
	answer, _, err := p.Rankings.Get(c.Request().Context(), asked.family)
	if err != nil {
		return compareView{}, err
	}
	view := compareView{
		Title: familyName(asked.family), origin: p.originOf(answer),
		Prices: asked.address(comparePricesPath, ""), Wait: asked.address(comparePath, "", "czekaj", "1"),
		Ranking: address(rankingPath+string(asked.family), asked.basket), Dropped: asked.more, Asked: ask,
	}
	var queries []catalog.Query
	for _, name := range asked.names {
		ref := partRef{name, asked.address(comparePath, name)}
		switch row, ok := findRow(answer.Value.Rows, name); {
		case !ok:
			view.Unknown = append(view.Unknown, ref)
		case len(view.Parts) == maxCompared:
			view.Surplus = append(view.Surplus, ref)
		default:
			m := model{Row: row}
			if q, err := catalog.ParseQuery(m.SearchName(), asked.kind.Category); err == nil {
				m.Query, queries = q, append(queries, q)
			}
			part := comparedPart{partLink: newPartLink(asked.basket, asked.kind, m, name), Number: len(view.Parts) + 1,
				Remove: ref.Remove}
			view.Parts = append(view.Parts, part)
		}
	}
	if ask {
		view.setPrices(p.ask(c, queries))
	} else {
		view.setPrices(p.known(queries))
	}
	view.mark()
	return view, nil
}

// ask looks prices up for the client of a request.
func (p *Pages) ask(c echo.Context, queries []catalog.Query) []prices.Quote {
	quotes := p.Quotes.Ask(c.Request().Context(), p.callerOf(c.Request()), queries)
	for i := range quotes {
		quotes[i].Fault = retried(quotes[i].Fault)
	}
	return quotes
}

// known are the prices that are known without a look-up.
func (p *Pages) known(queries []catalog.Query) []prices.Quote {
	quotes := make([]prices.Quote, len(queries))
	for i, q := range queries {
		quotes[i].Answer, _ = p.Prices.Known(q)
	}
	return quotes
}

// setPrices takes over the quotes for the parts that can be asked for.
func (v *compareView) setPrices(quotes []prices.Quote) {
	for i := range v.Parts {
		part := &v.Parts[i]
		if part.Query.Text == "" {
			continue
		}
		part.Quote, quotes = quotes[0], quotes[1:]
		if part.Answer != nil {
			part.setOffers(part.Answer.Value)
		}
		if part.Waits() {
			v.Pending++
		}
	}
}

// parseComparison reads which parts an address compares, each once.
func parseComparison(c echo.Context) (comparison, error) {
	f, err := parseFamily(c.QueryParam("rodzina"))
	if err != nil {
		return comparison{}, err
	}
	asked := comparison{basket: parseBasket(c.QueryParams()), family: f, kind: kindOf(f)}
	for _, name := range c.QueryParams()["czesc"] {
		q, err := catalog.ParseQuery(name, asked.kind.Category)
		switch {
		case err != nil || slices.Contains(asked.names, q.Text):
		case len(asked.names) == maxListed:
			asked.more++
		default:
			asked.names = append(asked.names, q.Text)
		}
	}
	return asked, nil
}

// mark says which part is the best at what, when there is another one to compare with. Prices
// are compared if all of them are known, but for a delivery that cannot make a part the cheapest.
// What has to be ordered first is not the cheapest.
func (v *compareView) mark() {
	several := len(v.Parts) > 1
	var points, bargain, price, delivered float64
	priced := several
	for _, part := range v.Parts {
		points = max(points, part.Benchmark)
		if part.Price > 0 {
			v.Priced++
		}
		priced = priced && part.Price > 0 && !part.Partial
		if part.Available > 0 {
			price = lower(price, part.Available)
			bargain = max(bargain, part.Benchmark/part.Available)
		}
	}
	for _, part := range v.Parts {
		if part.Delivered > 0 {
			delivered = lower(delivered, part.Delivered)
		}
	}
	shipped := !slices.ContainsFunc(v.Parts, func(part comparedPart) bool {
		return part.Delivered == 0 && part.Available > 0 && part.Available < delivered
	})
	for i := range v.Parts {
		part := &v.Parts[i]
		part.Fastest = several && part.Benchmark == points
		part.CheapestDelivered = priced && shipped && part.Delivered > 0 && part.Delivered == delivered
		if priced && !part.OnOrder {
			part.Cheapest, part.BestBuy = part.Price == price, part.perZloty() == bargain
		}
	}
}

// lower is the lower one of two prices, of which a is zero before there is one.
func lower(a, b float64) float64 {
	if a == 0 {
		return b
	}
	return min(a, b)
}
