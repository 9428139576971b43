// Package match decides which row of a shop or an aggregator is the product that a query
// means. A wrong product is worse than none: a doubtful row is not chosen.
//
// Texts are folded and cut into words, numbers and amounts (text.go, token.go, amount.go),
// so that case, diacritics, dashes and spaces do not matter: "RX6600" is "RX 6600". A row
// matches if it passes every rule:
//
//   - kind.go: the row is of the kind of goods that the caller's hint or the words name.
//     Its own category decides, or else the first word of its name that names a kind.
//   - condition.go: it is no special form, such as a laptop's, a server's or a used one, no
//     bundle, and no accessory ("do RTX 4060", "z RTX 4060").
//   - question.go: every word, number and amount of the query is in the name, in any order.
//     Descriptive words may be missing if a model number identifies the product.
//   - code.go: an order code or a bar code is found with or without its dashes.
//   - amount.go: units, kits, and "DDR5", which may be missing if the speed implies it.
//   - variant.go: nothing in the name makes it another variant: a suffix ("Ti", "X3D",
//     "KF"), another line ("Pro", "RGB", "WiFi", "II"), or a second model of the series.
//
// Of the rows that pass, the one whose name has the fewest other words is chosen. The
// vocabulary is Polish and English, and is in the file of its rule.
package match

import "backend.example/services/hardware/internal/catalog"

// Candidate is a row of a shop or an aggregator from which Best chooses.
type Candidate struct {
	Name       string
	Department string // the row's own category in the site's words, "Karty graficzne"; may be empty
}

// Best returns the index of the candidate that query means, or -1 and false if there is
// none. The earlier of two that fit equally well wins.
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

// Category returns the category of the products that query means: its hint, or else the one
// that its words name. It is empty if they name none, or goods that are no component.
func Category(query catalog.Query) catalog.Category {
	if kind := readQuestion(query).kind; isComponent(kind) {
		return catalog.Category(kind)
	}
	return ""
}
