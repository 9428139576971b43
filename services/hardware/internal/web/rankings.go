package web

import (
	"cmp"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/site"
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

// model is a row of a ranking with the variants by other makers, which share its figure.
type model struct {
	rankings.Row
	Query   catalog.Query // empty if the name is too short to be asked for
	Price   float64       // the lowest; 0 if unknown
	OnOrder bool          // the shop with that price has to order it first
	Partial bool          // there may be a lower price
	// Available is the lowest price of what is not ordered first, and Delivered with delivery; 0 if unknown.
	Available, Delivered float64
	Variants             []rankings.Row
}

func (m model) isSoldWithin(budget float64) bool {
	return !m.OnOrder || m.Available > 0 && m.Available <= budget
}

func (m model) perZloty() float64 { return m.Benchmark / m.Price }

// PointsPerHundred returns the points for 100 zł.
func (m model) PointsPerHundred() string { return precise(100 * m.perZloty()) }

type order struct{ Key, Name string }

func orders() []order {
	return []order{{"", "Punkty"}, {"cena", "Cena"}, {"oplacalnosc", "Opłacalność"}}
}

func parseOrder(key string) order {
	all := orders()
	return all[max(0, slices.IndexFunc(all, func(o order) bool { return o.Key == key }))]
}

// sort is stable and puts models without a price last if prices matter.
func (o order) sort(models []model) {
	slices.SortStableFunc(models, func(a, b model) int { return cmp.Compare(o.worth(b), o.worth(a)) })
}

func (o order) worth(m model) float64 {
	switch {
	case m.Price == 0:
		return math.Inf(-1)
	case o.Key == "cena":
		return -m.Price
	case o.Key == "oplacalnosc":
		return m.perZloty()
	}
	return 0
}

type filters struct {
	Search, Brand string
	Memory        int     // GB; 0 is any
	Budget        float64 // PLN; 0 is any
	Count         int
	Order         order
}

func parseFilters(values url.Values) filters {
	memory, _ := strconv.Atoi(values.Get("pamiec")) // 0 if it is no number
	return filters{
		Search: strings.Join(strings.Fields(values.Get("szukaj")), " "), Brand: values.Get("marka"),
		Memory: max(0, memory),
		Budget: parseBudget(values.Get("budzet")), Count: parseCount(values.Get("ile")),
		Order: parseOrder(values.Get("sortuj")),
	}
}

// parseBudget reads "1500", "1 500,50" or "1500 zł", and returns 0 for anything else.
func parseBudget(s string) float64 {
	s = strings.Join(strings.Fields(strings.TrimSuffix(strings.TrimSpace(s), "zł")), "")
	budget, _ := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	if !(budget > 0 && budget < 1e9) {
		return 0
	}
	return budget
}

// needPrices reports whether models that are not shown need a price, too.
func (f filters) needPrices() bool { return f.Order.Key != "" || f.Budget > 0 }

func (f filters) values(o order) []string {
	pairs := []string{"szukaj", f.Search, "marka", f.Brand, "sortuj", o.Key}
	for name, v := range map[string]float64{"pamiec": float64(f.Memory), "budzet": f.Budget, "ile": float64(f.Count)} {
		if v > 0 && (name != "ile" || f.Count != counts()[0]) {
			pairs = append(pairs, name, decimal(v))
		}
	}
	return pairs
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// affordable keeps models without a price.
func (f filters) affordable(models []model) []model {
	if f.Budget == 0 {
		return models
	}
	return slices.DeleteFunc(models, func(m model) bool { return m.Price > f.Budget })
}

// capacity is an amount of memory in a name: "12GB", "2x16GB", "1 TB".
var capacity = regexp.MustCompile(`(?i)\b(?:(\d+)x)?(\d+(?:[.,]\d+)?) ?([GT])B\b`)

// memoryIn returns GB, or 0.
func memoryIn(name string) int {
	found := capacity.FindStringSubmatch(name)
	if found == nil {
		return 0
	}
	size, _ := strconv.ParseFloat(strings.Replace(found[2], ",", ".", 1), 64)
	modules, _ := strconv.Atoi(cmp.Or(found[1], "1"))
	size *= float64(modules)
	if strings.EqualFold(found[3], "T") {
		size *= 1000
	}
	return int(size)
}

type memory int

// Text returns the usual notation.
func (m memory) Text() string {
	if m >= 1000 {
		return site.Figure(float64(m)/1000) + "\u00a0TB"
	}
	return site.Count(int(m)) + "\u00a0GB"
}

func memories(rows []rankings.Row) (all []memory) {
	for _, row := range rows {
		if m := memory(memoryIn(row.Model)); m > 0 && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	slices.Sort(all)
	return all
}

// rows applies the filters, and keeps the first of rows with the same name.
func (f filters) rows(rows []rankings.Row) (kept []rankings.Row) {
	seen := map[string]bool{}
	for _, row := range rows {
		name := strings.ToLower(row.Name())
		if seen[name] || !holds(row.Brand+" "+row.PartNumber+" "+name, f.Search) {
			continue
		}
		isOtherBrand := f.Brand != "" && row.Brand != f.Brand
		if isOtherBrand || f.Memory > 0 && memoryIn(row.Model) != f.Memory {
			continue
		}
		seen[name] = true
		kept = append(kept, row)
	}
	return kept
}

// grouped collects the variants of each model, which share a rank.
func grouped(rows []rankings.Row) (all []model) {
	at := map[int]int{} // by rank
	for _, row := range rows {
		if i, ok := at[row.Rank]; ok {
			all[i].Variants = append(all[i].Variants, row)
			continue
		}
		at[row.Rank] = len(all)
		all = append(all, model{Row: row})
	}
	return all
}

func (p *Pages) setPrice(m *model, k kind) {
	q, err := catalog.ParseQuery(m.SearchName(), k.Category)
	if err != nil {
		return
	}
	m.Query = q
	if answer, ok := p.Prices.Known(q); ok {
		m.setOffers(answer.Value)
	}
}

func (m *model) setOffers(price prices.Price) {
	if len(price.Offers) == 0 {
		return
	}
	lowest := price.Lowest()
	m.Price = lowest.Price
	m.OnOrder = lowest.OnOrder()
	m.Partial = price.Partial
	cheapest, delivered := price.Cheapest()
	if cheapest >= 0 {
		m.Available = price.Offers[cheapest].Price
	}
	if delivered >= 0 {
		m.Delivered = price.Offers[delivered].PriceWithDelivery
	}
}

func brands(rows []rankings.Row) (names []string) {
	seen := map[string]bool{"": true}
	for _, row := range rows {
		if !seen[row.Brand] {
			seen[row.Brand] = true
			names = append(names, row.Brand)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return names
}
