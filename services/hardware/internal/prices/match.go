package prices

import (
	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/match"
)

// Match is what the search for a query led to. It is kept far longer than prices are,
// so that the same question later costs no search.
type Match struct {
	Number string `json:"number,omitempty"` // of the product whose page has the offers; empty if the search is the whole answer
	Key    string `json:"key,omitempty"`    // under which the product's offers are kept
	// Price is the answer when there is no Number, else what the search showed of the
	// product. Its name is the one by which the product was last found to be meant.
	Price
}

// matchBytes is what a match takes besides its price and its texts.
const matchBytes = 40

// Size implements lookup.Value.
func (m Match) Size() int { return m.Price.Size() + matchBytes + len(m.Number) + len(m.Key) }

// AnswerOf is the answer of a search that led to no product page.
func AnswerOf(m *lookup.Answer[Match]) *Answer {
	return &Answer{Value: m.Value.Price, Lifetime: m.Lifetime}
}

// fits reports whether a product of that name is what q means.
func fits(q catalog.Query, name string) bool {
	_, ok := match.Best(q, []match.Candidate{{Name: name}})
	return ok
}
