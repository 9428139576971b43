package directory

import (
	"regexp"
	"slices"
	"strings"
)

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

// daysTold are the days of the week, from Monday, for which hours are told. A line may
// name one day, several, or a range ("pon.–pt. 8–16"), or say "codziennie" or "24/7".
func daysTold(hours []string) (days [7]bool) {
	for _, line := range hours {
		line = strings.ToLower(line)
		if strings.Contains(line, "codziennie") || strings.Contains(line, "24/7") {
			return [7]bool{true, true, true, true, true, true, true}
		}
		markDays(&days, hoursToken.FindAllString(line, -1))
	}
	return days
}

// openDays counts them.
func openDays(hours []string) int {
	count := 0
	for _, told := range daysTold(hours) {
		if told {
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

// weekday counts from Monday, 0; -1 is no day.
func weekday(word string) int {
	for i, d := range dayWords {
		begins := func(s string) bool { return strings.HasPrefix(word, s) }
		if slices.Contains(d.short, word) || slices.ContainsFunc(d.beginnings, begins) {
			return i
		}
	}
	return -1
}
