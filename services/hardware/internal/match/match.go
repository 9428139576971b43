// Package match decides which row of a shop or an aggregator is the product that a query means. A wrong product is
// worse than none: a doubtful row is not chosen.
//
// Texts are folded and cut into words, numbers and amounts (text.go, token.go, amount.go): "RX6600" is "RX 6600". A
// row matches if it passes every rule:
//
//   - kind.go: it is of the kind of goods that the caller's hint or the words name; laptops also show by their
//     series.
//   - condition.go: it is no special form (a laptop's, a used one), no bundle, and no accessory ("do RTX 4060").
//   - question.go: it has every word, number and amount of the query, in any order. Descriptive words may be
//     missing if a model number identifies the product.
//   - code.go: an order code or a bar code is found with or without its dashes.
//   - amount.go: units, kits, and "DDR5", which may be missing if the speed implies it.
//   - typo.go: if nothing else is found, one misspelt word is corrected.
//   - variant.go: nothing makes it another variant: a suffix ("Ti", "X3D"), another line ("Pro", "WiFi", "II"), or
//     a second model of the series.
//
// Of the rows that pass, the one whose name has the fewest other words is chosen; for a graphics chip the cheapest
// card; none if they differ in technology or form factor (technology.go). Titles of offers are held to
// the same rules (offer.go). The words are in vocabulary.txt.
//
// Rules that cite nothing follow the names of testdata, which are real: a shop's
// (https://github.com/Xeyanix/configurator-roboczy), those of https://github.com/docyx/pc-part-dataset, of the
// benchmark site and of the aggregator.
package match

import (
	"cmp"
	"slices"

	"backend.example/services/hardware/internal/catalog"
)

// Version is that of the rules. It changes with every rule that may choose another product, so that remembered
// products are searched for again.
const Version = "13"

// Candidate is a row of a shop or an aggregator from which Choose chooses.
type Candidate struct {
	Name       string
	Department string  // the row's category in the site's words; may be empty
	Price      float64 // the lowest; zero if unknown
	Single     bool    // has one shop's offer; others are preferred
}

// Choice is which of the candidates a query means.
type Choice struct {
	Index     int   // of the one that is meant, -1 if none is
	Ambiguous bool  // the matching ones differ in technology or form factor, so none is chosen
	Others    []int // candidates that the query means as well; all of them if Ambiguous
}

func (c Choice) found() bool { return c.Index >= 0 || c.Ambiguous }

// Choose returns which candidate query means; of two that fit equally well the earlier. The cost is linear in the
// length of the names, of which only the first maxNameRunes are read.
func Choose(query catalog.Query, candidates []Candidate) Choice {
	c := readQuestion(query).choose(candidates)
	if c.found() {
		return c
	}
	for _, corrected := range corrections(query, candidates) {
		switch other := readQuestion(corrected).choose(candidates); {
		case !other.found():
		case c.found() && c.Index != other.Index:
			return Choice{Index: -1} // two corrections mean different candidates
		default:
			c = other
		}
	}
	return c
}

// Means reports whether query means the product of that name.
func Means(query catalog.Query, name string) bool {
	return Choose(query, []Candidate{{Name: name}}).Index == 0
}

// fit is a candidate that matches a question.
type fit struct {
	Candidate
	traits
	kind  string // of goods
	index int    // among the candidates
	cost  int    // number of words that only the question or only the name has
}

func (q question) choose(candidates []Candidate) Choice {
	if len(q.tokens) == 0 {
		return Choice{Index: -1}
	}
	var fits []fit
	for i, c := range candidates {
		department := kindOfDepartment(c.Department)
		if department != "" && q.kind != "" && department != q.kind {
			continue
		}
		n := readName(c, department, q)
		if cost, ok := q.cost(n); ok {
			kind := cmp.Or(q.kind, department, kindMeant(n.tokens))
			fits = append(fits, fit{c, n.says, kind, i, cost})
		}
	}
	if len(fits) == 0 {
		return Choice{Index: -1}
	}
	slices.SortStableFunc(fits, q.compare)
	others := make([]int, len(fits))
	for i, f := range fits {
		others[i] = f.index
	}
	switch {
	case isAmbiguous(fits):
		return Choice{Index: -1, Ambiguous: true, Others: others}
	case q.isChip():
		return Choice{Index: others[0], Others: others[1:]}
	}
	return Choice{Index: others[0]}
}

// compare orders fits, the best first.
func (q question) compare(a, b fit) int {
	if q.isChip() {
		return cmp.Or(compareBool(a.Single, b.Single), compareBool(a.Price == 0, b.Price == 0),
			cmp.Compare(a.Price, b.Price), cmp.Compare(a.cost, b.cost))
	}
	return cmp.Or(compareBool(a.Single, b.Single), cmp.Compare(a.cost, b.cost))
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Category returns the category that query means: its hint, or else what its words name. It is empty if they name
// none, or goods that are no component.
func Category(query catalog.Query) catalog.Category {
	if kind := readQuestion(query).kind; isComponent(kind) {
		return catalog.Category(kind)
	}
	return ""
}
