package products

import (
	"strings"
	"unicode"

	"backend.example/deploy/sandbox/internal/fixtures"
)

// wordSet answers whether a word of a query is in a product's name.
type wordSet struct {
	words map[string]bool
	glued string // all words without spaces, for "rtx4070"
}

// How well a word of a query agrees with a name.
const (
	noMatch      = 0
	partialMatch = 1
	fullMatch    = 3
)

// minGlued keeps short words from being found inside others.
const minGlued = 4

func newWordSet(text string) wordSet {
	list := Words(text)
	set := wordSet{words: make(map[string]bool, len(list)), glued: strings.Join(list, "")}
	for _, word := range list {
		set.words[word] = true
	}
	return set
}

func (s wordSet) match(word string) int {
	switch {
	case s.words[word]:
		return fullMatch
	case len(word) >= minGlued && strings.Contains(s.glued, word):
		return partialMatch
	}
	return noMatch
}

// Words splits a text into lower case words of letters and digits, without
// Polish diacritics; a number and its unit become one word ("2 TB" is "2tb").
func Words(text string) []string {
	var list []string
	for _, word := range strings.FieldsFunc(fixtures.Plain(text), splits) {
		if last := len(list) - 1; last >= 0 && isUnit(word) && isNumber(list[last]) {
			list[last] += word
			continue
		}
		list = append(list, word)
	}
	return list
}

func splits(letter rune) bool {
	return !unicode.IsLetter(letter) && !unicode.IsDigit(letter)
}

func isUnit(word string) bool {
	switch word {
	case "gb", "tb", "mb", "mhz", "ghz", "w", "mm":
		return true
	}
	return false
}

func isNumber(word string) bool {
	return strings.Trim(word, "0123456789") == ""
}

func hasDigit(word string) bool { return strings.ContainsAny(word, "0123456789") }

// key is a name as a query is compared with it.
func key(name string) string { return strings.Join(Words(name), " ") }
