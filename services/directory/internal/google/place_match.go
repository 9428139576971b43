package google

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"backend.example/services/internal/kit/fold"
)

// bestMatch returns the one result that is the company or, of several, the one with exactly its name if
// the company's street is known.
func bestMatch(c PlaceQuery, results []place) (place, bool) {
	var same []place
	for _, p := range results {
		if sameCompany(c, p) {
			same = append(same, p)
		}
	}
	if len(same) == 1 {
		return same[0], true
	}
	name := strings.Join(nameWords(c.Name), "")
	i := slices.IndexFunc(same, func(p place) bool { return strings.Join(nameWords(p.DisplayName.Text), "") == name })
	if i < 0 || !streetOf(c.Address, words(same[i].PostalAddress.Locality)).known() {
		return place{}, false
	}
	return same[i], true
}

// sameCompany is the rule by which a search result is the company:
//
//  1. the place has an id, is not closed for good and has not moved;
//  2. the names agree: without case, diacritics and legal forms, every word of
//     the shorter is in the longer ("Auto Serwis Nowak Sp. z o.o." and
//     "Nowak Auto-Serwis"), or only spaces differ;
//  3. town and street agree, as far as the company gives them, see [sameTown]
//     and [sameStreet]. A common telephone number or website does not outweigh
//     another street, because branches share them;
//  4. if one of the two gives no street, the telephone number or the host of the
//     website has to agree. The name alone is never enough.
func sameCompany(c PlaceQuery, p place) bool {
	isThere := p.ID != "" && !p.closed() && !p.moved()
	if !isThere || !SameName(c.Name, p.DisplayName.Text) {
		return false
	}
	town := words(p.PostalAddress.Locality)
	if strings.TrimSpace(c.Address) != "" && !sameTown(c.Address, p, town) {
		return false
	}
	if ours, theirs := streetOf(c.Address, town), streetOf(p.street(), town); ours.known() && theirs.known() {
		return sameStreet(ours, theirs)
	}
	return samePhone(c.Phone, p.InternationalPhone) || samePhone(c.Phone, p.NationalPhone) ||
		sameHost(c.Website, p.WebsiteURI)
}

// legalForms are words that one record of a company has in its name and another has not.
// nameWords removes single letters ("s.c.", "z o.o.") as well.
var legalForms = []string{
	"sp", "spolka", "zoo", "oo", "ograniczona", "odpowiedzialnoscia", "sa", "akcyjna", "sc", "cywilna",
	"sj", "spj", "jawna", "sk", "spk", "komandytowa", "psa", "prosta",
}

func nameWords(name string) []string {
	return slices.DeleteFunc(words(name), func(w string) bool {
		return len([]rune(w)) == 1 && unicode.IsLetter([]rune(w)[0]) || slices.Contains(legalForms, w)
	})
}

// SameName reports whether two names are of one company, see [sameCompany].
func SameName(a, b string) bool {
	wordsA, wordsB := nameWords(a), nameWords(b)
	if len(wordsA) == 0 || len(wordsB) == 0 {
		return false
	}
	return containsAll(wordsA, wordsB) || containsAll(wordsB, wordsA) ||
		strings.Join(wordsA, "") == strings.Join(wordsB, "")
}

// samePhone compares the last nine digits, a Polish number without its prefix.
func samePhone(a, b string) bool {
	a, b = digits(a), digits(b)
	return len(a) >= 9 && len(b) >= 9 && a[len(a)-9:] == b[len(b)-9:]
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

var sharedHosts = []string{"facebook.com", "instagram.com", "linkedin.com", "google.com", "linktr.ee", "booksy.com",
	"allegro.pl", "olx.pl"}

func sameHost(a, b string) bool {
	hostA, hostB := WebsiteHost(a), WebsiteHost(b)
	return hostA != "" && hostA == hostB && !slices.Contains(sharedHosts, hostA)
}

var (
	postcodePattern = regexp.MustCompile(`\b\d{2}-\d{3}\b`)
	numberPattern   = regexp.MustCompile(`^\d+[a-z]?$`)
)

// sameTown compares the postcodes, or the names of the towns if one side has none.
func sameTown(text string, p place, town []string) bool {
	ours, theirs := postcodePattern.FindString(text), p.PostalAddress.PostalCode
	if theirs == "" {
		theirs = postcodePattern.FindString(p.FormattedAddress)
	}
	if ours != "" && theirs != "" {
		return ours == theirs
	}
	return len(town) > 0 && containsAll(words(text), town)
}

type street struct{ names, numbers []string }

var addressStopWords = []string{"ul", "ulica", "al", "aleja", "aleje", "pl", "plac", "os", "osiedle", "lok", "lokal",
	"polska"}

// streetOf reads an address. Short words are often abbreviations ("gen.", "św."), so they count only
// where there are no others.
func streetOf(text string, town []string) street {
	var s street
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

// sameStreet lets one name contain the other ("Józefa Piłsudskiego"), and one side leave out the flat.
func sameStreet(a, b street) bool {
	n := min(len(a.numbers), len(b.numbers))
	return (containsAll(a.names, b.names) || containsAll(b.names, a.names)) &&
		slices.Equal(a.numbers[:n], b.numbers[:n])
}

func (p *place) street() string {
	if len(p.PostalAddress.AddressLines) > 0 {
		return strings.Join(p.PostalAddress.AddressLines, " ")
	}
	before, _, _ := strings.Cut(p.FormattedAddress, ",")
	return before
}

var foreignLetters = strings.NewReplacer("ä", "a", "ö", "o", "ü", "u", "é", "e", "è", "e")

func words(text string) []string {
	return strings.FieldsFunc(foreignLetters.Replace(fold.Polish(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

func containsAll(all, parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !slices.Contains(all, part) })
}
