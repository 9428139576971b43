package pages

import (
	"math"
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/prices"
)

type buildView struct {
	Items   []buildItem
	Missing []kindLink // kinds that the build has nothing of
	Sum     float64    // of the lowest prices that are known
	Known   int        // parts with a known price
	Pending int        // parts whose offers are on their way
	Asked   bool       // they are being looked up
	Prices  string     // address of the prices alone, for the script
	Wait    string     // address of this page that looks them up, for browsers without scripts
	Start   string
}

// buildItem is a part and what is known of its price.
type buildItem struct {
	item
	Number       int
	Href, Remove string
	Offers       offersView
	prices.Quote
}

type kindLink struct {
	kind
	Href string
}

// build answers GET /kreator/zestaw: the parts of the address with their lowest
// prices and the sum. Only with czekaj=1 are the others looked up: machines that follow
// links must not do so.
func (p *Pages) build(c echo.Context) error {
	b, asked := parseBasket(c.QueryParams()), c.QueryParam("czekaj") != ""
	if asked {
		return p.show(c, "build", "Twój zestaw", newBuild(b, p.Quotes(p.Asking(c.Request()), b.queries()), asked))
	}
	known := make([]prices.Quote, len(b))
	for i, part := range b {
		if answer, ok := p.KeptPrice(part.Query); ok {
			known[i].Answer = answer
		}
	}
	return p.show(c, "build", "Twój zestaw", newBuild(b, known, asked))
}

// buildPrices answers GET /kreator/ceny with the parts of a build's page that change
// while its prices are looked up.
func (p *Pages) buildPrices(c echo.Context) error {
	b := parseBasket(c.QueryParams())
	view := newBuild(b, p.Quotes(p.Asking(c.Request()), b.queries()), true)
	return p.site.WriteFragment(c.Response(), c.Request(), http.StatusOK, "build", "prices", view)
}

func (b basket) queries() []catalog.Query {
	queries := make([]catalog.Query, len(b))
	for i, part := range b {
		queries[i] = part.Query
	}
	return queries
}

func newBuild(b basket, quotes []prices.Quote, asked bool) buildView {
	view := buildView{
		Missing: missing(b), Asked: asked,
		Start: address(startPath, b), Prices: address(pricesPath, b), Wait: address(buildPath, b, "czekaj", "1"),
	}
	for i, part := range b {
		added := buildItem{
			item: part, Number: i + 1, Quote: quotes[i], Remove: address(buildPath, b.without(i)),
			Href: partAddress(b, part.Kind, part.Query.Text),
		}
		if added.Answer != nil {
			added.Offers = found(added.Answer.Value, 0)
		}
		view.Items = append(view.Items, added)
	}
	view.add()
	return view
}

// add sums up the lowest prices.
func (v *buildView) add() {
	for _, i := range v.Items {
		switch {
		case i.IsPending():
			v.Pending++
		case len(i.Offers.Offers) > 0:
			v.Sum, v.Known = v.Sum+i.Offers.Lowest().Price, v.Known+1
		}
	}
	v.Sum = math.Round(v.Sum*100) / 100
}

// missing leads to where a part of each kind that b lacks is chosen.
func missing(b basket) (links []kindLink) {
	has := map[string]bool{"usb": true} // a computer runs without one
	for _, i := range b {
		has[i.Kind.Key] = true
	}
	for _, k := range kinds() {
		if has[k.Key] {
			continue
		}
		href := address(startPath, b) + "#bez-rankingu"
		if len(k.Families) > 0 {
			href = address(rankingPath+string(k.Families[0]), b)
		}
		links = append(links, kindLink{k, href})
	}
	return links
}
