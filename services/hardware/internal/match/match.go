// Package match decides which product a query means, of the names that a shop or an
// aggregator shows. It reads text alone: words, model numbers, amounts and variants.
package match

import (
	"slices"

	"backend.example/services/hardware/internal/catalog"
)

// Best picks the name that q means and returns its index, or -1 and false
// when no name does.
//
// A name means what q asks for when every word, number and amount of q stands
// in it, in any order, and nothing in it makes it another product: a variant
// suffix that q lacks ("Ti", "SUPER", "X3D", "KF", "Pro"), a second model of the
// same series, or another kind of goods (a computer, a water block). Words that
// only describe may be missing from the name once a model number identifies
// the product ("karta graficzna", "NVIDIA"). Other extra words are allowed; the
// name with the fewest outside brackets wins, and the earlier of two equals.
//
// The cost is linear in the length of the names, of which only the first
// maxNameRunes are read.
func Best(q catalog.Query, names []string) (index int, ok bool) {
	w := newWish(q)
	index, lowest := -1, 0
	if len(w.tokens) == 0 {
		return index, false
	}
	for i, name := range names {
		cost, fits := w.cost(readName(tokenize(name), w))
		if fits && (index < 0 || cost < lowest) {
			index, lowest = i, cost
		}
	}
	return index, index >= 0
}

// wish is a query, read once for all names.
type wish struct {
	tokens     []token
	at         map[string][]int // positions of tokens by text
	kind       string           // kind of goods meant, empty when unknown
	category   string           // the caller's hint
	identified bool             // a model number is among the tokens
	words      int              // words that say more than the kind of goods
}

func newWish(q catalog.Query) wish {
	w := wish{tokens: tokenize(q.Text), category: string(q.Category)}
	w.at = positions(w.tokens)
	for _, t := range w.tokens {
		switch {
		case t.form == number:
			w.identified = true
		case t.form == word && !isDescriptive(t.text) && kindOf(t.text) == "":
			w.words++
		}
	}
	w.kind = w.meantKind()
	return w
}

// meantKind prefers what the query says to the hint, and both to what a series
// name such as "RTX" implies.
func (w wish) meantKind() string {
	if kind := firstKind(w.tokens); kind != "" {
		return kind
	}
	if w.category != "" {
		return w.category
	}
	for _, t := range w.tokens {
		if kind := seriesKind(t.text); kind != "" {
			return kind
		}
	}
	return ""
}

// has reports whether the query holds t.
func (w wish) has(t token) bool {
	return slices.ContainsFunc(w.at[t.text], func(i int) bool { return w.tokens[i].same(t) })
}

// optional reports whether a name may lack t and still be the product meant.
func (w wish) optional(t token) bool {
	if t.form != word {
		return false
	}
	if kind := kindOf(t.text); kind != "" {
		return isComponent(kind) && (kind == w.category || w.identified || w.words >= 2)
	}
	return isDescriptive(t.text) && w.identified
}

// cost counts the words of n that q lacks and the optional ones that n lacks;
// it is false when n is another product.
func (w wish) cost(n name) (int, bool) {
	if !w.acceptsKind(firstKind(n.tokens)) || n.unwanted() || w.otherModel(n) || n.otherLine() {
		return 0, false
	}
	missing := 0
	for i, t := range w.tokens {
		switch {
		case w.found(i, n):
		case w.optional(t):
			missing++
		default:
			return 0, false
		}
	}
	return missing + n.extraRuns(), true
}

// acceptsKind compares the kind of goods that a name states with the one meant.
func (w wish) acceptsKind(stated string) bool {
	if stated == "" || stated == w.kind {
		return true
	}
	return w.kind == "" && isComponent(stated)
}

// found reports whether token i of the query stands in n, in its own right and
// not as part of another model.
func (w wish) found(i int, n name) bool {
	t := w.tokens[i]
	at := n.at[t.text]
	if t.form == word {
		return len(at) > 0
	}
	found := false
	for _, p := range at {
		if !n.tokens[p].same(t) || !w.bound(i, n, p) {
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
func (w wish) bound(i int, n name, p int) bool {
	if w.tokens[i].form != number || n.tokens[p].form != number {
		return true
	}
	if before := w.ownPrefix(i); before != "" && (p == 0 || n.tokens[p-1].text != before) {
		return false
	}
	tail := tailOf(n.tokens, p)
	for _, s := range tailOf(w.tokens, i) {
		t := w.tokens[s]
		belongs := t.glued || len(t.text) == 1
		if belongs && !slices.ContainsFunc(tail, func(m int) bool { return n.tokens[m].same(t) }) {
			return false
		}
	}
	return true
}

// ownPrefix is the word that number i of the query means nothing without.
func (w wish) ownPrefix(i int) string {
	if i == 0 || w.tokens[i-1].form != word {
		return ""
	}
	before := w.tokens[i-1]
	short := len(w.tokens[i].text) <= 2 && !before.glued && kindOf(before.text) == ""
	if w.tokens[i].glued || short {
		return before.text
	}
	return ""
}

// otherModel reports whether n puts another number of the same length behind a
// word that the query follows by a number: "RTX 4060" where "RTX 4070" is asked.
func (w wish) otherModel(n name) bool {
	for i := 1; i < len(w.tokens); i++ {
		before, asked := w.tokens[i-1], w.tokens[i]
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
