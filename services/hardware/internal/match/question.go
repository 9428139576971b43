package match

import (
	"cmp"
	"slices"
	"strings"

	"backend.example/services/hardware/internal/catalog"
)

// question is a query after it was read.
type question struct {
	text
	kind       string // of goods that is meant; may be empty
	hint       string // the caller's category; may be empty
	identified bool   // it has a model number or an order code
	words      int    // number of words that say more than the kind of goods
	says       traits
}

func readQuestion(query catalog.Query) question {
	q := question{text: read(query.Text), hint: string(query.Category)}
	for _, t := range q.tokens {
		switch {
		case t.form == number:
			q.identified = true
		case len(t.text) > 1 && t.form == word && !isDescriptive(t.text) && !isForm(t.text) && kindOf(t.text) == "":
			q.words++
		}
	}
	q.kind, q.says = cmp.Or(q.hint, kindMeant(q.tokens)), q.traits()
	return q
}

// name is a candidate, read against one question.
type name struct {
	text
	category   string // the row's, in the site's words
	department string // the kind of goods in that category; may be empty
	matched    []bool // by token, whether the question has it too
	says       traits
}

func readName(c Candidate, department string, q question) name {
	n := name{text: read(c.Name), category: c.Department, department: department}
	n.matched, n.says = make([]bool, len(n.tokens)), n.traits()
	for p, t := range n.tokens {
		n.matched[p] = q.hasCode(n.codeOf(t)) || t.form == word && q.holds(n.text, p) ||
			slices.ContainsFunc(q.at[t.text], func(i int) bool { return q.asks(i, n, p) })
	}
	return n
}

// asks reports whether the number or amount i of the question is the one at p in n. One that is part of an order
// code which both have is not: the code as a whole matches.
func (q question) asks(i int, n name, p int) bool {
	t := q.tokens[i]
	return t.form != word && t.same(n.tokens[p]) && !n.hasCode(q.codeOf(t)) && q.prefixed(i, n, p)
}

// cost returns the number of words that only the question or only n has, and false if n is another product.
func (q question) cost(n name) (int, bool) {
	exact := q.hasPartNumberOf(n)
	if !q.acceptsKind(n) || !q.acceptsCondition(n) {
		return 0, false
	}
	if !exact && (q.otherModel(n) || q.otherVariant(n)) {
		return 0, false
	}
	missing := 0
	for i, t := range q.tokens {
		switch {
		case q.found(i, n):
		case exact || q.optional(t, n):
			missing++
		default:
			return 0, false
		}
	}
	return missing + n.extraRuns(), true
}

// found reports whether n has the token i of the question, perhaps in other words.
func (q question) found(i int, n name) bool {
	t := q.tokens[i]
	switch {
	case n.hasCode(q.codeOf(t)):
		return true
	case t.text == "pack":
		return n.isPack() || n.hasWord("pack")
	case t.form == word:
		return q.foundWord(i, n) || q.kind != "psu" && n.hasColour(t.text) || t.text == "ssd" && n.hasWord("nvme") ||
			n.isKeptUnder(t.text)
	case i > 0 && q.tokens[i-1].text == "ddr" && t.glued && !n.hasWord("ddr"):
		return t.text == cmp.Or(n.boardMemory(), n.generation())
	}
	return slices.ContainsFunc(n.at[t.text], func(p int) bool {
		return q.asks(i, n, p) && q.tailed(i, n, p) && n.standsAlone(p) && !q.claimed(i, n, p)
	})
}

// claimed reports whether the number at p in n answers another number of the question, with a prefix, instead of
// the bare number i: "S8" in n is not the last 8 of "S8/8".
func (q question) claimed(i int, n name, p int) bool {
	t := q.tokens[i]
	return t.form == number && q.ownPrefix(i) == "" && slices.ContainsFunc(q.at[t.text], func(j int) bool {
		return q.tokens[j].form == number && q.ownPrefix(j) != "" && q.prefixed(j, n, p)
	})
}

// foundWord reports whether n has the word i of the question as a word of its own that modifies the same. A word
// that n joins with another or writes in two is not checked so closely.
func (q question) foundWord(i int, n name) bool {
	places := n.at[q.tokens[i].text]
	return n.holds(q.text, i) && (len(places) == 0 || slices.ContainsFunc(places, func(p int) bool {
		return n.standsAlone(p) && q.modifiesTheSame(i, n, p)
	}))
}

// prefixed reports whether what belongs to number i of the question also stands before p in n: the "i" of "i5".
func (q question) prefixed(i int, n name, p int) bool {
	before := q.ownPrefix(i)
	if before == "" {
		return true
	}
	if n.tokens[p].form != number {
		return !q.tokens[i].glued
	}
	if p > 1 && isGrade(n.tokens[p-1].text) && n.tokens[p-2].text == before {
		return true
	}
	return p > 0 && (n.tokens[p-1].text == before || n.joined(p-2) == before || q.joined(i-2) == n.tokens[p-1].text)
}

// tailed reports whether everything that modifies number i of the question also modifies the number at p in n: the
// "Ti" of "4070 Ti".
func (q question) tailed(i int, n name, p int) bool {
	if q.tokens[i].form != number || n.tokens[p].form != number {
		return true
	}
	tail := tailOf(n.tokens, p)
	for _, s := range tailOf(q.tokens, i) {
		t := q.tokens[s]
		belongs := t.glued || len(t.text) == 1 && !n.hasWord(q.joined(s))
		if belongs && !slices.ContainsFunc(tail, func(m int) bool { return n.tokens[m].same(t) && n.standsAlone(m) }) {
			return false
		}
	}
	return true
}

// ownPrefix returns the word that belongs to number i of the question, or "": the "i" of "i5", the "ryzen" of
// "Ryzen 5".
func (q question) ownPrefix(i int) string {
	if i == 0 || q.tokens[i-1].form != word {
		return ""
	}
	before := q.tokens[i-1]
	if isGrade(before.text) && i > 1 && q.isGeneration(i) {
		before = q.tokens[i-2]
	}
	short := len(q.tokens[i].text) <= 2 && !before.glued && kindOf(before.text) == ""
	if q.tokens[i].glued || short {
		return before.text
	}
	return ""
}

// optional reports whether n may lack t.
func (q question) optional(t token, n name) bool {
	if t.form == number {
		return n.says.form == t.text // "2.5", inches
	}
	if t.unit == "ghz" {
		return q.identified && !slices.ContainsFunc(n.tokens, func(o token) bool { return o.unit == "ghz" })
	}
	if n.contradicts(t.text) {
		return false
	}
	if q.mayLackForm(t.text, n) || q.mayLackRating(t.text, n) {
		return true
	}
	isOfKind := q.kind != "" && (q.kind == q.hint || q.kind == n.department || q.kind == kindMeant(n.tokens))
	if kind := kindOf(t.text); kind != "" {
		namesKind := firstKind(n.tokens) != ""
		isClear := isOfKind || q.identified || q.words >= 3 // two words may be a maker alone, "be quiet"
		return isComponent(kind) && kind == q.kind && !namesKind && isClear
	}
	isAttribute := kindAttributes[t.text] && isOfKind
	isRedundant := isDescriptive(t.text) && q.identified
	return t.text == "bundle" || isAttribute || isRedundant || n.says.technology == t.text
}

// mayLackForm reports whether n may lack a form factor. Names of boards say it with a letter behind the chipset: M
// is micro-ATX, I is mini-ITX (https://artofpc.com/motherboard-names/).
func (q question) mayLackForm(form string, n name) bool {
	if !q.identified && q.words < 2 || n.hasOther(form, isForm) {
		return false
	}
	switch q.kind {
	case "motherboard":
		return form == n.boardForm()
	case "psu", "case", "":
		return form == "atx"
	}
	return false
}

// boardForm returns the form factor of a motherboard by the letters behind its chipset, "" without a chipset.
func (n name) boardForm() string {
	p := n.chipset()
	if p < 0 {
		return ""
	}
	const digits = 3 // of a chipset
	switch suffix := runText(n.tokens, p)[digits:]; {
	case strings.Contains(suffix, "m"):
		return "matx"
	case strings.Contains(suffix, "i"):
		return "itx"
	}
	return "atx"
}

// chipset returns the index of the number of a board's chipset, or -1.
func (x text) chipset() int {
	for i := range x.tokens {
		if isBoardChipset(x.tokens, i) {
			return i
		}
	}
	return -1
}

// boardMemory returns the DDR generation that a board's chipset implies: DDR4 up to 500, DDR5 later. Boards for
// DDR4 with a later one say so in their names (https://github.com/buildcores/buildcores-open-db).
func (n name) boardMemory() string {
	switch p := n.chipset(); {
	case p < 0:
		return ""
	case n.tokens[p].text[0] >= '6':
		return "5"
	}
	return "4"
}

// mayLackRating reports whether n may lack the efficiency of the question: many names leave out 80 PLUS Gold and
// Bronze. The ratings are those of https://www.clearesult.com/80plus/; lines with a better one say so.
func (q question) mayLackRating(rating string, n name) bool {
	return q.kind == "psu" && q.identified && (rating == "80plus" || rating == "gold" || rating == "bronze") &&
		(rating == "80plus" || !n.hasOther(rating, func(s string) bool { return ratings[s] }))
}

// extraRuns returns the number of words of n, outside of brackets, of which the question has no part.
func (n name) extraRuns() int {
	isShared := map[int]bool{} // by run
	for i, t := range n.tokens {
		isShared[t.run] = isShared[t.run] || n.matched[i] || t.implied || t.aside
	}
	extra := 0
	for _, shared := range isShared {
		if !shared {
			extra++
		}
	}
	return extra
}

// isKeptUnder reports whether word, whatever its ending, is in the row's category: names of headphones may lack
// "słuchawki", because they are in "Słuchawki".
func (n name) isKeptUnder(word string) bool {
	return len(word) >= 4 && strings.Contains(fold(n.category), word[:max(len(word)-1, 4)])
}

// contradicts reports whether n has another form, interface, socket, memory or packing than word, which it lacks.
func (n name) contradicts(word string) bool {
	switch word {
	case "hdd", "ssd":
		return n.says.technology != "" && n.says.technology != word
	case "m2":
		return len(n.at["2.5"]) > 0 || len(n.at["3.5"]) > 0
	case "box", "oem", "nvme", "sata":
		return n.hasWord(opposites[word])
	}
	return isSocket(word) && n.hasOther(word, isSocket) || isGraphicsMemory(word) &&
		(n.hasOther(word, isGraphicsMemory) || n.hasWord("ddr"))
}

var opposites = map[string]string{"box": "oem", "oem": "box", "nvme": "sata", "sata": "nvme"}

func (n name) hasOther(s string, isOfKind func(string) bool) bool {
	return slices.ContainsFunc(n.tokens, func(t token) bool { return t.text != s && isOfKind(t.text) })
}

func isSocket(s string) bool {
	return hasPrefix(s, "lga") || len(s) == 3 && strings.HasPrefix(s, "am") && isDigit(rune(s[2]))
}

func isForm(s string) bool { return formFactors[s] }

func isGraphicsMemory(s string) bool { return strings.HasPrefix(s, "gddr") }

// isDescriptive reports whether s adds nothing to a model number: a chip maker, an interface, a socket, a packing.
func isDescriptive(s string) bool {
	return descriptive[s] || kindAttributes[s] || isSocket(s) || isGraphicsMemory(s)
}
