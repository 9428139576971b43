package match

import (
	"maps"
	"slices"
	"strings"

	"backend.example/services/hardware/internal/catalog"
)

// minCorrected is the length of the shortest word in which a typo is accepted. Search engines accept one from three
// letters on (https://docs.opensearch.org/latest/query-dsl/fuzziness/), but short words of names differ by one.
const minCorrected = 5

const maxCorrections = 8

// corrections returns query with one word replaced by one that differs by one letter or a swap: a word of
// candidates, or a kind of goods. Words with digits, and those that mean something themselves, stay.
func corrections(query catalog.Query, candidates []Candidate) []catalog.Query {
	known := words("karta graficzna procesor pamiec zasilacz plyta glowna obudowa chlodzenie nvidia geforce " +
		"radeon intel ryzen socket komputera")
	for _, c := range candidates {
		for _, s := range strings.FieldsFunc(fold(c.Name), isSeparator) {
			known[s] = true
		}
	}
	written := fold(query.Text)
	var corrected []catalog.Query
	for _, typed := range strings.FieldsFunc(written, isSeparator) {
		if strings.ContainsFunc(typed, isDigit) || known[typed] || isVocabulary(typed) {
			continue
		}
		for _, s := range slices.Sorted(maps.Keys(known)) {
			if len(s) < minCorrected || strings.ContainsFunc(s, isDigit) || !isOneEdit(typed, s) {
				continue
			}
			text := strings.Replace(written, typed, s, 1)
			corrected = append(corrected, catalog.Query{Text: text, Category: query.Category})
			if len(corrected) == maxCorrections {
				return corrected
			}
		}
	}
	return corrected
}

func isSeparator(r rune) bool { return !isWordRune(r) }

func isVocabulary(s string) bool {
	return confusable[s] || lines[s] || strongVariants[s] || suffixes[s] || isColour(s) || forms[s] ||
		isSpecial(canonical(s)) || kindOf(s) != "" || isDescriptive(s)
}

// isOneEdit reports whether a becomes b by adding, dropping or changing one letter, or by swapping two neighbours:
// four of five misspellings (https://www.elastic.co/guide/en/elasticsearch/guide/current/fuzziness.html).
func isOneEdit(a, b string) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	swapped := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	return len(a) <= 1 && len(b) <= 1 || swapped
}
