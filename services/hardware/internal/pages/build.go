package pages

import (
	"context"
	"math"
	"sync"

	"github.com/labstack/echo/v4"
)

type buildView struct {
	Items   []buildItem
	Missing []kindLink // kinds that the build has nothing of
	Sum     float64    // of the lowest prices that are known
	Known   int        // parts with a known price
	Pending bool       // some offers are still on their way
	Wait    string     // address of this page with all offers, for browsers without scripts
	Start   string
}

type buildItem struct {
	item
	Href, Remove string
	Offers       offersView
}

type kindLink struct {
	kind
	Href string
}

// build answers GET /kreator/zestaw: the parts of the address with their lowest
// prices and the sum. With czekaj=1 the answer waits for the offers.
func (p *Pages) build(c echo.Context) error {
	b := parseBasket(c.QueryParams())
	view := buildView{Start: address(startPath, b), Wait: address(buildPath, b, "czekaj", "1"), Missing: missing(b)}
	for i, part := range b {
		view.Items = append(view.Items, buildItem{
			item: part, Remove: address(buildPath, b.without(i)),
			Href:   address(partPath, b, "rodzaj", part.Kind.Key, "nazwa", part.Query.Text),
			Offers: p.kept(part.Kind, part.Query, formBuild, 0),
		})
	}
	if c.QueryParam("czekaj") != "" {
		p.awaitAll(c.Request().Context(), view.Items)
	}
	view.add()
	return p.show(c, "build", "Twój zestaw", view)
}

// awaitAll looks up at once what is not here yet; the source is asked in turns
// anyway.
func (p *Pages) awaitAll(ctx context.Context, items []buildItem) {
	var lookups sync.WaitGroup
	for i := range items {
		if items[i].Offers.Load != "" {
			lookups.Go(func() { items[i].Offers = p.await(ctx, items[i].Query, 0) })
		}
	}
	lookups.Wait()
}

// add sums up the lowest prices.
func (v *buildView) add() {
	for _, i := range v.Items {
		if len(i.Offers.Offers) > 0 {
			v.Sum, v.Known = v.Sum+i.Offers.Lowest().Price, v.Known+1
		}
		v.Pending = v.Pending || i.Offers.Load != ""
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
