// Package match decides which product a question means, of the rows that a shop or an
// aggregator shows. A wrong product is worse than none: where a row leaves a doubt, it
// is not chosen.
//
// Texts are folded and cut into words, numbers and amounts (text.go, token.go, amount.go),
// so that case, diacritics, dashes and spaces do not matter: "RX6600" is "RX 6600". A row
// means what is asked for when every rule lets it pass:
//
//   - kind.go: the row is the sort of goods that the caller's hint or the words name.
//     Its own category says what it is, else the first telling word of its name.
//   - condition.go: it is no laptop's, used, server's or other special form of it, no
//     bundle, and not merely something for it ("do RTX 4060", "z RTX 4060").
//   - question.go: every word, number and amount of the question stands in the name, in
//     any order. Words that only describe may be missing where a model number
//     identifies the product. code.go: an order code or a bar code is found with or
//     without its dashes. memory.go: "DDR5" may go unsaid where the speed tells it.
//   - variant.go: nothing in the name makes it another variant: a suffix ("Ti", "X3D",
//     "KF"), another line ("Pro", "RGB", "WiFi", "II"), or a second model of the series.
//
// Of the rows that pass, the one whose name has the fewest other words is chosen. All
// vocabulary is Polish and English, and stands in the file of its rule; makers stand in
// maker.go.
package match

import "backend.example/services/hardware/internal/catalog"

// Candidate is a row of a shop or an aggregator from which Best chooses.
type Candidate struct {
	Name       string
	Department string // the row's own category in the site's words, "Karty graficzne"; empty when it does not say
}

// Best picks the candidate that query means and returns its index, or -1 and false
// when none does. The earlier of two that fit equally well wins.
//
// The cost is linear in the length of the names, of which only the first
// maxNameRunes are read.
func Best(query catalog.Query, candidates []Candidate) (index int, ok bool) {
	q := readQuestion(query)
	index, lowest := -1, 0
	if len(q.tokens) == 0 {
		return index, false
	}
	for i, c := range candidates {
		department := kindOfDepartment(c.Department)
		if !q.acceptsDepartment(department) {
			continue
		}
		n := readName(c, department, q)
		if cost, fits := q.cost(n); fits && (index < 0 || cost < lowest) {
			index, lowest = i, cost
		}
	}
	return index, index >= 0
}

// Category is the category of the products that query means: its hint, or else the one
// that its words name. It is empty when they name none, or goods that are no component.
func Category(query catalog.Query) catalog.Category {
	if kind := readQuestion(query).kind; isComponent(kind) {
		return catalog.Category(kind)
	}
	return ""
}
