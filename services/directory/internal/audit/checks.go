package audit

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// plainName reports whether a name is neither a lone sign nor a text.
func plainName(name string) bool {
	n := characters(name)
	return n >= 2 && n <= 80 && strings.ContainsFunc(name, unicode.IsLetter)
}

var (
	postalCode = regexp.MustCompile(`\b\d{2}-\d{3}\b`)
	// houseNumber is a word and the number at the end: "Długa 12A/4", "al. 3 Maja 7 lok. 2".
	houseNumber = regexp.MustCompile(`(?i)\pL\S*\s+\d+\s?\pL?(\s?[/-]\s?\d+\pL?)?(,?\s+(lok|m|pok)\b.*)?$`)
	streetWord  = regexp.MustCompile(`(?i)^(ul|al|os|pl|ulica|aleja|aleje|osiedle|plac)(\.|\s|$)`)
	country     = regexp.MustCompile(`(?i)^(polska|poland)$`)
)

// addressParts counts which of these an address on one line has: number of the house,
// Polish postal code, town.
func addressParts(address string) int {
	var number, code, town bool
	for _, part := range strings.FieldsFunc(address, func(r rune) bool { return r == ',' || r == '\n' }) {
		street := strings.TrimSpace(part)
		if at := postalCode.FindStringIndex(part); at != nil {
			code = true
			town = town || isTown(part[at[1]:])
			street = strings.TrimSpace(part[:at[0]])
		}
		switch {
		case houseNumber.MatchString(street):
			number = true
		case isTown(street):
			town = true
		}
	}
	count := 0
	for _, has := range []bool{number, code, town} {
		if has {
			count++
		}
	}
	return count
}

// isTown reports whether a part of an address can be a town.
func isTown(part string) bool {
	part = strings.TrimSpace(part)
	return characters(part) >= 2 && !strings.ContainsFunc(part, unicode.IsDigit) && strings.ContainsFunc(part, unicode.IsLetter) &&
		!streetWord.MatchString(part) && !country.MatchString(part)
}

var (
	phoneFiller = regexp.MustCompile(`[\s\pZ().\-–/]`)
	phoneForm   = regexp.MustCompile(`^((\+48|0048)?[1-9]\d{8}|(\+|00)([1-35-9]\d|4[0-79])\d{6,13})$`)
)

// validPhone accepts a Polish number of nine digits, with or without the country,
// and any other number that has its country (ITU-T E.164: at most 15 digits).
func validPhone(phone string) bool {
	return phoneForm.MatchString(phoneFiller.ReplaceAllString(phone, ""))
}

// websiteScheme returns https, or http also for a bare host. It is empty if website is no
// address of a website.
func websiteScheme(website string) string {
	if !strings.Contains(website, "://") {
		website = "http://" + website
	}
	u, err := url.Parse(website)
	switch {
	case err != nil, u.User != nil, !strings.Contains(strings.Trim(u.Hostname(), "."), "."):
		return ""
	case u.Scheme != "https" && u.Scheme != "http":
		return ""
	}
	return u.Scheme
}

// dayWords are the beginnings of the names of days, Monday first, and their
// abbreviations, with and without diacritics.
var dayWords = [7]struct{ beginnings, short []string }{
	{[]string{"poniedział", "poniedzial"}, []string{"pn", "pon"}},
	{[]string{"wtor"}, []string{"wt"}},
	{[]string{"środ", "srod"}, []string{"śr", "sr"}},
	{[]string{"czwart"}, []string{"cz", "czw"}},
	{[]string{"piąt", "piat"}, []string{"pt", "pią", "pia"}},
	{[]string{"sobot", "sobót"}, []string{"so", "sb", "sob"}},
	{[]string{"niedziel"}, []string{"nd", "ndz", "niedz"}},
}

var hoursToken = regexp.MustCompile(`\pL+|\d+|[-–—]`)

// openWeekdays returns the days of the week, from Monday, that have hours. A line may
// name one day, several, or a range ("pon.–pt. 8–16"), or say "codziennie" or "24/7".
func openWeekdays(hours []string) (days [7]bool) {
	for _, line := range hours {
		line = strings.ToLower(line)
		if strings.Contains(line, "codziennie") || strings.Contains(line, "24/7") {
			return [7]bool{true, true, true, true, true, true, true}
		}
		markDays(&days, hoursToken.FindAllString(line, -1))
	}
	return days
}

// openDays counts the days with hours.
func openDays(hours []string) int {
	count := 0
	for _, open := range openWeekdays(hours) {
		if open {
			count++
		}
	}
	return count
}

func markDays(days *[7]bool, tokens []string) {
	for i, token := range tokens {
		day := weekday(token)
		if day < 0 {
			continue
		}
		days[day] = true
		if i >= 2 && slices.Contains([]string{"-", "–", "—", "do"}, tokens[i-1]) {
			if from := weekday(tokens[i-2]); from >= 0 {
				for d := from; d != day; d = (d + 1) % 7 {
					days[d] = true
				}
			}
		}
	}
}

// weekday counts from Monday, which is 0; it is -1 if word names no day.
func weekday(word string) int {
	for i, d := range dayWords {
		begins := func(s string) bool { return strings.HasPrefix(word, s) }
		if slices.Contains(d.short, word) || slices.ContainsFunc(d.beginnings, begins) {
			return i
		}
	}
	return -1
}
