package match

import (
	"slices"
	"strings"
	"unicode"
)

// maxNameRunes bounds what is read of one name.
const maxNameRunes = 400

// text is a name or a query, cut up.
type text struct {
	tokens []token
	at     map[string][]int // positions by text; also of two words that may be written as one
	codes  []string         // order codes by the word as written, empty for words that are none
}

func read(s string) text {
	raw := scan([]rune(fold(s)))
	x := text{tokens: interpret(raw)}
	x.codes = codesOf(raw)
	x.at = make(map[string][]int, len(x.tokens))
	for i, t := range x.tokens {
		x.at[t.text] = append(x.at[t.text], i)
		if joined := x.joined(i); joined != "" {
			x.at[joined] = append(x.at[joined], i)
		}
	}
	return x
}

// joined is the word that the words at i and behind it are when written as one: "Ripjaws V", "Wi-Fi", "A-RGB".
func (x text) joined(i int) string {
	if i < 0 || i+1 >= len(x.tokens) || x.tokens[i+1].form != word {
		return ""
	}
	return x.tokens[i].text + x.tokens[i+1].text
}

// holds reports whether the word at i of y stands in x. A single letter has to stand there as often: "B650E-F" is
// not "B650E-E".
func (x text) holds(y text, i int) bool {
	t := y.tokens[i]
	if len(t.text) == 1 && x.hasWord(t.text) {
		return slices.Index(y.at[t.text], i) < len(x.at[t.text])
	}
	return x.hasWord(t.text) || x.hasWord(y.joined(i)) || x.hasWord(y.joined(i-1))
}

func (x text) hasWord(s string) bool { return len(x.at[s]) > 0 }

// codeOf is the order code that t is part of, empty when it is part of none.
func (x text) codeOf(t token) string { return x.codes[t.written] }

// hasCode reports whether x holds an order code; the empty one it does not.
func (x text) hasCode(code string) bool { return code != "" && slices.Contains(x.codes, code) }

// fold lowers the case, strips diacritics and drops marks and invisible characters, so that "Płyta" is "plyta".
func fold(s string) string {
	var b strings.Builder
	b.Grow(min(len(s), maxNameRunes))
	n := 0
	for _, r := range s {
		if n++; n > maxNameRunes {
			break
		}
		r = plainLetter(unicode.ToLower(r))
		if !unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Cf, r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plainLetter strips the diacritic of a lower-case letter.
func plainLetter(r rune) rune {
	const marked, plain = "ąáäćčęéèíłńóöśšüźżž×", "aaacceeeilnoossuzzzx"
	if i := strings.IndexRune(marked, r); i >= 0 {
		return rune(plain[i/2]) // every marked letter takes two bytes
	}
	return r
}
