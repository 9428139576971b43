package catalog

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"backend.example/services/internal/kit/fault"
)

// Lengths of a price query in characters (runes), after white space has been collapsed.
const (
	MinQueryLength = 3
	MaxQueryLength = 200
)

// Category is a hint that narrows a price query; empty means all categories.
type Category string

// Categories lists the allowed values in the order in which answers show them.
func Categories() []string {
	return []string{"cpu", "gpu", "ram", "storage", "motherboard", "psu", "cooling", "case"}
}

// CodeUnknownCategory is the fault of ParseCategory.
const CodeUnknownCategory = "unknown_category"

// ParseCategory accepts the values of Categories and the empty string.
func ParseCategory(s string) (Category, error) {
	if s == "" || slices.Contains(Categories(), s) {
		return Category(s), nil
	}
	return "", fault.New(fault.Invalid, CodeUnknownCategory, "Nieznana kategoria produktów.")
}

// Query asks for the offers of one product.
type Query struct {
	Text     string // trimmed, white space collapsed, nothing invisible; the caller's letter case
	Category Category
}

// ParseQuery validates and normalises q. The faults are query_too_short,
// query_too_long and invalid_query.
func ParseQuery(q string, category Category) (Query, error) {
	if !utf8.ValidString(q) || strings.ContainsFunc(q, isForbidden) {
		return Query{}, fault.New(fault.Invalid, "invalid_query", "Zapytanie zawiera niedozwolone znaki.")
	}
	text := strings.Join(strings.Fields(strings.Map(withoutLeftovers, q)), " ")
	switch n := utf8.RuneCountInString(text); {
	case n < MinQueryLength:
		return Query{}, fault.New(fault.Invalid, "query_too_short", "Wpisz co najmniej 3 znaki.")
	case n > MaxQueryLength:
		return Query{}, fault.New(fault.Invalid, "query_too_long", "Zapytanie może mieć najwyżej 200 znaków.")
	case !strings.ContainsFunc(text, isWordRune):
		return Query{}, fault.New(fault.Invalid, "invalid_query", "Zapytanie musi zawierać litery lub cyfry.")
	}
	return Query{Text: text, Category: category}, nil
}

// Folded returns the text by which queries are compared, without letter case.
func (q Query) Folded() string { return strings.ToLower(q.Text) }

// withoutLeftovers is a mapping for strings.Map that drops invisible characters, which are
// copied with a name from a page. A zero-width space, where a line may break, is white space.
func withoutLeftovers(r rune) rune {
	switch r {
	case '\u200b':
		return ' '
	case '\u00ad', '\u200c', '\u200d', '\u200e', '\u200f', '\u2060', '\ufeff':
		return -1
	}
	return r
}

// isForbidden reports whether no product name contains r: a control other than white space, or
// a format character that hides or reverses what follows.
func isForbidden(r rune) bool {
	return unicode.Is(unicode.Cf, r) && withoutLeftovers(r) == r ||
		unicode.IsControl(r) && !unicode.IsSpace(r)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
