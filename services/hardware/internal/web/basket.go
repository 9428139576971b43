package web

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/internal/kit/fault"
)

const (
	maxItems = 20
	maxTitle = 60
)

const (
	titleParameter = "tytul"
	limitParameter = "limit"
)

// basket is a build. It lives in the address alone: a title, a limit, and a parameter for each part, named after
// its kind.
type basket struct {
	Title   string
	Limit   float64 // in PLN; 0 if there is none
	Items   []item
	Dropped int // beyond maxItems
}

type item struct {
	Kind  kind
	Query catalog.Query
}

// parseBasket ignores other parameters. A kind of which a build has one keeps the last.
func parseBasket(values url.Values) basket {
	b := basket{Title: parseTitle(values.Get(titleParameter)), Limit: parseBudget(values.Get(limitParameter))}
	for _, k := range kinds() {
		names := values[k.Key]
		if !k.Many {
			names = names[max(0, len(names)-1):]
		}
		for i, name := range names {
			if len(b.Items) == maxItems {
				b.Dropped += len(names) - i
				break
			}
			if q, err := catalog.ParseQuery(name, k.Category); err == nil && q.IsSearchable() {
				b = b.with(k, q)
			}
		}
	}
	return b
}

func parseTitle(s string) string {
	printable := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r) && r != unicode.ReplacementChar:
			return r
		}
		return -1
	}, s)
	runes := []rune(strings.Join(strings.Fields(printable), " "))
	return strings.TrimSpace(string(runes[:min(len(runes), maxTitle)]))
}

func (b basket) with(k kind, q catalog.Query) basket {
	same := func(i item) bool {
		return i.Kind.Key == k.Key && (!k.Many || i.Query.Folded() == q.Folded())
	}
	b.Items = append(slices.DeleteFunc(slices.Clone(b.Items), same), item{Kind: k, Query: q})
	return b
}

func (b basket) without(i int) basket {
	b.Items = slices.Delete(slices.Clone(b.Items), i, i+1)
	return b
}

// address adds the build and pairs of further parameters, unless they are empty, to path.
func address(path string, b basket, pairs ...string) string {
	values := b.values()
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			values.Add(pair[0], pair[1])
		}
	}
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

func (b basket) values() url.Values {
	values := url.Values{}
	if b.Title != "" {
		values.Set(titleParameter, b.Title)
	}
	if b.Limit > 0 {
		values.Set(limitParameter, b.Budget())
	}
	for _, i := range b.Items {
		values.Add(i.Kind.Key, i.Query.Text)
	}
	return values
}

// Budget returns the limit as its field shows it.
func (b basket) Budget() string {
	if b.Limit == 0 {
		return ""
	}
	return decimal(b.Limit)
}

// basketView is the build next to a page. Forms repeat it in fields, because they lose the parameters of their
// address.
type basketView struct {
	basket
	Href string
}

func (b basket) view() basketView { return basketView{b, address(buildPath, b)} }

// kind is a place in a build that a part goes to.
type kind struct {
	Key      string // parameter of the address
	Name     string
	Category catalog.Category // of queries; empty if none fits
	Families []catalog.Family // whose rankings list such parts
	Many     bool
}

// kinds are in the order of a build.
func kinds() []kind {
	return []kind{
		{Key: "cpu", Name: "Procesor", Category: "cpu", Families: []catalog.Family{"cpu"}},
		{Key: "gpu", Name: "Karta graficzna", Category: "gpu", Families: []catalog.Family{"gpu"}},
		{Key: "motherboard", Name: "Płyta główna", Category: "motherboard"},
		{Key: "ram", Name: "Pamięć RAM", Category: "ram", Families: []catalog.Family{"ram"}, Many: true},
		{Key: "storage", Name: "Dysk", Category: "storage", Families: []catalog.Family{"ssd", "hdd"}, Many: true},
		{Key: "psu", Name: "Zasilacz", Category: "psu"},
		{Key: "cooling", Name: "Chłodzenie", Category: "cooling"},
		{Key: "case", Name: "Obudowa", Category: "case"},
		{Key: "usb", Name: "Pamięć USB", Families: []catalog.Family{"usb"}, Many: true},
	}
}

func parseKind(key string) (kind, error) {
	all := kinds()
	if i := slices.IndexFunc(all, func(k kind) bool { return k.Key == key }); i >= 0 {
		return all[i], nil
	}
	return kind{}, fault.New(fault.NotFound, "unknown_kind", "Nie ma takiego rodzaju podzespołu.")
}

func parseFamily(name string) (catalog.Family, error) {
	f, err := catalog.ParseFamily(name)
	if err != nil {
		return "", fault.Wrap(err, fault.NotFound, "unknown_type", "Nie ma takiej rodziny podzespołów.")
	}
	return f, nil
}

func kindOf(f catalog.Family) kind {
	all := kinds()
	return all[slices.IndexFunc(all, func(k kind) bool { return slices.Contains(k.Families, f) })]
}

func familyName(f catalog.Family) string {
	return map[catalog.Family]string{
		"cpu": "Procesory", "gpu": "Karty graficzne", "ssd": "Dyski SSD", "hdd": "Dyski HDD", "ram": "Pamięć RAM",
		"usb": "Pamięci USB",
	}[f]
}

func memoryLabel(f catalog.Family) string {
	if f == "gpu" {
		return "Pamięć"
	}
	return "Pojemność"
}
