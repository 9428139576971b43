package web

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/rankings"
)

// chartBars is how many parts the chart shows at most.
const chartBars = 15

// origin is where a ranking is from.
type origin struct {
	Source   string
	Fetched  time.Time
	Fallback bool // the source did not answer: a copy of ours
}

func originOf(a *rankings.Answer) origin {
	return origin{a.Value.Source, a.FetchedAt, a.Value.Source == rankings.LocalFallback}
}

type rankingView struct {
	Title  string
	Family catalog.Family
	origin
	Search, Brand string
	Brands        []string
	Count         int
	Counts        []int
	Filtered      bool // the filters are not as they are at first
	Order         order
	Orders        []orderLink
	Found         int // models that pass the filters, shown or not
	Known         int // of those shown: whose price is known
	Parts         []partLink
	Chart         []bar
	Compared      int // parts that can be compared at once
	Basket        basketView
	Clear         string // address without filters
}

// bar is a part in the chart.
type bar struct {
	Name      string
	Benchmark float64
	Width     float64 // percent of the longest bar
}

// partLink is a model and what can be done with it.
type partLink struct {
	model
	Href, Add string // Add is empty when the name is too short to be asked for
	Variants  []variantLink
}

type variantLink struct{ Name, Href string }

// orderLink leads to the same ranking in another order.
type orderLink struct {
	order
	Href    string
	Current bool
}

// ranking answers GET /kreator/ranking/{rodzina}?szukaj=&marka=&ile=&sortuj=.
func (p *Pages) ranking(c echo.Context) error {
	f, err := parseFamily(c.Param("rodzina"))
	if err != nil {
		return err
	}
	answer, _, err := p.Ranking(c.Request().Context(), f)
	if err != nil {
		return err
	}
	b := parseBasket(c.QueryParams())
	view := rankingView{
		Title: familyName(f), Family: f, origin: originOf(answer), Brands: brands(answer.Value.Rows), Counts: counts(),
		Search: strings.Join(strings.Fields(c.QueryParam("szukaj")), " "), Brand: c.QueryParam("marka"),
		Count: parseCount(c.QueryParam("ile")), Order: parseOrder(c.QueryParam("sortuj")), Compared: maxCompared,
		Basket: b.view(), Clear: address(rankingPath+string(f), b),
	}
	view.Filtered = view.Search != "" || view.Brand != "" || view.Count != counts()[0]
	view.addOrders(b, c.QueryParam("ile"))
	models := grouped(filter(answer.Value.Rows, view.Search, view.Brand))
	view.Found = len(models)
	if !view.Order.needsPrices() {
		models = models[:min(len(models), view.Count)]
	}
	k := kindOf(f)
	for i := range models {
		p.setPrice(&models[i], k)
	}
	view.Order.sort(models)
	view.fill(models, b)
	return p.show(c, "ranking", view.Title+" – ranking", view)
}

// addOrders leads to the same rows in every order.
func (v *rankingView) addOrders(b basket, count string) {
	for _, o := range orders() {
		href := address(rankingPath+string(v.Family), b,
			"szukaj", v.Search, "marka", v.Brand, "ile", count, "sortuj", o.Key)
		v.Orders = append(v.Orders, orderLink{o, href, o == v.Order})
	}
}

// fill takes over the models to show.
func (v *rankingView) fill(models []model, b basket) {
	k := kindOf(v.Family)
	for _, m := range models[:min(len(models), v.Count)] {
		part := newPartLink(b, k, m, m.SearchName())
		if m.Price > 0 {
			v.Known++
		}
		for _, row := range m.Variants {
			part.Variants = append(part.Variants, variantLink{row.Name(), partAddress(b, k, row.SearchName())})
		}
		v.Parts = append(v.Parts, part)
	}
	longest := 0.0
	for _, part := range v.Parts[:min(len(v.Parts), chartBars)] {
		v.Chart = append(v.Chart, bar{Name: part.Name(), Benchmark: part.Benchmark})
		longest = max(longest, part.Benchmark)
	}
	for i := range v.Chart {
		if longest > 0 {
			v.Chart[i].Width = math.Round(10000*v.Chart[i].Benchmark/longest) / 100
		}
	}
}

// newPartLink leads to the page of m under name.
func newPartLink(b basket, k kind, m model, name string) partLink {
	link := partLink{model: m, Href: partAddress(b, k, name)}
	if m.Query.Text != "" {
		link.Add = address(buildPath, b.with(k, m.Query))
	}
	return link
}

func partAddress(b basket, k kind, name string) string {
	return address(partPath, b, "rodzaj", k.Key, "nazwa", name)
}

// counts are the choices of how many parts to show.
func counts() []int { return []int{20, 50, 100, 200, rankings.MaxLimit} }

// parseCount takes anything but a choice for the first one.
func parseCount(s string) int {
	if n, err := strconv.Atoi(s); err == nil && slices.Contains(counts(), n) {
		return n
	}
	return counts()[0]
}
