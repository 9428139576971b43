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

// listPath and the key of a kind are the list of its parts.
const listPath = "/kreator/lista/"

const (
	shownListed  = 20  // parts of a list on a page at first
	maxSuggested = 100 // names that the search field suggests
)

// listView is a list of parts of one kind to choose from.
type listView struct {
	Kind     kind
	Search   string
	Budget   string // highest price, as its field holds it
	Cheapest bool   // the order: the lowest price first, otherwise what is bought most
	Facets   []facet
	Names    []string // suggested in the search field
	Listed   int      // parts of the list, without filters
	Found    int      // parts that pass the filters
	Parts    []listedPart
	Compared bool // with the build
	Rankings []rankingLink
	Left     *left
	ByName   string // address of the offers for what is searched for; empty: it cannot be asked for
	More     string // address with more parts; empty: all are shown
	Clear    string // address without filters
	Basket   basketView
}

// listedPart is a product of a list. Its price is zero if the list does not say.
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
	Exact       bool // the prices of all chosen parts are known
	Missing     int  // kinds that the build has nothing of
}

// list answers GET /kreator/lista/{rodzaj}?szukaj=&budzet=&sortuj=&ile= and a parameter for each
// facet: what the lists of the aggregator have, the parts that go with the build first.
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

// Unchecked is what nobody can tell from names.
func (v listView) Unchecked() string { return fits.Unchecked }

// newListed compares products with the build.
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

// fitting is what the names of the parts in b reveal, without what a part of k would replace.
func (b basket) fitting(k kind) (parts []fits.Part) {
	for _, part := range b.Items {
		if k.Many || part.Kind.Key != k.Key {
			parts = append(parts, fits.Read(part.Kind.Category, part.Query.Text))
		}
	}
	return parts
}

// accepts reports whether a part passes all filters. A part without a price is in every budget.
func (v listView) accepts(part listedPart, f filters) bool {
	if !holds(part.Name, f.Search) || f.Budget > 0 && part.Price > f.Budget {
		return false
	}
	rejects := func(f facet) bool { return !f.accepts(part.traits[f.Key]) }
	return !slices.ContainsFunc(v.Facets, rejects)
}

// sort puts what goes with the build first and what does not last, and what has no price last of
// its kind.
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

// values are the parameters of an address with the same filters and so many parts.
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

// left is what the known prices of the build leave of its limit; nil without a limit.
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

// holds reports whether a name has all words of text.
func holds(name, text string) bool {
	name = strings.ToLower(name)
	misses := func(word string) bool { return !strings.Contains(name, word) }
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(text)), misses)
}
