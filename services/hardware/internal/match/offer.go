package match

import (
	"regexp"
	"slices"

	"backend.example/services/hardware/internal/catalog"
)

// harmless are phrases of shops with words for other goods that say nothing about these: "bezpłatny zwrot
// Paczkomatem aż do 15 dni".
var harmless = regexp.MustCompile(`(?i)(darmow|bezpłatn|łatw|prost|szybk)\p{L}* zwrot\p{L}*` +
	`|(dni|prawo|możliwość) (na|do)? ?zwrot\p{L}*|zwrot\p{L}* (w|do) \d+ dni` +
	`|(nie|nigdy) używan\p{L}*|\+ ?gr[ay] ([^+]{1,60} )?gratis` +
	`|do (laptopa|pc|komputera)( i |/| lub )(do )?(laptopa|pc|komputera)`)

// IsPlain reports whether title, a shop's own text for an offer of product, says nothing that makes it another
// thing: used or returned goods, a set, an accessory, another size. It may be empty.
func IsPlain(product, title string) bool {
	q := readQuestion(catalog.Query{Text: product})
	n := readName(Candidate{Name: harmless.ReplaceAllString(title, " ")}, "", q)
	for i, t := range n.tokens {
		if !n.matched[i] && slices.Contains([]string{"used", "bundle", "komplet", "zestaw"}, t.text) {
			return false
		}
	}
	isOtherPack := n.isPack() && !q.isPack()
	isFan := at(n.tokens, 0).text == "fan" // of a card
	switch {
	case isComponent(q.kind) && !q.acceptsCondition(n),
		q.merelyFor(n), q.hasOtherSize(n), isOtherPack,
		q.kind == "gpu" && (isFan || n.isLaptop()):
		return false
	}
	stated := firstKind(n.tokens)
	return stated == "" || stated == q.kind || isComponent(stated) && !isComponent(q.kind)
}

func (q question) hasOtherSize(n name) bool {
	stated := func(t token) bool { return t.unit == capacity }
	shared := func(t token) bool { return stated(t) && slices.ContainsFunc(q.tokens, t.same) }
	return slices.ContainsFunc(q.tokens, stated) && slices.ContainsFunc(n.tokens, stated) &&
		!slices.ContainsFunc(n.tokens, shared)
}
