package match

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// otherModel reports whether n has another model behind a word of the question: "RTX 4060" for "RTX 4070", "Kraken
// X73" for "Kraken 360".
func (q question) otherModel(n name) bool {
	for i := 1; i < len(q.tokens); i++ {
		before, asked := q.tokens[i-1], q.tokens[i]
		if before.form != word || before.glued || asked.form != number {
			continue
		}
		for _, p := range n.at[before.text] {
			if n.tokens[p].text == before.text && !n.tokens[p].glued && n.isOtherNumber(p+1, asked.text) {
				return true
			}
		}
	}
	return false
}

// isOtherNumber reports whether a number as long as asked is at p, or one behind a letter. The 850 of "UD850GM
// (GP-UD850GM PG5)" is part of an order code.
func (n name) isOtherNumber(p int, asked string) bool {
	t, next := at(n.tokens, p), at(n.tokens, p+1)
	switch inCode := t.aside && n.codeOf(t) != ""; {
	case inCode, t.text == "", n.matched[p]:
		return false
	case t.form == number:
		return len(t.text) == len(asked)
	}
	isModel := len(t.text) == 1 && next.glued && len(next.text) == 2
	return isModel && len(asked) == 3 && n.codeOf(t) == ""
}

// otherVariant reports whether a word of n makes another product: "WD Red Plus" for "WD Red".
func (q question) otherVariant(n name) bool {
	if q.isAnyBoard() {
		return false
	}
	numbered := false
	sortsByLight := slices.Contains([]string{"case", "cooling", ""}, q.kind) // plain and lit ones have one name
	for p, t := range n.tokens {
		run := runText(n.tokens, p)
		switch {
		case n.matched[p]:
			numbered = numbered || t.form == number
		case t.glued, t.aside && isAboutAll(run):
		case q.goesWithout(n, run):
		case numbered && strongVariants[run], numbered && lighting[run] && sortsByLight:
			return true
		default:
			a := n.modified(p, n.matched)
			if a >= 0 && n.matched[a] && q.isVariant(run, n.tokens[a]) {
				return true
			}
		}
	}
	return false
}

// isAnyBoard reports whether q means any motherboard with a chipset, "płyta główna B650M DDR5".
func (q question) isAnyBoard() bool {
	hasChipset := false
	for i, t := range q.tokens {
		isPart := t.glued || i+1 < len(q.tokens) && q.tokens[i+1].glued
		switch {
		case isBoardChipset(q.tokens, i):
			hasChipset = true
		case isPart, t.form == word && (kindOf(t.text) != "" || isDescriptive(t.text) || isForm(t.text)):
		default:
			return false
		}
	}
	return q.kind == "motherboard" && hasChipset
}

// isAboutAll reports whether run in brackets, where makers describe all variants, names none, unlike "(WIFI 6)".
func isAboutAll(run string) bool {
	isVariant := strongVariants[run] || isWireless(run) || lighting[run]
	return !isVariant && !isEdition(run) && !strings.HasPrefix(run, "ddr")
}

// goesWithout reports whether people leave run out of the name n: the memory that a chipset implies, WiFi that a
// line always has, the light of NZXT's Kraken Core and Plus (https://github.com/buildcores/buildcores-open-db).
func (q question) goesWithout(n name, run string) bool {
	memory, isMemory := strings.CutPrefix(run, "ddr")
	switch {
	case lighting[run]:
		return n.hasWord("kraken") && (n.hasWord("core") || n.hasWord("plus"))
	case q.kind != "motherboard":
		return false
	case isMemory:
		return cmp.Or(n.boardMemory(), memory) == memory
	}
	return isWireless(run) && n.isAlwaysWireless()
}

func isWireless(s string) bool { return hasPrefix(s, "wifi") || s == "wi" || s == "fi" }

// isAlwaysWireless reports whether n is of a line with WiFi only: all of MSI's and ASUS' of these with chipsets
// from 600 on in https://github.com/docyx/pc-part-dataset, but for two editions of games.
func (n name) isAlwaysWireless() bool {
	return n.boardMemory() == "5" && slices.ContainsFunc([]string{"tomahawk", "carbon", "edge", "strix"}, n.hasWord)
}

// modified returns the token that a variant word at p modifies, -1 if none: the one before, except amounts, "DDR5",
// descriptive words, and colours and sizes not asked for. Some makers put "PRO" before their models.
func (x text) modified(p int, asked []bool) int {
	for a := p - 1; a >= 0; a-- {
		t := x.tokens[a]
		isGeneration := t.glued && x.tokens[a-1].text == "ddr"
		if t.form == amount || isGeneration {
			continue
		}
		if kindOf(t.text) != "" || isDescriptive(t.text) {
			continue
		}
		isTrait := isColour(t.text) || isWireless(t.text) || fanSizes[t.text]
		if isTrait && (asked == nil || !asked[a]) {
			continue
		}
		if t.text == "msi" || t.text == "asus" {
			return -1
		}
		return a
	}
	return -1
}

// modifiesTheSame reports whether the word i of the question modifies the same word at p in n: "B650 GAMING PLUS"
// and "GAMING B650-PLUS" differ only in that.
func (q question) modifiesTheSame(i int, n name, p int) bool {
	asked, there := q.modified(i, nil), n.modified(p, nil)
	if asked < 0 || !isGrade(q.tokens[i].text) {
		return true
	}
	if asked > 0 && q.isGeneration(asked) {
		asked-- // "Dark Rock 4 Pro" is "Dark Rock Pro 4"
	}
	if there > 0 && n.isGeneration(there) {
		there--
	}
	what := q.tokens[asked].text
	isSpeed := func(p int) bool { return n.tokens[p].form == amount }
	return there >= 0 && what == n.tokens[there].text || slices.ContainsFunc(n.at[what], isSpeed)
}

func isGrade(s string) bool { return s == "pro" || s == "plus" || s == "max" }

// isGeneration reports whether the token at p is a digit between words: the 4 of "Dark Rock 4".
func (x text) isGeneration(p int) bool {
	t := x.tokens[p]
	return t.form == number && len(t.text) == 1 && !t.glued
}

// isVariant reports whether a word makes another product of its anchor. A chip's number is followed by names of
// cards, so a graphics chip has few variants.
func (q question) isVariant(run string, anchor token) bool {
	switch {
	case strongVariants[run]:
		return true
	case q.kind == "gpu" && (anchor.form == number || strongVariants[anchor.text] || anchor.text == "d"):
		return chipVariants[run]
	case q.kind == "motherboard" && (boardLines[run] || strings.HasPrefix(run, "ddr")):
		return true
	case run == "air" && q.kind == "cooling": // what cools, not a line as "Arx 700 Air"
		return false
	case run == "gold" && q.kind == "storage":
		return anchor.form == number // "Legend 800 Gold", but any line of "WD 10TB"
	case run == "core":
		return q.identified // "Seasonic 850W" means any line
	case suffixes[run] && (anchor.form == number || anchor.glued || len(anchor.text) == 1):
		return true
	case len(run) == 1:
		return strings.Contains("acdegkmpsxz", run)
	}
	return isLine(run) || isEdition(run)
}

func isLine(s string) bool { return lines[s] || isWireless(s) || hasPrefix(s, "wf") }

// isEdition reports a later edition: "II", "V2", "G3", "R2.0".
func isEdition(s string) bool {
	isNumbered := len(s) >= 2 && len(s) <= 4 && isDigit(rune(s[1]))
	return editions[s] || isNumbered && strings.Contains("vgr", s[:1])
}

var polishColours = map[string]string{
	"black": "czarn", "white": "bial", "silver": "srebrn", "grey": "szar", "gray": "szar", "red": "czerwon",
	"blue": "niebiesk", "green": "zielon", "gold": "zlot",
}

var colourStems = slices.Collect(maps.Values(polishColours))

func isColour(s string) bool { return colours[s] || hasPrefix(s, colourStems...) }

func (n name) hasColour(s string) bool {
	return slices.ContainsFunc(n.tokens, func(t token) bool {
		polish, english := polishColours[t.text], polishColours[s]
		return polish != "" && strings.HasPrefix(s, polish) || english != "" && strings.HasPrefix(t.text, english)
	})
}

// standsAlone reports whether the token at p is no part of a longer designation that the question lacks: the 5600
// of "5600X", the Pro of "Pro4".
func (n name) standsAlone(p int) bool {
	t := n.tokens[p]
	if t.form == amount || t.form == word && prefixes[t.text] {
		return true
	}
	isBehindLetter := t.glued && len(n.tokens[p-1].text) == 1
	if t.form == number && isBehindLetter && !n.matched[p-1] {
		return false
	}
	for s := p + 1; s < len(n.tokens) && n.tokens[s].glued; s++ {
		if !n.matched[s] {
			return false
		}
	}
	return true
}

// tailOf returns what modifies the number at p: tokens written together with it, and suffixes behind it, also
// behind an amount or a rating ("980 1TB Pro", "750 Gold V2").
func tailOf(tokens []token, p int) []int {
	var tail []int
	belongs := true
	for i := p + 1; i < len(tokens); i++ {
		t := tokens[i]
		isRated := ratings[t.text] && t.text != "white" && t.text != "silver"
		switch {
		case t.glued:
		case t.form == amount || isRated:
			belongs = false
		case question{}.isVariant(runText(tokens, i), tokens[p]):
			belongs = true
		default:
			return tail
		}
		if belongs {
			tail = append(tail, i)
		}
	}
	return tail
}

const maxVariantLength = 7

// runText returns the word as written from token i on: "x3d" for its "x".
func runText(tokens []token, i int) string {
	s := tokens[i].text
	for j := i + 1; j < len(tokens) && tokens[j].glued && len(s) <= maxVariantLength; j++ {
		s += tokens[j].text
	}
	return s
}
