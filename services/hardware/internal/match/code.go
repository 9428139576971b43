package match

import (
	"slices"
	"strings"

	"backend.example/services/hardware/internal/catalog"
)

// Lengths from which a word is taken for a code. Bar codes have 8, 12, 13 or 14 digits
// (https://www.gs1.org/how-calculate-check-digit-manually).
const (
	minCode       = 6  // with letters
	minNumberCode = 8  // of digits only
	minLoneCode   = 10 // if it is all that a question says; "i7-14700KF" without its dash has 9
)

// codesOf returns the code in each word as written, "" if it has none.
func codesOf(raw []token) []string {
	if len(raw) == 0 {
		return nil
	}
	codes := make([]string, raw[len(raw)-1].written+1)
	for _, t := range raw {
		codes[t.written] += t.text
	}
	for i, w := range codes {
		codes[i] = codeIn(w)
	}
	return codes
}

// codeIn returns the word if it is a code, or "". It drops leading zeros of a bar code, because one of 12 digits is
// also written with 13.
func codeIn(word string) string {
	digits := 0
	for i := range len(word) {
		if isDigit(rune(word[i])) {
			digits++
		}
	}
	if digits == len(word) && digits >= minNumberCode {
		return strings.TrimLeft(word, "0")
	}
	if strings.HasPrefix(word, "mz") { // one disk is MZ-V9P2T0BW, …B/EU and …B/AM
		word = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(word, "w"), "eu"), "am")
	}
	if _, ok := traitsOfCode(word); ok {
		return word // "WD10EZEX" has two digits
	}
	if len(word) < minCode || digits < 3 || digits == len(word) {
		return ""
	}
	return word
}

// hasPartNumberOf reports whether n has a part number of the question. Then it is that product, whatever else the
// two say. A question that is nothing but a long code may have one of any maker.
func (q question) hasPartNumberOf(n name) bool {
	return slices.ContainsFunc(q.codes, func(code string) bool {
		if !n.hasCode(code) {
			return false
		}
		_, known := traitsOfCode(code)
		return known || len(q.codes) == 1 && len(code) >= minLoneCode
	})
}

// IsBarCode reports whether query is nothing but a bar code with the right check digit (GTIN-8 to GTIN-14,
// https://www.gs1.org/how-calculate-check-digit-manually). Names seldom have theirs, so what a site finds by one is
// trusted.
func IsBarCode(query catalog.Query) bool {
	digits := query.Text
	if !slices.Contains([]int{8, 12, 13, 14}, len(digits)) || strings.Trim(digits, "0123456789") != "" {
		return false
	}
	sum := 0
	for i := range len(digits) {
		weight := 1
		if (len(digits)-i)%2 == 0 {
			weight = 3
		}
		sum += weight * int(digits[i]-'0')
	}
	return sum%10 == 0
}
