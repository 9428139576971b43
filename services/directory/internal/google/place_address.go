package google

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	postcodePattern = regexp.MustCompile(`\b\d{2}-\d{3}\b`)
	numberPattern   = regexp.MustCompile(`^\d+[a-z]?$`)
)

// sameTown reports whether a company's address is in the town of the place. It
// compares the postcodes, or the names where one side has no postcode.
func sameTown(text string, p place) bool {
	ours, theirs := postcodePattern.FindString(text), p.PostalAddress.PostalCode
	if theirs == "" {
		theirs = postcodePattern.FindString(p.FormattedAddress)
	}
	if ours != "" && theirs != "" {
		return ours == theirs
	}
	town := words(p.PostalAddress.Locality)
	return len(town) > 0 && containsAll(words(text), town)
}

// street is an address without the town: the words of the street's name, and the
// numbers in their order (house, flat).
type street struct{ names, numbers []string }

// addressStopWords are no part of a street's name.
var addressStopWords = []string{"ul", "ulica", "al", "aleja", "aleje", "pl", "plac", "os", "osiedle", "lok", "lokal", "polska"}

// streetOf reads an address in the town of the place. Short words are often
// abbreviations ("gen.", "św."), so they count only where there are no others.
func streetOf(text string, p place) street {
	var s street
	town := words(p.PostalAddress.Locality)
	for _, w := range words(postcodePattern.ReplaceAllString(text, " ")) {
		switch {
		case numberPattern.MatchString(w):
			s.numbers = append(s.numbers, w)
		case !slices.Contains(addressStopWords, w) && !slices.Contains(town, w):
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

// sameStreet reports whether one name contains the other ("Piłsudskiego", "Józefa
// Piłsudskiego") and the numbers are the same. One side may leave out the flat.
func sameStreet(a, b street) bool {
	n := min(len(a.numbers), len(b.numbers))
	return (containsAll(a.names, b.names) || containsAll(b.names, a.names)) && slices.Equal(a.numbers[:n], b.numbers[:n])
}

// street is the place's address without its town.
func (p *place) street() string {
	if len(p.PostalAddress.AddressLines) > 0 {
		return strings.Join(p.PostalAddress.AddressLines, " ")
	}
	before, _, _ := strings.Cut(p.FormattedAddress, ",")
	return before
}

var foldDiacritics = strings.NewReplacer("ą", "a", "ć", "c", "ę", "e", "ł", "l", "ń", "n", "ó", "o", "ś", "s", "ź", "z", "ż", "z",
	"ä", "a", "ö", "o", "ü", "u", "é", "e", "è", "e")

// words splits a text into its words and numbers, without case and diacritics.
func words(text string) []string {
	return strings.FieldsFunc(foldDiacritics.Replace(strings.ToLower(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// containsAll reports whether every one of parts is in all.
func containsAll(all, parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !slices.Contains(all, part) })
}
