package web

import (
	"cmp"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
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

// facet filters a list by what the names of its parts say.
type facet struct {
	Key     string // parameter of the address
	Label   string
	Options []string
	Chosen  string
}

func facets() []facet {
	return []facet{
		{Key: "marka", Label: "Marka"}, {Key: "gniazdo", Label: "Gniazdo"}, {Key: "typ", Label: "Typ pamięci"},
		{Key: "pojemnosc", Label: "Pojemność"}, {Key: "moc", Label: "Moc co najmniej"},
		{Key: "rozmiar", Label: "Rozmiar"},
	}
}

// facetsOf returns the facets in which parts differ.
func facetsOf(k kind, parts []listedPart, values url.Values) (used []facet) {
	for _, f := range facets() {
		for _, part := range parts {
			trait := part.traits[f.Key]
			if !slices.ContainsFunc(f.Options, func(o string) bool { return strings.EqualFold(o, trait) }) {
				f.Options = append(f.Options, trait)
			}
		}
		if len(f.Options) < 2 {
			continue
		}
		slices.SortFunc(f.Options, compareTraits)
		if f.Options[0] == "" { // the name does not say it
			f.Options = f.Options[1:]
		}
		if chosen := values.Get(f.Key); slices.Contains(f.Options, chosen) {
			f.Chosen = chosen
		}
		if f.Key == "pojemnosc" && k.Key == "gpu" {
			f.Label = "Pamięć"
		}
		used = append(used, f)
	}
	return used
}

func (f facet) accepts(trait string) bool {
	if f.Chosen == "" || strings.EqualFold(f.Chosen, trait) {
		return true
	}
	return f.Key == "moc" && amountOf(trait) > amountOf(f.Chosen)
}

// compareTraits orders amounts by size, "512 GB" before "1 TB", and words alphabetically.
func compareTraits(a, b string) int {
	return cmp.Or(cmp.Compare(amountOf(a), amountOf(b)), cmp.Compare(strings.ToLower(a), strings.ToLower(b)))
}

// amountOf returns the number at the beginning of a trait, or 0.
func amountOf(trait string) float64 {
	number, unit, _ := strings.Cut(trait, "\u00a0")
	amount, _ := strconv.ParseFloat(strings.Replace(number, ",", ".", 1), 64)
	if unit == "TB" {
		amount *= 1000
	}
	return amount
}

var (
	radiator = regexp.MustCompile(`(?i)\b(120|140|240|280|360|420)(?: ?mm)?\b`)
	// kindWords precede the brand in the names of some shops.
	kindWords = regexp.MustCompile(`(?i)^(?:(?:procesor|karta graficzna|płyta główna|pamięć(?: ram)?|zasilacz|` +
		`dysk(?: ssd| hdd)?|chłodzenie(?: procesora| wodne)?|obudowa)\s+)+`)
	longBrands = regexp.MustCompile(`(?i)^(?:be quiet|cooler master|fractal design|lian li|silver monkey|` +
		`western digital|team group|king bank)`)
)

// traitsOf returns what a name says, by the keys of facets.
func traitsOf(part fits.Part, name string) map[string]string {
	traits := map[string]string{"marka": brandOf(name), "gniazdo": part.Socket}
	switch part.Category {
	case "motherboard":
		traits["typ"], traits["rozmiar"] = strings.Join(part.Memory, "/"), part.Size
	case "ram":
		traits["typ"], traits["pojemnosc"] = strings.Join(part.Memory, "/"), capacityOf(name)
	case "gpu", "storage":
		traits["pojemnosc"] = capacityOf(name)
	case "psu":
		traits["rozmiar"] = part.Size
		if part.Watts > 0 {
			traits["moc"] = strconv.Itoa(part.Watts) + "\u00a0W"
		}
	case "cooling":
		if found := radiator.FindStringSubmatch(name); found != nil {
			traits["rozmiar"] = found[1] + "\u00a0mm"
		}
	case "case":
		traits["rozmiar"] = part.Size
	}
	return traits
}

func brandOf(name string) string {
	name = kindWords.ReplaceAllString(name, "")
	switch long := longBrands.FindString(name); {
	case strings.EqualFold(long, "be quiet"):
		return "be quiet!"
	case long != "":
		return long
	}
	first, _, _ := strings.Cut(name, " ")
	return first
}

func capacityOf(name string) string {
	if gigabytes := memoryIn(name); gigabytes > 0 {
		return memory(gigabytes).Text()
	}
	return ""
}
