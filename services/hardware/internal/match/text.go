package match

import (
	"slices"
	"strings"
	"unicode"
)

// maxNameRunes bounds how much of a text is read.
const maxNameRunes = 400

// text is a query or a name after it was read.
type text struct {
	tokens []token
	at     map[string][]int // indexes of tokens by their text, also by that of two neighbours joined
	codes  []string         // order codes and bar codes by token.written; empty where the word is none
}

// read folds s and cuts it into tokens.
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

// joined returns the tokens at i and behind it as one word: "ripjawsv" of "Ripjaws V", "wifi" of "Wi-Fi".
func (x text) joined(i int) string {
	if i < 0 || i+1 >= len(x.tokens) || x.tokens[i+1].form != word {
		return ""
	}
	return x.tokens[i].text + x.tokens[i+1].text
}

// holds reports whether x has the word at i of y. It must have a single letter as often as y has it up to there,
// because "B650E-F" is not "B650E-E".
func (x text) holds(y text, i int) bool {
	t := y.tokens[i]
	if len(t.text) == 1 && x.hasWord(t.text) {
		return slices.Index(y.at[t.text], i) < len(x.at[t.text])
	}
	return x.hasWord(t.text) || x.hasWord(y.joined(i)) || x.hasWord(y.joined(i-1))
}

func (x text) hasWord(s string) bool { return len(x.at[s]) > 0 }

func (x text) codeOf(t token) string { return x.codes[t.written] }

func (x text) hasCode(code string) bool { return code != "" && slices.Contains(x.codes, code) }

// fold lowers the case, strips diacritics and drops invisible characters: "Płyta" is "plyta".
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

func plainLetter(r rune) rune {
	const marked, plain = "ąáäćčęéèíłńóöśšüźżž×", "aaacceeeilnoossuzzzx"
	if i := strings.IndexRune(marked, r); i >= 0 {
		return rune(plain[i/2]) // every marked letter takes two bytes
	}
	return r
}
