package web

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
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

// perZloty is the points for a złoty, zero when the price is not known.
func (m model) perZloty() float64 {
	if m.Price == 0 {
		return 0
	}
	return m.Benchmark / m.Price
}

// PointsPerHundred are the points for 100 zł as shown.
func (m model) PointsPerHundred() string { return precise(100 * m.perZloty()) }

// order is what models are sorted by.
type order struct{ Key, Name string }

// orders are all of them, the source's own first.
func orders() []order {
	return []order{{"", "Punkty"}, {"cena", "Cena"}, {"oplacalnosc", "Opłacalność"}}
}

// needsPrices reports whether even a model that is not shown needs its price.
func (o order) needsPrices() bool { return o.Key != "" }

// parseOrder takes anything but a key for the first order.
func parseOrder(key string) order {
	all := orders()
	return all[max(0, slices.IndexFunc(all, func(o order) bool { return o.Key == key }))]
}

// sort puts the best first. Models without a known price come last, and equals stay as
// they are.
func (o order) sort(models []model) {
	slices.SortStableFunc(models, func(a, b model) int { return cmp.Compare(o.worth(b), o.worth(a)) })
}

func (o order) worth(m model) float64 {
	switch {
	case !o.needsPrices():
		return 0
	case m.Price == 0:
		return math.Inf(-1)
	case o.Key == "cena":
		return -m.Price
	}
	return m.perZloty()
}

// filter keeps the rows of a brand, empty for all, that hold every word of search. Of
// rows with one name it keeps the first.
func filter(rows []rankings.Row, search, brand string) (kept []rankings.Row) {
	words := strings.Fields(strings.ToLower(search))
	seen := map[string]bool{}
	for _, row := range rows {
		name := strings.ToLower(row.Name())
		text := strings.ToLower(row.Brand+" "+row.PartNumber) + " " + name
		missing := func(word string) bool { return !strings.Contains(text, word) }
		if brand != "" && row.Brand != brand || seen[name] || slices.ContainsFunc(words, missing) {
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
	if answer, ok := p.KnownPrice(q); ok {
		m.setOffers(answer.Value)
	}
}

func (m *model) setOffers(price prices.Price) {
	if len(price.Offers) == 0 {
		return
	}
	lowest := price.Lowest()
	m.Price, m.OnOrder, m.Partial = lowest.Price, lowest.OnOrder(), price.Partial
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
