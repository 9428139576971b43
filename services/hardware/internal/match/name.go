package match

import (
	"slices"
)

// name is a product name, read against one query.
type name struct {
	tokens  []token
	at      map[string][]int
	matched []bool // the query holds the token too
}

func readName(tokens []token, q parsedQuery) name {
	n := name{tokens: tokens, at: positions(tokens), matched: make([]bool, len(tokens))}
	for i, t := range tokens {
		n.matched[i] = q.has(t)
	}
	return n
}

// unwanted reports a word that makes the goods another thing than the same
// words without it, such as "laptop", where the query has no such word.
func (n name) unwanted() bool {
	for i, t := range n.tokens {
		if isUnwanted(t.text) && !n.matched[i] {
			return true
		}
	}
	return false
}

// otherLine reports whether a word of the query is continued to another product
// line in n: "WD Red Plus" where "WD Red" is asked. Before the model number such
// a word is part of a brand's naming ("MSI PRO B650-P") and no reason.
func (n name) otherLine() bool {
	last := -1
	for p, t := range n.tokens {
		if t.form == number && n.matched[p] {
			last = p
		}
	}
	for p := max(last, 0) + 1; p < len(n.tokens); p++ {
		before := n.tokens[p-1]
		if !n.matched[p] && isLineWord(n.tokens[p].text) && n.matched[p-1] && before.form == word && kindOf(before.text) == "" {
			return true
		}
	}
	return false
}

// extraRuns counts the words as written, outside brackets, of which the query
// holds nothing.
func (n name) extraRuns() int {
	extra := 0
	for i := 0; i < len(n.tokens); {
		run, hit := n.tokens[i].run, false
		for ; i < len(n.tokens) && n.tokens[i].run == run; i++ {
			hit = hit || n.matched[i] || n.tokens[i].implied || n.tokens[i].aside
		}
		if !hit {
			extra++
		}
	}
	return extra
}

// verdict says what an occurrence of a number in a name is.
type verdict int

const (
	exact        verdict = iota // the number asked for, with no suffix of its own
	otherThing                  // part of an order code or of a longer designation
	otherVariant                // the model asked for, but a variant of it
)

// judge looks at the suffixes of the number at p that the query lacks.
func (n name) judge(p int) verdict {
	if n.tokens[p].form != number {
		return exact
	}
	if p > 0 && n.tokens[p].glued && len(n.tokens[p-1].text) == 1 && !n.matched[p-1] {
		return otherThing
	}
	for _, s := range tailOf(n.tokens, p) {
		if n.matched[s] {
			continue
		}
		if !n.tokens[s].glued || n.tokens[s].run != n.tokens[p].run || isVariant(runText(n.tokens, p+1)) {
			return otherVariant
		}
		return otherThing
	}
	if n.strongAfter(p) {
		return otherVariant
	}
	return exact
}

// strongAfter reports a suffix that makes another chip, wherever it stands
// behind the number: "RTX 4070 Gaming Ti".
func (n name) strongAfter(p int) bool {
	for s := p + 1; s < len(n.tokens); s++ {
		if !n.matched[s] && !n.tokens[s].glued && isStrongVariant(runText(n.tokens, s)) {
			return true
		}
	}
	return false
}

// tailOf lists the tokens that modify the number at p: those written together
// with it, and the variant suffixes right behind it. Amounts in between do not
// break the chain ("980 1TB Pro").
func tailOf(tokens []token, p int) []int {
	var tail []int
	i := p + 1
	for ; i < len(tokens) && tokens[i].glued; i++ {
		tail = append(tail, i)
	}
	for i < len(tokens) && (tokens[i].form == amount || isVariant(runText(tokens, i))) {
		first := i
		for i++; i < len(tokens) && tokens[i].glued; i++ {
		}
		if tokens[first].form != amount {
			tail = slices.AppendSeq(tail, indexes(first, i))
		}
	}
	return tail
}

// indexes yields from, from+1 … to-1.
func indexes(from, to int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := from; i < to && yield(i); i++ {
		}
	}
}

// runText is the word as written from token i on: "x3d" for its "x".
func runText(tokens []token, i int) string {
	text := tokens[i].text
	for j := i + 1; j < len(tokens) && tokens[j].glued && len(text) <= maxVariantLength; j++ {
		text += tokens[j].text
	}
	return text
}

// positions indexes tokens by their text.
func positions(tokens []token) map[string][]int {
	at := make(map[string][]int, len(tokens))
	for i, t := range tokens {
		at[t.text] = append(at[t.text], i)
	}
	return at
}
