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

const maxCompared = 4

// maxListed limits the parts in an address.
const maxListed = 12

type compareView struct {
	Title string
	origin
	Parts   []comparedPart
	Surplus []partRef // beyond maxCompared
	Unknown []partRef // not in the ranking
	Dropped int       // beyond maxListed
	Priced  int       // parts with a price
	Pending int
	Asked   bool
	Prices  string // for the script
	Wait    string // for browsers without scripts
	Ranking string
}

// Fault returns why a price is unknown, or nil.
func (v compareView) Fault() *fault.Error {
	for _, part := range v.Parts {
		if part.Fault != nil {
			return part.Fault
		}
	}
	return nil
}

// Retry returns when a page without scripts reloads, or 0.
func (v compareView) Retry() time.Duration { return retryAfter(v.Fault()) }

type comparedPart struct {
	partLink
	prices.Quote
	Number            int
	Remove            string
	Fastest, BestBuy  bool
	Cheapest          bool
	CheapestDelivered bool
}

// Waits reports whether the price is looked up.
func (p comparedPart) Waits() bool { return p.Query.Text != "" && p.IsPending() }

type partRef struct{ Name, Remove string }

type comparison struct {
	basket basket
	family catalog.Family
	kind   kind
	names  []string
	more   int // beyond maxListed
}

// address leaves out the part called except.
func (c comparison) address(path, except string, pairs ...string) string {
	pairs = append(pairs, "rodzina", string(c.family))
	for _, name := range c.names {
		if name != except {
			pairs = append(pairs, "czesc", name)
		}
	}
	return address(path, c.basket, pairs...)
}

// compare answers GET /kreator/porownaj?rodzina=&czesc=&czesc=. Unknown prices are looked up only with czekaj=1:
// crawlers must not cause look-ups.
func (p *Pages) compare(c echo.Context) error {
	view, err := p.comparison(c, c.QueryParam("czekaj") != "")
	if err != nil {
		return err
	}
	return p.show(c, "compare", "Porównanie: "+view.Title, view)
}

// comparePrices answers GET /kreator/porownaj/ceny with the part of the page that changes during look-ups.
func (p *Pages) comparePrices(c echo.Context) error {
	view, err := p.comparison(c, true)
	if err != nil {
		return err
	}
	return p.site.WriteFragment(c.Response(), c.Request(), http.StatusOK, "compare", "prices", view)
}

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

func (p *Pages) ask(c echo.Context, queries []catalog.Query) []prices.Quote {
	quotes := p.Quotes.Ask(c.Request().Context(), p.callerOf(c.Request()), queries)
	for i := range quotes {
		quotes[i].Fault = retried(quotes[i].Fault)
	}
	return quotes
}

func (p *Pages) known(queries []catalog.Query) []prices.Quote {
	quotes := make([]prices.Quote, len(queries))
	for i, q := range queries {
		quotes[i].Answer, _ = p.Prices.Known(q)
	}
	return quotes
}

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

// mark needs all prices, except for a delivery that cannot make a part the cheapest. What has to be ordered first
// is not the cheapest.
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

// lower treats 0 as no price.
func lower(a, b float64) float64 {
	if a == 0 {
		return b
	}
	return min(a, b)
}
