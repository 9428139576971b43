package pages

import (
	"net/url"
	"slices"
	"strings"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/rankings"
)

// maxItems bounds a build: each part may take a look-up.
const maxItems = 12

// basket is a build. It lives in the address alone: one parameter a part, named
// after its kind.
type basket []item

type item struct {
	Kind  kind
	Query catalog.Query
}

// parseBasket takes from the parameters of an address what is a part; the rest
// is left alone. A kind of which a build has one keeps the last.
func parseBasket(values url.Values) (b basket) {
	for _, k := range kinds() {
		for _, name := range values[k.Key] {
			if q, err := catalog.ParseQuery(name, k.Category); err == nil {
				b = b.with(k, q)
			}
		}
	}
	return b[:min(len(b), maxItems)]
}

// with adds a part, or replaces the one in its place.
func (b basket) with(k kind, q catalog.Query) basket {
	same := func(i item) bool {
		return i.Kind.Key == k.Key && (!k.Many || i.Query.Folded() == q.Folded())
	}
	return append(slices.DeleteFunc(slices.Clone(b), same), item{Kind: k, Query: q})
}

// without leaves out the part at i.
func (b basket) without(i int) basket { return slices.Delete(slices.Clone(b), i, i+1) }

// address is path with the build, and with pairs of further parameters unless they are
// empty.
func address(path string, b basket, pairs ...string) string {
	values := url.Values{}
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			values.Add(pair[0], pair[1])
		}
	}
	for _, i := range b {
		values.Add(i.Kind.Key, i.Query.Text)
	}
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// basketView is the build beside a page, and the fields that carry it through a
// form, which loses the parameters of its address.
type basketView struct {
	Items basket
	Href  string
}

func (b basket) view() basketView { return basketView{Items: b, Href: address(buildPath, b)} }

// partName is how shops are asked for a part of a ranking: without the year of a
// model or the size of a cache in brackets.
func partName(row rankings.Row) string {
	var name strings.Builder
	depth := 0
	for _, r := range row.Name() {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth = max(depth-1, 0)
		case depth == 0:
			name.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(name.String()), " ")
}
