package web

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fits"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/purchase"
	"backend.example/services/internal/kit/site"
)

type buildView struct {
	Items   []buildItem
	Sum     float64 // of known lowest prices
	Limit   float64
	Known   int // parts with a price
	Pending int
	Ways    []way
	Fits    []fit

	Title   string
	Dropped int
	Missing []kindLink
	Asked   bool
	Basket  basketView
	Shared  string
	Foreign bool   // of somebody else
	Copy    string // the address that makes it the visitor's own
	Own     string // the visitor's other build
	Address string // for print
	Prices  string // for the script
	Wait    string // for browsers without scripts
	Start   string
}

type buildItem struct {
	item
	Number int
	prices.Quote
	SearchURL    string
	Href, Remove string
}

type way struct {
	Name      string
	Count     int
	Sum       float64
	Delivered float64 // 0 if unknown
	AtLeast   bool    // a shop does not state its delivery
}

type fit struct {
	A, B fittedPart
	fits.Check
}

// fittedPart is a part and what decides about it, such as "AM5, DDR5".
type fittedPart struct{ Name, Known string }

// Unchecked returns what names cannot tell.
func (v buildView) Unchecked() string { return fits.Unchecked }

type kindLink struct {
	kind
	Href string
}

// build answers GET /kreator/zestaw. Unknown prices are looked up only with czekaj=1: crawlers must not cause
// look-ups.
func (p *Pages) build(c echo.Context) error {
	b := parseBasket(c.QueryParams())
	if len(b.Items) == 0 {
		forget(c)
	}
	return p.showBuild(c, b, "")
}

// showBuild shows the visitor's own build, or the one that is shared under an id.
func (p *Pages) showBuild(c echo.Context, b basket, id string) error {
	asked := c.QueryParam("czekaj") != ""
	quotes := make([]prices.Quote, len(b.Items))
	if asked {
		quotes = p.ask(c, b.queries())
	} else {
		for i, q := range b.queries() {
			quotes[i].Answer, _ = p.Prices.Kept(q)
		}
	}
	view := p.newBuild(b, quotes)
	view.addPage(b, asked)
	if id == "" {
		p.addShort(c, &view)
		return p.show(c, "build", cmp.Or(b.Title, "Twój zestaw"), view)
	}
	view.addForeign(c, b, id)
	return p.show(c, "build", cmp.Or(b.Title, "Udostępniony zestaw"), view)
}

func (p *Pages) addShort(c echo.Context, v *buildView) {
	id := c.QueryParam("krotki")
	build := v.Basket.values().Encode()
	if id == idOf(build) {
		if stored, _ := p.Builds.Get(c.Request().Context(), id); stored == build {
			v.Shared = sharedPath + id
		}
	}
	v.Address = absolute(c, cmp.Or(v.Shared, v.Basket.Href))
}

func (v *buildView) addForeign(c echo.Context, b basket, id string) {
	v.Foreign = true
	v.Shared = sharedPath + id
	v.Address = absolute(c, v.Shared)
	v.Copy = address(buildPath, b)
	v.Wait = v.Shared + "?czekaj=1"
	if own, ok := remembered(c); ok && own.values().Encode() != b.values().Encode() {
		v.Own = address(buildPath, own)
	}
}

func absolute(c echo.Context, path string) string {
	return c.Scheme() + "://" + c.Request().Host + path
}

// buildPrices answers GET /kreator/ceny with the part of the page that changes during look-ups. The script asks
// every second.
func (p *Pages) buildPrices(c echo.Context) error {
	b := parseBasket(c.QueryParams())
	view := p.newBuild(b, p.ask(c, b.queries()))
	return p.site.WriteFragment(c.Response(), c.Request(), http.StatusOK, "build", "prices", view)
}

func (b basket) queries() []catalog.Query {
	queries := make([]catalog.Query, len(b.Items))
	for i, part := range b.Items {
		queries[i] = part.Query
	}
	return queries
}

func (p *Pages) newBuild(b basket, quotes []prices.Quote) buildView {
	view := buildView{Limit: b.Limit}
	for i, part := range b.Items {
		if quotes[i].IsPending() {
			view.Pending++
		}
		view.Items = append(view.Items, buildItem{item: part, Number: i + 1, Quote: quotes[i],
			SearchURL: p.Prices.SearchURL(part.Query.Text)})
	}
	ways := purchase.Compare(quotes)
	view.Sum, view.Known = ways.Split.Sum, ways.Split.Count
	view.compare(ways)
	view.addFits()
	return view
}

func (v *buildView) addFits() {
	parts := make([]fits.Part, len(v.Items))
	for i, part := range v.Items {
		parts[i] = fits.Read(part.Kind.Category, part.Query.Text, part.ProductName())
	}
	part := func(i int) fittedPart { return fittedPart{v.Items[i].Query.Text, parts[i].String()} }
	for _, check := range fits.Checks(parts) {
		v.Fits = append(v.Fits, fit{part(check.Parts[0]), part(check.Parts[1]), check})
	}
	rank := func(f fit) int {
		return slices.Index([]fits.Verdict{fits.Incompatible, fits.Unknown, fits.Compatible}, f.Verdict)
	}
	slices.SortStableFunc(v.Fits, func(a, b fit) int { return rank(a) - rank(b) })
}

func (v *buildView) addPage(b basket, asked bool) {
	v.Title = b.Title
	v.Dropped = b.Dropped
	v.Missing = missing(b)
	v.Asked = asked
	v.Basket = b.view()
	v.Start = address(startPath, b)
	v.Prices, v.Wait = address(pricesPath, b), address(buildPath, b, "czekaj", "1")
	for i, part := range b.Items {
		v.Items[i].Href = partAddress(b, part.Kind, part.Query.Text)
		v.Items[i].Remove = address(buildPath, b.without(i))
	}
}

const shownShops = 3

func (v *buildView) compare(ways purchase.Comparison) {
	if v.Known < 2 {
		return
	}
	split, delivered := "Każda część najtaniej", "Najtaniej z dostawą"
	switch {
	case ways.Partial:
		split, delivered = "Znane oferty najtaniej", "Znane oferty najtaniej z dostawą"
	case v.Known < len(v.Items):
		split, delivered = "Znane części najtaniej", "Znane części najtaniej z dostawą"
	}
	if ways.Undecided {
		delivered = "Tanio z dostawą, o ile ją znamy"
	}
	v.Ways = []way{newWay(split+", "+storesOf(ways.Split), ways.Split)}
	if to := newWay(delivered+", "+storesOf(ways.Delivered), ways.Delivered); to.Delivered != v.Ways[0].Delivered {
		v.Ways = append(v.Ways, to)
	}
	for _, shop := range ways.Shops[:min(len(ways.Shops), shownShops)] {
		if shop.Count > 1 {
			v.Ways = append(v.Ways, newWay("Tylko "+shop.StoreLabel, shop))
		}
	}
}

func storesOf(p purchase.Way) string {
	return site.Plural(p.Stores(), "sklep", "sklepy", "sklepów")
}

// Left returns what remains of the limit.
func (v buildView) Left() float64 { return v.Limit - v.Sum }

// Over returns by how much the limit is exceeded.
func (v buildView) Over() float64 { return v.Sum - v.Limit }

func newWay(name string, p purchase.Way) way {
	w := way{Name: name, Count: p.Count, Sum: p.Sum}
	if delivery, exact := p.Delivery(); exact || delivery > 0 {
		w.Delivered, w.AtLeast = p.Sum+delivery, !exact
	}
	return w
}

// missing links to the kinds that b lacks.
func missing(b basket) (links []kindLink) {
	has := map[string]bool{"usb": true}
	for _, i := range b.Items {
		has[i.Kind.Key] = true
	}
	for _, k := range kinds() {
		if has[k.Key] {
			continue
		}
		links = append(links, kindLink{k, address(listPath+k.Key, b)})
	}
	return links
}
