package pages

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/site"
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
	Found         int // models that pass the filters, shown or not
	Parts         []partLink
	Chart         site.Bars
	Basket        basketView
	Clear         string // address without filters
}

// partLink is a model, and the variants of it by other makers, which share its figure.
type partLink struct {
	rankings.Row
	Href, Add string // Add is empty when the name is too short to be asked for
	Variants  []partLink
}

// ranking answers GET /kreator/ranking/{rodzina}?szukaj=&marka=&ile=.
func (p *Pages) ranking(c echo.Context) error {
	f, err := catalog.ParseFamily(c.Param("rodzina"))
	if err != nil {
		return fault.Wrap(err, fault.NotFound, "unknown_type", "Nie ma takiej rodziny podzespołów.")
	}
	answer, _, err := p.Ranking(c.Request().Context(), f)
	if err != nil {
		return err
	}
	b := parseBasket(c.QueryParams())
	view := rankingView{
		Title: familyName(f), Family: f, origin: originOf(answer), Brands: brands(answer.Value.Rows), Counts: counts(),
		Search: strings.Join(strings.Fields(c.QueryParam("szukaj")), " "), Brand: c.QueryParam("marka"),
		Count: parseCount(c.QueryParam("ile")), Basket: b.view(), Clear: address(rankingPath+string(f), b),
	}
	view.fill(foldVariants(filter(answer.Value.Rows, view.Search, view.Brand)), b)
	return p.show(c, "ranking", view.Title+" – ranking", view)
}

// fill takes over the models to show, each of which is its variants.
func (v *rankingView) fill(models [][]rankings.Row, b basket) {
	v.Found = len(models)
	k := kindOf(v.Family)
	for _, model := range models[:min(len(models), v.Count)] {
		part := newPartLink(model[0], k, b)
		if q, err := catalog.ParseQuery(partName(model[0]), k.Category); err == nil {
			part.Add = address(buildPath, b.with(k, q))
		}
		for _, variant := range model[1:] {
			part.Variants = append(part.Variants, newPartLink(variant, k, b))
		}
		v.Parts = append(v.Parts, part)
	}
	v.Chart = site.Bars{Title: "Punkty najwydajniejszych: " + v.Title}
	for _, part := range v.Parts[:min(len(v.Parts), chartBars)] {
		v.Chart.Items = append(v.Chart.Items, site.Bar{
			Label: part.Name(), Value: part.Benchmark, Text: site.Figure(part.Benchmark),
		})
	}
}

func newPartLink(row rankings.Row, k kind, b basket) partLink {
	return partLink{Row: row, Href: address(partPath, b, "rodzaj", k.Key, "nazwa", partName(row))}
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

// foldVariants groups the variants of each model, the best model first. They share a rank.
func foldVariants(rows []rankings.Row) (models [][]rankings.Row) {
	at := map[int]int{} // by rank
	for _, row := range rows {
		if i, ok := at[row.Rank]; ok {
			models[i] = append(models[i], row)
			continue
		}
		at[row.Rank] = len(models)
		models = append(models, []rankings.Row{row})
	}
	return models
}

// brands are those of rows that name one.
func brands(rows []rankings.Row) (names []string) {
	for _, row := range rows {
		if row.Brand != "" {
			names = append(names, row.Brand)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return slices.Compact(names)
}
