// Package match decides which product a query means, of the names that a shop or an
// aggregator shows. It reads text alone: words, model numbers, amounts and variants.
package match

import (
	"slices"

	"backend.example/services/hardware/internal/catalog"
)

// Best picks the name that query means and returns its index, or -1 and false
// when no name does.
//
// A name means what a query asks for when every word, number and amount of it stands
// in it, in any order, and nothing in it makes it another product: a variant
// suffix that the query lacks ("Ti", "SUPER", "X3D", "KF", "Pro"), a second model of the
// same series, or another kind of goods (a computer, a water block). Words that
// only describe may be missing from the name once a model number identifies
// the product ("karta graficzna", "NVIDIA"). Other extra words are allowed; the
// name with the fewest outside brackets wins, and the earlier of two equals.
//
// The cost is linear in the length of the names, of which only the first
// maxNameRunes are read.
func Best(query catalog.Query, names []string) (index int, ok bool) {
	q := parseQuery(query)
	index, lowest := -1, 0
	if len(q.tokens) == 0 {
		return index, false
	}
	for i, name := range names {
		cost, fits := q.cost(readName(tokenize(name), q))
		if fits && (index < 0 || cost < lowest) {
			index, lowest = i, cost
		}
	}
	return index, index >= 0
}

// Category is the category of the products that query means: its hint, or else the one
// that its words name. It is empty when they name none, or goods that are no component.
func Category(query catalog.Query) catalog.Category {
	if query.Category != "" {
		return query.Category
	}
	q := parseQuery(query)
	if q.kind == "" && slices.ContainsFunc(q.tokens, func(t token) bool { return isMemoryWord(t.text) }) {
		return "ram"
	}
	if !isComponent(q.kind) {
		return ""
	}
	return catalog.Category(q.kind)
}

// parsedQuery is a query, read once for all names.
type parsedQuery struct {
	tokens     []token
	at         map[string][]int // positions of tokens by text
	kind       string           // kind of goods meant, empty when unknown
	category   string           // the caller's hint
	identified bool             // a model number is among the tokens
	words      int              // words that say more than the kind of goods
}

func parseQuery(query catalog.Query) parsedQuery {
	q := parsedQuery{tokens: tokenize(query.Text), category: string(query.Category)}
	q.at = positions(q.tokens)
	for _, t := range q.tokens {
		switch {
		case t.form == number:
			q.identified = true
		case t.form == word && !isDescriptive(t.text) && kindOf(t.text) == "":
			q.words++
		}
	}
	q.kind = q.meantKind()
	return q
}

// meantKind prefers what the query says to the hint, and both to what a series
// name such as "RTX" implies.
func (q parsedQuery) meantKind() string {
	if kind := firstKind(q.tokens); kind != "" {
		return kind
	}
	if q.category != "" {
		return q.category
	}
	for _, t := range q.tokens {
		if kind := seriesKind(t.text); kind != "" {
			return kind
		}
	}
	return ""
}

// has reports whether the query holds t.
func (q parsedQuery) has(t token) bool {
	return slices.ContainsFunc(q.at[t.text], func(i int) bool { return q.tokens[i].same(t) })
}

// optional reports whether a name may lack t and still be the product meant.
func (q parsedQuery) optional(t token) bool {
	if t.form != word {
		return false
	}
	if kind := kindOf(t.text); kind != "" {
		return isComponent(kind) && (kind == q.category || q.identified || q.words >= 2)
	}
	return isDescriptive(t.text) && q.identified
}

// cost counts the words of n that q lacks and the optional ones that n lacks;
// it is false when n is another product.
func (q parsedQuery) cost(n name) (int, bool) {
	if !q.acceptsKind(firstKind(n.tokens)) || n.unwanted() || q.otherModel(n) || n.otherLine() {
		return 0, false
	}
	missing := 0
	for i, t := range q.tokens {
		switch {
		case q.found(i, n):
		case q.optional(t):
			missing++
		default:
			return 0, false
		}
	}
	return missing + n.extraRuns(), true
}

// acceptsKind compares the kind of goods that a name states with the one meant.
func (q parsedQuery) acceptsKind(stated string) bool {
	if stated == "" || stated == q.kind {
		return true
	}
	return q.kind == "" && isComponent(stated)
}

// found reports whether token i of the query stands in n, in its own right and
// not as part of another model.
func (q parsedQuery) found(i int, n name) bool {
	t := q.tokens[i]
	at := n.at[t.text]
	if t.form == word {
		return len(at) > 0
	}
	found := false
	for _, p := range at {
		if !n.tokens[p].same(t) || !q.bound(i, n, p) {
			continue
		}
		switch v := n.judge(p); {
		case v == exact:
			found = true
		case v == otherVariant && t.form == number:
			return false
		}
	}
	return found
}

// bound reports whether the neighbours that belong to number i of the query
// also stand beside p in n: the "i" of "i5", the "Ryzen" of "Ryzen 7", the "KF"
// of "13600KF".
func (q parsedQuery) bound(i int, n name, p int) bool {
	if q.tokens[i].form != number || n.tokens[p].form != number {
		return true
	}
	if before := q.ownPrefix(i); before != "" && (p == 0 || n.tokens[p-1].text != before) {
		return false
	}
	tail := tailOf(n.tokens, p)
	for _, s := range tailOf(q.tokens, i) {
		t := q.tokens[s]
		belongs := t.glued || len(t.text) == 1
		if belongs && !slices.ContainsFunc(tail, func(m int) bool { return n.tokens[m].same(t) }) {
			return false
		}
	}
	return true
}

// ownPrefix is the word that number i of the query means nothing without.
func (q parsedQuery) ownPrefix(i int) string {
	if i == 0 || q.tokens[i-1].form != word {
		return ""
	}
	before := q.tokens[i-1]
	short := len(q.tokens[i].text) <= 2 && !before.glued && kindOf(before.text) == ""
	if q.tokens[i].glued || short {
		return before.text
	}
	return ""
}

// otherModel reports whether n puts another number of the same length behind a
// word that the query follows by a number: "RTX 4060" where "RTX 4070" is asked.
func (q parsedQuery) otherModel(n name) bool {
	for i := 1; i < len(q.tokens); i++ {
		before, asked := q.tokens[i-1], q.tokens[i]
		if before.form != word || before.glued || asked.form != number {
			continue
		}
		for _, p := range n.at[before.text] {
			if p+1 < len(n.tokens) && n.tokens[p+1].form == number &&
				len(n.tokens[p+1].text) == len(asked.text) && !n.matched[p+1] {
				return true
			}
		}
	}
	return false
}

// firstKind is the kind of goods that the first telling word names.
func firstKind(tokens []token) string {
	for _, t := range tokens {
		if kind := kindOf(t.text); kind != "" && t.form == word {
			return kind
		}
	}
	return ""
}
