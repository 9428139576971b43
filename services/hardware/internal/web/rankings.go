package web

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/rankings"
)

type origin struct {
	Source   string
	Fetched  time.Time
	Fallback bool // our copy, because the source did not answer
}

func (p *Pages) originOf(a *rankings.Answer) origin {
	return origin{p.RankingSource, a.FetchedAt, a.Value.Source == rankings.LocalFallback}
}

type rankingView struct {
	Title  string
	Family catalog.Family
	origin
	filters
	Memories    []memory
	MemoryLabel string
	Brands      []string
	Counts      []int
	Orders      []orderLink
	Found       int  // after filters
	Known       int  // shown with a price
	Undecided   bool // a part without a price may be better than the best
	Parts       []partLink
	Compared    int // at once, at most
	Basket      basketView
	Clear       string
}

// Limit returns the budget as its field shows it.
func (v rankingView) Limit() string {
	if v.Budget == 0 {
		return ""
	}
	return decimal(v.Budget)
}

// More reports whether one of the folded filters is set.
func (v rankingView) More() bool { return v.Search != "" || v.Count != counts()[0] }

// UnknownLast reports whether parts without a price come last.
func (v rankingView) UnknownLast() bool { return v.needPrices() }

type partLink struct {
	model
	Width     float64 // of its bar, in percent
	Best      bool    // most points within the budget
	Href, Add string  // Add is empty if the name is too short to be asked for
	Variants  []variantLink
}

type variantLink struct{ Name, Href string }

type orderLink struct {
	order
	Href    string
	Current bool
}

// ranking answers GET /kreator/ranking/{rodzina}?szukaj=&marka=&pamiec=&budzet=&ile=&sortuj=.
func (p *Pages) ranking(c echo.Context) error {
	f, err := parseFamily(c.Param("rodzina"))
	if err != nil {
		return err
	}
	answer, _, err := p.Rankings.Get(c.Request().Context(), f)
	if err != nil {
		return err
	}
	b, rows := parseBasket(c.QueryParams()), answer.Value.Rows
	view := rankingView{
		Title: familyName(f), Family: f, origin: p.originOf(answer), filters: parseFilters(c.QueryParams()),
		Memories: memories(rows), MemoryLabel: memoryLabel(f), Brands: brands(rows), Counts: counts(),
		Compared: maxCompared,
		Basket:   b.view(), Clear: address(rankingPath+string(f), b),
	}
	for _, o := range orders() {
		view.Orders = append(
			view.Orders, orderLink{o, address(rankingPath+string(f), b, view.values(o)...), o == view.Order},
		)
	}
	models := grouped(view.rows(rows))
	view.Found = len(models)
	if !view.needPrices() {
		models = models[:min(len(models), view.Count)]
	}
	k := kindOf(f)
	for i := range models {
		p.setPrice(&models[i], k)
	}
	if view.needPrices() {
		models = view.affordable(models)
		view.Found = len(models)
		view.Order.sort(models)
	}
	view.fill(models, b)
	return p.show(c, "ranking", view.Title+" – ranking", view)
}

// best returns the index of the model with the most points within the budget, or -1, and whether a model without a
// price may equal it.
func (f filters) best(models []model) (best int, isUndecided bool) {
	best = -1
	if f.Budget == 0 {
		return best, false
	}
	unknown := 0.0
	for i, m := range models {
		isBetter := best < 0 || m.Benchmark > models[best].Benchmark
		switch {
		case m.Price == 0:
			unknown = max(unknown, m.Benchmark)
		case isBetter && m.isSoldWithin(f.Budget):
			best = i
		}
	}
	return best, best >= 0 && unknown >= models[best].Benchmark
}

func (v *rankingView) fill(models []model, b basket) {
	k := kindOf(v.Family)
	longest := 0.0
	for _, m := range models {
		longest = max(longest, m.Benchmark)
	}
	best, isUndecided := v.best(models)
	v.Undecided = isUndecided
	for i, m := range models[:min(len(models), v.Count)] {
		part := newPartLink(b, k, m, m.SearchName())
		part.Best = i == best
		if longest > 0 {
			part.Width = math.Round(1000*m.Benchmark/longest) / 10
		}
		if m.Price > 0 {
			v.Known++
		}
		for _, row := range m.Variants {
			part.Variants = append(part.Variants, variantLink{row.Name(), partAddress(b, k, row.SearchName())})
		}
		v.Parts = append(v.Parts, part)
	}
}

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

func counts() []int { return []int{20, 50, 100, 200, rankings.MaxLimit} }

func parseCount(s string) int {
	if n, _ := strconv.Atoi(s); slices.Contains(counts(), n) {
		return n
	}
	return counts()[0]
}
