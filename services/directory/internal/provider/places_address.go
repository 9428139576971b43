package provider

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	postcodeForm = regexp.MustCompile(`\b\d{2}-\d{3}\b`)
	numberForm   = regexp.MustCompile(`^\d+[a-z]?$`)
)

// sameTown reports whether the text of a company's address is in the place's town:
// by the postcode, or where one side has none by the town's name.
func sameTown(text string, p place) bool {
	ours, theirs := postcodeForm.FindString(text), p.PostalAddress.PostalCode
	if theirs == "" {
		theirs = postcodeForm.FindString(p.FormattedAddress)
	}
	if ours != "" && theirs != "" {
		return ours == theirs
	}
	town := words(p.PostalAddress.Locality)
	return len(town) > 0 && within(town, words(text))
}

// street is what an address says besides the town: the words of the street's
// name, and the numbers in their order (house, flat).
type street struct{ names, numbers []string }

// plainWords stand in an address without telling one street from another.
var plainWords = []string{"ul", "ulica", "al", "aleja", "aleje", "pl", "plac", "os", "osiedle", "lok", "lokal", "polska"}

// streetOf reads an address in the place's town. Short words are abbreviations
// ("gen.", "św.") as often as not, and count only where there is nothing else.
func streetOf(text string, p place) street {
	var s street
	town := words(p.PostalAddress.Locality)
	for _, w := range words(postcodeForm.ReplaceAllString(text, " ")) {
		switch {
		case numberForm.MatchString(w):
			s.numbers = append(s.numbers, w)
		case !slices.Contains(plainWords, w) && !slices.Contains(town, w):
			s.names = append(s.names, w)
		}
	}
	long := slices.DeleteFunc(slices.Clone(s.names), func(w string) bool { return len(w) < 4 })
	if len(long) > 0 {
		s.names = long
	}
	return s
}

func (s street) known() bool { return len(s.names) > 0 || len(s.numbers) > 0 }

// sameStreet reports whether one name holds the other ("Piłsudskiego", "Józefa
// Piłsudskiego") and the numbers begin alike: one side may leave out the flat.
func sameStreet(a, b street) bool {
	n := min(len(a.numbers), len(b.numbers))
	return (within(a.names, b.names) || within(b.names, a.names)) && slices.Equal(a.numbers[:n], b.numbers[:n])
}

// street is the place's address without its town.
func (p *place) street() string {
	if len(p.PostalAddress.AddressLines) > 0 {
		return strings.Join(p.PostalAddress.AddressLines, " ")
	}
	before, _, _ := strings.Cut(p.FormattedAddress, ",")
	return before
}

var plainLetters = strings.NewReplacer("ą", "a", "ć", "c", "ę", "e", "ł", "l", "ń", "n", "ó", "o", "ś", "s", "ź", "z", "ż", "z",
	"ä", "a", "ö", "o", "ü", "u", "é", "e", "è", "e")

// words splits a text into its words and numbers, without case and diacritics.
func words(text string) []string {
	return strings.FieldsFunc(plainLetters.Replace(strings.ToLower(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// within reports whether every word of a is in b.
func within(a, b []string) bool {
	for _, w := range a {
		if !slices.Contains(b, w) {
			return false
		}
	}
	return true
}
