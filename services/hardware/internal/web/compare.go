package web

import (
	"slices"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
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
	Ranking string    // address of the ranking
	Basket  basketView
}

// comparedPart is a column.
type comparedPart struct {
	partLink
	Remove                     string // address of the comparison without it
	Fastest, Cheapest, BestBuy bool
}

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

// without is the address of the comparison without a part.
func (c comparison) without(name string) string {
	pairs := []string{"rodzina", string(c.family)}
	for _, other := range c.names {
		if other != name {
			pairs = append(pairs, "czesc", other)
		}
	}
	return address(comparePath, c.basket, pairs...)
}

// compare answers GET /kreator/porownaj?rodzina=&czesc=&czesc=: parts of one ranking side
// by side, with the prices that are known.
func (p *Pages) compare(c echo.Context) error {
	asked, err := parseComparison(c)
	if err != nil {
		return err
	}
	answer, _, err := p.Ranking(c.Request().Context(), asked.family)
	if err != nil {
		return err
	}
	view := compareView{
		Title: familyName(asked.family), origin: originOf(answer), Basket: asked.basket.view(),
		Ranking: address(rankingPath+string(asked.family), asked.basket), Dropped: asked.more,
	}
	for _, name := range asked.names {
		ref := partRef{name, asked.without(name)}
		switch row, ok := findRow(answer.Value.Rows, name); {
		case !ok:
			view.Unknown = append(view.Unknown, ref)
		case len(view.Parts) == maxCompared:
			view.Surplus = append(view.Surplus, ref)
		default:
			m := model{Row: row}
			p.setPrice(&m, asked.kind)
			link := newPartLink(asked.basket, asked.kind, m, name)
			view.Parts = append(view.Parts, comparedPart{partLink: link, Remove: ref.Remove})
		}
	}
	view.mark()
	return p.show(c, "compare", "Porównanie: "+view.Title, view)
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

// mark says which part is the best at what, when there is another one to compare with.
func (v *compareView) mark() {
	var points, price, bargain float64
	for _, part := range v.Parts {
		points, bargain = max(points, part.Benchmark), max(bargain, part.perZloty())
		if part.Price > 0 {
			v.Priced++
			if price == 0 || part.Price < price {
				price = part.Price
			}
		}
	}
	for i := range v.Parts {
		part := &v.Parts[i]
		part.Fastest = len(v.Parts) > 1 && part.Benchmark == points
		part.Cheapest = v.Priced > 1 && part.Price == price
		part.BestBuy = v.Priced > 1 && part.perZloty() == bargain
	}
}
