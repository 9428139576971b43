package web

import (
	"cmp"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/site"
)

// model is a row of a ranking, and the variants of it by other makers, which share its
// figure.
type model struct {
	rankings.Row
	Query   catalog.Query // asks shops for it; empty when its name is too short for that
	Price   float64       // the lowest one, if it is known; else zero
	OnOrder bool          // the shop with that price has to order it first
	Partial bool          // there may be a lower price
	// Available is the lowest price of what no shop has to order first, and Delivered with
	// delivery; zero if there is none or it is not known.
	Available, Delivered float64
	Variants             []rankings.Row
}

// isSoldWithin reports whether a shop has it for that price and need not order it first.
func (m model) isSoldWithin(budget float64) bool {
	return !m.OnOrder || m.Available > 0 && m.Available <= budget
}

// perZloty is the points for a złoty, if the price is known.
func (m model) perZloty() float64 { return m.Benchmark / m.Price }

// PointsPerHundred are the points for 100 zł as shown.
func (m model) PointsPerHundred() string { return precise(100 * m.perZloty()) }

// order is what models are sorted by.
type order struct{ Key, Name string }

// orders are all of them, the source's own first.
func orders() []order {
	return []order{{"", "Punkty"}, {"cena", "Cena"}, {"oplacalnosc", "Opłacalność"}}
}

// parseOrder takes anything but a key for the first order.
func parseOrder(key string) order {
	all := orders()
	return all[max(0, slices.IndexFunc(all, func(o order) bool { return o.Key == key }))]
}

// sort puts the best first, and models without a known price last if prices matter. Equals
// stay as they are.
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

// filters are what a ranking is narrowed by, and in which order it is shown.
type filters struct {
	Search, Brand string
	Memory        int     // in GB; zero: any
	Budget        float64 // highest price in PLN; zero: any
	Count         int     // of the models that are shown
	Order         order
}

func parseFilters(values url.Values) filters {
	memory, _ := strconv.Atoi(values.Get("pamiec")) // anything but a number is none
	return filters{
		Search: strings.Join(strings.Fields(values.Get("szukaj")), " "), Brand: values.Get("marka"),
		Memory: max(0, memory),
		Budget: parseBudget(values.Get("budzet")), Count: parseCount(values.Get("ile")),
		Order: parseOrder(values.Get("sortuj")),
	}
}

// parseBudget reads "1500", "1 500,50" or "1500 zł". Anything else is no budget.
func parseBudget(s string) float64 {
	s = strings.Join(strings.Fields(strings.TrimSuffix(strings.TrimSpace(s), "zł")), "")
	budget, _ := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	if !(budget > 0 && budget < 1e9) {
		return 0
	}
	return budget
}

// needPrices reports whether even a model that is not shown needs its price.
func (f filters) needPrices() bool { return f.Order.Key != "" || f.Budget > 0 }

// values are the parameters of an address with these filters in another order.
func (f filters) values(o order) []string {
	pairs := []string{"szukaj", f.Search, "marka", f.Brand, "sortuj", o.Key}
	for name, v := range map[string]float64{"pamiec": float64(f.Memory), "budzet": f.Budget, "ile": float64(f.Count)} {
		if v > 0 && (name != "ile" || f.Count != counts()[0]) {
			pairs = append(pairs, name, decimal(v))
		}
	}
	return pairs
}

// decimal writes v for an address or a form.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// affordable keeps the models within the budget, and those whose price is not known.
func (f filters) affordable(models []model) []model {
	if f.Budget == 0 {
		return models
	}
	return slices.DeleteFunc(models, func(m model) bool { return m.Price > f.Budget })
}

// capacity is an amount of memory in a name: "12GB", "2x16GB", "1 TB".
var capacity = regexp.MustCompile(`(?i)\b(?:(\d+)x)?(\d+(?:[.,]\d+)?) ?([GT])B\b`)

// memoryIn is the memory that the name of a part states, in GB; zero if it states none.
func memoryIn(name string) int {
	found := capacity.FindStringSubmatch(name)
	if found == nil {
		return 0
	}
	size, _ := strconv.ParseFloat(strings.Replace(found[2], ",", ".", 1), 64)
	if modules, err := strconv.Atoi(found[1]); err == nil {
		size *= float64(modules)
	}
	if strings.EqualFold(found[3], "T") {
		size *= 1000
	}
	return int(size)
}

// memory is an amount of memory to choose.
type memory int

// Text is the amount as it is written on a package.
func (m memory) Text() string {
	if m >= 1000 {
		return site.Figure(float64(m)/1000) + "\u00a0TB"
	}
	return site.Count(int(m)) + "\u00a0GB"
}

// memories are those that the names of rows state, the smallest first.
func memories(rows []rankings.Row) (all []memory) {
	for _, row := range rows {
		if m := memory(memoryIn(row.Model)); m > 0 && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	slices.Sort(all)
	return all
}

// rows keeps the rows of the brand and with the memory that hold every word of the search.
// Of rows with one name it keeps the first.
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

// grouped puts the variants of each model together, the best model first. They share a
// rank.
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

// setPrice adds how shops are asked for m, and its price if it is known.
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

// brands are those of rows that name one, without regard to letter case in their order.
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
