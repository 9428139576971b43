// Package catalog defines the parameters of the service: families, categories and queries, and validates them.
package catalog

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"backend.example/services/internal/kit/fault"
)

// Family is a kind of component that has a benchmark ranking.
type Family string

// Families lists the allowed values in the order of answers.
func Families() []string { return []string{"cpu", "gpu", "ssd", "hdd", "ram", "usb"} }

// UnknownFamily is the fault of ParseFamily.
var UnknownFamily = fault.NewCode(fault.Invalid, "unknown_type", "Nieznany rodzaj podzespołu.")

// ParseFamily accepts the values of Families, no other spelling.
func ParseFamily(s string) (Family, error) {
	if slices.Contains(Families(), s) {
		return Family(s), nil
	}
	return "", UnknownFamily.Fault()
}

// Upper returns the family as ranking rows carry it, "GPU".
func (f Family) Upper() string { return strings.ToUpper(string(f)) }

// Lengths of a price query in characters, after white space has been collapsed.
const (
	MinQueryLength = 3
	MaxQueryLength = 200
)

// Category is a hint that narrows a price query; the empty one does not.
type Category string

// Categories lists the allowed values in the order of answers.
func Categories() []string {
	return []string{"cpu", "gpu", "ram", "storage", "motherboard", "psu", "cooling", "case"}
}

// UnknownCategory is the fault of ParseCategory.
var UnknownCategory = fault.NewCode(fault.Invalid, "unknown_category", "Nieznana kategoria produktów.")

// ParseCategory accepts the values of Categories and the empty string.
func ParseCategory(s string) (Category, error) {
	if s == "" || slices.Contains(Categories(), s) {
		return Category(s), nil
	}
	return "", UnknownCategory.Fault()
}

// Query asks for the offers of one product.
type Query struct {
	Text     string // normalised; the caller's letter case
	Category Category
}

// ParseQuery validates and normalises q. The faults are query_too_short and invalid_query.
func ParseQuery(q string, category Category) (Query, error) {
	if !utf8.ValidString(q) || strings.ContainsFunc(q, isForbidden) {
		return Query{}, fault.New(fault.Invalid, "invalid_query", "Zapytanie zawiera niedozwolone znaki.")
	}
	text := strings.Join(strings.Fields(strings.Map(withoutLeftovers, q)), " ")
	if utf8.RuneCountInString(text) < MinQueryLength {
		return Query{}, fault.New(fault.Invalid, "query_too_short", "Wpisz co najmniej 3 znaki.")
	}
	return Query{Text: text, Category: category}, nil
}

// ParsePart reads a part of a build, which may begin with its category and a colon.
func ParsePart(text string) (Query, error) {
	before, after, _ := strings.Cut(text, ":")
	category := strings.ToLower(strings.TrimSpace(before))
	if slices.Contains(Categories(), category) {
		return ParseQuery(after, Category(category))
	}
	return ParseQuery(text, "")
}

// IsSearchable reports whether q may name a product: it has a letter or a digit, and is not too long.
func (q Query) IsSearchable() bool {
	return utf8.RuneCountInString(q.Text) <= MaxQueryLength && strings.ContainsFunc(q.Text, isWordRune)
}

// Folded returns the text by which queries are compared, in lower case.
func (q Query) Folded() string { return strings.ToLower(q.Text) }

// withoutLeftovers maps invisible characters, which are copied with names, to nothing. A zero-width space, where a
// line may break, is white space.
func withoutLeftovers(r rune) rune {
	switch r {
	case '\u200b':
		return ' '
	case '\u00ad', '\u200c', '\u200d', '\u200e', '\u200f', '\u2060', '\ufeff':
		return -1
	}
	return r
}

// isForbidden reports whether r is a control, or a format character that hides or reverses what follows.
func isForbidden(r rune) bool {
	return unicode.Is(unicode.Cf, r) && withoutLeftovers(r) == r ||
		unicode.IsControl(r) && !unicode.IsSpace(r)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
