package match

import (
	"slices"
	"strings"
)

// otherModel reports whether n puts another number of the same length behind a
// word that the question follows by a number: "RTX 4060" where "RTX 4070" is asked.
func (q question) otherModel(n name) bool {
	for i := 1; i < len(q.tokens); i++ {
		before, asked := q.tokens[i-1], q.tokens[i]
		if before.form != word || before.glued || asked.form != number {
			continue
		}
		for _, p := range n.at[before.text] {
			if !n.tokens[p].glued && p+1 < len(n.tokens) && n.tokens[p+1].form == number &&
				len(n.tokens[p+1].text) == len(asked.text) && !n.matched[p+1] {
				return true
			}
		}
	}
	return false
}

// otherVariant reports whether a word of n turns what the question asks for into
// another product: "WD Red Plus" where "WD Red" is asked, "B550-PLUS WIFI" where
// "B550-PLUS" is.
func (q question) otherVariant(n name) bool {
	if q.isAnyBoard() {
		return false
	}
	numbered := false // a number of the question stands before
	for p, t := range n.tokens {
		if n.matched[p] {
			numbered = numbered || t.form == number
			continue
		}
		if t.glued || t.aside {
			continue
		}
		run := runText(n.tokens, p)
		if numbered && isStrongVariant(run) {
			return true
		}
		if a := n.anchor(p); a >= 0 && q.isVariant(run, n.tokens[a]) {
			return true
		}
	}
	return false
}

// isAnyBoard reports a question for any motherboard with a chipset, "płyta główna
// B650M": all its boards are other words behind the chipset.
func (q question) isAnyBoard() bool {
	last := len(q.tokens) - 1
	if q.tokens[last].glued && q.tokens[last].form == word {
		last--
	}
	return q.kind == "motherboard" && q.words == 0 && isBoardChipset(q.tokens, last)
}

// anchor is the token that a variant word at p modifies, when the question holds it,
// and -1 where there is none.
func (n name) anchor(p int) int {
	a := n.modified(p, func(a int) bool { return n.matched[a] })
	if a < 0 || !n.matched[a] {
		return -1
	}
	return a
}

// modified is the token that a variant word at p modifies: the one before, amounts, words
// that only describe and colours that the question lacks aside. It is -1 where there is
// none. Some makers put "PRO" before their models.
func (x text) modified(p int, asked func(a int) bool) int {
	for a := p - 1; a >= 0; a-- {
		t := x.tokens[a]
		if t.form == amount || kindOf(t.text) != "" || isDescriptive(t.text) || isColour(t.text) && !asked(a) {
			continue
		}
		if t.text == "msi" || t.text == "asus" {
			return -1
		}
		return a
	}
	return -1
}

// modifiesTheSame reports whether the word i of the question modifies the same word
// at p in n. Only that tells "B650 GAMING PLUS" from "GAMING B650-PLUS".
func (q question) modifiesTheSame(i int, n name, p int) bool {
	switch q.tokens[i].text {
	case "pro", "plus", "max", "elite":
		never := func(int) bool { return false }
		asked, there := q.modified(i, never), n.modified(p, never)
		if asked < 0 {
			return true
		}
		isSpeed := func(p int) bool { return n.tokens[p].form == amount && q.tokens[asked].form == number }
		what := q.tokens[asked].text
		return there >= 0 && what == n.tokens[there].text || slices.ContainsFunc(n.at[what], isSpeed)
	}
	return true
}

// isVariant reports a word that makes another product of what stands at its anchor. A
// graphics chip has few variants: behind its number stand the names of cards.
func (q question) isVariant(run string, anchor token) bool {
	switch {
	case isStrongVariant(run):
		return true
	case q.kind == "gpu" && (anchor.form == number || isStrongVariant(anchor.text) || anchor.text == "d"):
		return run == "d" || run == "m" || run == "s" || run == "maxq"
	case strings.HasPrefix(run, "ddr"):
		return q.kind == "motherboard"
	}
	return isLine(run) || isEdition(run) || len(run) == 1 && strings.Contains("acdegkmpsxz", run) ||
		anchor.form == number && isSuffix(run)
}

// isStrongVariant reports a suffix that makes another product wherever it stands
// behind the model number.
func isStrongVariant(s string) bool {
	switch s {
	case "ti", "super", "xt", "xtx", "gre", "x3d":
		return true
	}
	return false
}

// isSuffix reports letters that modify a number, be they written together with it or
// behind it.
func isSuffix(s string) bool {
	switch s {
	case "b", "f", "h", "l", "r", "t", "kf", "ks", "ge", "gt", "xs", "hx", "hs", "hk", "xl", "maxq",
		"air", "core", "digital", "dual", "dx", "fx":
		return true
	}
	return false
}

// isLine reports a word that names another line of products.
func isLine(s string) bool {
	switch s {
	case "pro", "plus", "evo", "qvo", "max", "lite", "mini", "micro", "nano", "ultra", "elite", "slim", "compact", "xl",
		"se", "ve", "pg5", "redux", "chromax", "shield", "touch", "trio", "neo", "royal",
		"lpx", "sl", "rs", "rt", "rgb", "argb", "tuf", "premium", "ax", "ac", "ice", "csm", "mark":
		return true
	}
	return hasPrefix(s, "wifi", "wf")
}

// isEdition reports a later edition of the same product: "II", "V2", "G3", "R2.0".
func isEdition(s string) bool {
	switch s {
	case "ii", "iii", "iv":
		return true
	}
	return len(s) >= 2 && len(s) <= 4 && strings.Contains("vgr", s[:1]) && isDigit(rune(s[1]))
}

func isColour(s string) bool {
	switch s {
	case "black", "white", "silver", "grey", "gray", "red", "blue", "green", "pink", "gold":
		return true
	}
	return hasPrefix(s, "czarn", "bial", "srebrn", "szar", "czerwon", "niebiesk", "zielon", "zlot")
}

// standsAlone reports whether the token at p is no part of a longer designation that
// the question lacks: the 5600 of "5600X", the 4070 of "N4070", the Pro of "Pro4".
func (n name) standsAlone(p int) bool {
	t := n.tokens[p]
	if t.form == amount || t.form == word && takesNumber(t.text) {
		return true
	}
	if t.form == number && p > 0 && t.glued && len(n.tokens[p-1].text) == 1 && !n.matched[p-1] {
		return false
	}
	for s := p + 1; s < len(n.tokens) && n.tokens[s].glued; s++ {
		if !n.matched[s] {
			return false
		}
	}
	return true
}

// takesNumber reports a word that means something whatever number follows.
func takesNumber(s string) bool {
	switch s {
	case "rtx", "gtx", "rx", "ddr", "gddr", "wifi", "usb", "pcie":
		return true
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
	for i < len(tokens) && (tokens[i].form == amount || question{}.isVariant(runText(tokens, i), tokens[p])) {
		suffix := tokens[i].form != amount
		for first := i; i == first || i < len(tokens) && tokens[i].glued; i++ {
			if suffix {
				tail = append(tail, i)
			}
		}
	}
	return tail
}

// maxVariantLength is the length of the longest variant, in bytes.
const maxVariantLength = 7

// runText is the word as written from token i on: "x3d" for its "x".
func runText(tokens []token, i int) string {
	s := tokens[i].text
	for j := i + 1; j < len(tokens) && tokens[j].glued && len(s) <= maxVariantLength; j++ {
		s += tokens[j].text
	}
	return s
}
