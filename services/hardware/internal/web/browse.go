package web

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fits"
	"backend.example/services/hardware/internal/prices"
)

const listPath = "/kreator/lista/"

const (
	shownListed  = 20
	maxSuggested = 100
)

type listView struct {
	Kind     kind
	Search   string
	Budget   string
	Cheapest bool // sorted by price, otherwise by popularity
	Facets   []facet
	Names    []string
	Listed   int // before filters
	Found    int // after filters
	Parts    []listedPart
	Compared bool
	Rankings []rankingLink
	Left     *left
	ByName   string // empty if it cannot be asked for
	More     string // empty if all are shown
	Clear    string
	Basket   basketView
}

type listedPart struct {
	Name      string
	Price     float64
	Fits      fits.Check
	Href, Add string // Add is empty if the name cannot be asked for
	traits    map[string]string
}

// left is what the limit of a build leaves.
type left struct {
	Limit, Rest float64
	Exact       bool // all prices are known
	Missing     int  // kinds
}

// list answers GET /kreator/lista/{rodzaj}?szukaj=&budzet=&sortuj=&ile= with a parameter for each facet.
func (p *Pages) list(c echo.Context) error {
	k, err := parseKind(c.Param("rodzaj"))
	if err != nil {
		return err
	}
	values := c.QueryParams()
	b := parseBasket(values)
	products, _ := p.Prices.Popular(k.Category)
	f := parseFilters(values)
	view := listView{
		Kind: k, Search: f.Search, Cheapest: f.Order.Key == "cena", Listed: len(products), Left: p.left(b),
		Clear: address(listPath+k.Key, b), Basket: b.view(),
	}
	if f.Budget > 0 {
		view.Budget = decimal(f.Budget)
	}
	for _, family := range k.Families {
		link := rankingLink{familyName(family), address(rankingPath+string(family), b)}
		view.Rankings = append(view.Rankings, link)
	}
	if q, err := catalog.ParseQuery(f.Search, k.Category); err == nil {
		view.ByName = partAddress(b, k, q.Text)
	}
	parts := newListed(products, b, k)
	for _, part := range parts[:min(len(parts), maxSuggested)] {
		view.Names = append(view.Names, part.Name)
	}
	view.Facets = facetsOf(k, parts, values)
	parts = slices.DeleteFunc(parts, func(part listedPart) bool { return !view.accepts(part, f) })
	view.sort(parts)
	view.Found = len(parts)
	view.Parts = parts[:min(len(parts), max(shownListed, f.Count))]
	view.Compared = slices.ContainsFunc(view.Parts, func(part listedPart) bool { return part.Fits.Verdict != "" })
	if len(view.Parts) < len(parts) {
		view.More = address(listPath+k.Key, b, view.values(counts()[len(counts())-1])...)
	}
	return p.show(c, "list", k.Name+" – lista", view)
}

// Unchecked returns what names cannot tell.
func (v listView) Unchecked() string { return fits.Unchecked }

func newListed(products []prices.Listed, b basket, k kind) (parts []listedPart) {
	build := b.fitting(k)
	for _, product := range products {
		read := fits.Read(k.Category, product.Name)
		part := listedPart{
			Name: product.Name, Price: product.PriceLow, Href: partAddress(b, k, product.Name),
			Fits: fits.With(read, build), traits: traitsOf(read, product.Name),
		}
		if q, err := catalog.ParseQuery(product.Name, k.Category); err == nil {
			part.Add = address(buildPath, b.with(k, q))
		}
		parts = append(parts, part)
	}
	return parts
}

// fitting reads the names of the parts in b, without what a part of k would replace.
func (b basket) fitting(k kind) (parts []fits.Part) {
	for _, part := range b.Items {
		if k.Many || part.Kind.Key != k.Key {
			parts = append(parts, fits.Read(part.Kind.Category, part.Query.Text))
		}
	}
	return parts
}

// accepts counts a part without a price as within every budget.
func (v listView) accepts(part listedPart, f filters) bool {
	if !holds(part.Name, f.Search) || f.Budget > 0 && part.Price > f.Budget {
		return false
	}
	rejects := func(f facet) bool { return !f.accepts(part.traits[f.Key]) }
	return !slices.ContainsFunc(v.Facets, rejects)
}

// sort puts compatible parts first and incompatible ones last, and of each those without a price last.
func (v listView) sort(parts []listedPart) {
	rank := map[fits.Verdict]int{fits.Compatible: -1, fits.Incompatible: 1}
	price := func(part listedPart) float64 {
		if part.Price == 0 {
			return math.Inf(1)
		}
		if v.Cheapest {
			return part.Price
		}
		return 0
	}
	slices.SortStableFunc(parts, func(a, b listedPart) int {
		return cmp.Or(cmp.Compare(rank[a.Fits.Verdict], rank[b.Fits.Verdict]), cmp.Compare(price(a), price(b)))
	})
}

func (v listView) values(count int) []string {
	pairs := []string{"szukaj", v.Search, "budzet", v.Budget, "ile", decimal(float64(count))}
	if v.Cheapest {
		pairs = append(pairs, "sortuj", "cena")
	}
	for _, f := range v.Facets {
		pairs = append(pairs, f.Key, f.Chosen)
	}
	return pairs
}

func (p *Pages) left(b basket) *left {
	if b.Limit == 0 {
		return nil
	}
	l := left{Limit: b.Limit, Rest: b.Limit, Exact: true, Missing: len(missing(b))}
	for _, q := range b.queries() {
		answer, ok := p.Prices.Known(q)
		if !ok || len(answer.Value.Offers) == 0 {
			l.Exact = false
			continue
		}
		l.Rest -= answer.Value.Lowest().Price
	}
	return &l
}

// holds reports whether a name contains all words of text.
func holds(name, text string) bool {
	name = strings.ToLower(name)
	misses := func(word string) bool { return !strings.Contains(name, word) }
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(text)), misses)
}
