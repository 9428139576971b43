package web

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"backend.example/services/hardware/internal/catalog"
)

const (
	maxItems = 20 // parts of a build: each may take a look-up
	maxTitle = 60 // characters of a build's name
)

// titleParameter names a build in addresses, and limitParameter is what it may cost.
const (
	titleParameter = "tytul"
	limitParameter = "limit"
)

// basket is a build. It lives in the address alone: its title, its limit, and one parameter a
// part, named after its kind.
type basket struct {
	Title   string
	Limit   float64 // what all parts may cost, in PLN; zero: not said
	Items   []item
	Dropped int // parts of an address that holds more than maxItems
}

type item struct {
	Kind  kind
	Query catalog.Query
}

// parseBasket takes from the parameters of an address what is a title or a part; the rest
// is left alone. A kind of which a build has one keeps the last. However many there are, only
// maxItems names are read.
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

// parseTitle cuts a title to its length, and leaves out what cannot be seen.
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

// with adds a part, or replaces the one in its place.
func (b basket) with(k kind, q catalog.Query) basket {
	same := func(i item) bool {
		return i.Kind.Key == k.Key && (!k.Many || i.Query.Folded() == q.Folded())
	}
	b.Items = append(slices.DeleteFunc(slices.Clone(b.Items), same), item{Kind: k, Query: q})
	return b
}

// without leaves out the part at i.
func (b basket) without(i int) basket {
	b.Items = slices.Delete(slices.Clone(b.Items), i, i+1)
	return b
}

// address is path with the build, and with pairs of further parameters unless they are
// empty.
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

// Budget is the limit as its field holds it.
func (b basket) Budget() string {
	if b.Limit == 0 {
		return ""
	}
	return decimal(b.Limit)
}

// basketView is the build next to a page, and the fields that carry it through a
// form, which loses the parameters of its address.
type basketView struct {
	basket
	Href string
}

func (b basket) view() basketView { return basketView{b, address(buildPath, b)} }
