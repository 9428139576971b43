package match

import (
	"regexp"
	"slices"

	"backend.example/services/hardware/internal/catalog"
)

// returnPolicy is how shops promise that goods may be returned: "bezpłatny zwrot Paczkomatem aż
// do 15 dni" on a page captured from the aggregator. It says nothing about the goods.
var returnPolicy = regexp.MustCompile(`(?i)(darmow|bezpłatn|łatw|prost|szybk)\p{L}* zwrot\p{L}*|(dni|prawo|możliwość) (na|do)? ?zwrot\p{L}*`)

// IsPlain reports whether title, a shop's own text for an offer of product, says nothing that
// makes it another thing: used or returned goods, a set, an accessory, another size. An empty
// title says nothing.
func IsPlain(product, title string) bool {
	q := readQuestion(catalog.Query{Text: product})
	n := readName(Candidate{Name: returnPolicy.ReplaceAllString(title, " ")}, "", q)
	for i, t := range n.tokens {
		if !n.matched[i] && (t.text == "used" || t.text == "bundle" || t.text == "komplet" || t.text == "zestaw") {
			return false
		}
	}
	if isComponent(q.kind) && !q.acceptsCondition(n) || q.merelyFor(n) || q.hasOtherSize(n) {
		return false
	}
	if q.kind == "gpu" && (n.isLaptop() || !n.startsAsCard() && !n.matched[0]) {
		return false
	}
	stated := firstKind(n.tokens)
	return stated == "" || stated == q.kind || isComponent(stated) && !isComponent(q.kind)
}

// hasOtherSize reports whether q and n both state capacities, and none is the same.
func (q question) hasOtherSize(n name) bool {
	stated := func(t token) bool { return t.unit == capacity }
	shared := func(t token) bool { return stated(t) && slices.ContainsFunc(q.tokens, t.same) }
	return slices.ContainsFunc(q.tokens, stated) && slices.ContainsFunc(n.tokens, stated) &&
		!slices.ContainsFunc(n.tokens, shared)
}
