package audit

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// dayWords are the beginnings of the names of days, Monday first, and their abbreviations.
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

func openDays(hours []string) int {
	days := openWeekdays(hours)
	return countTrue(days[:]...)
}

func markDays(days *[7]bool, tokens []string) {
	for i, token := range tokens {
		day := weekday(token)
		if day < 0 {
			continue
		}
		days[day] = true
		if i < 2 || !slices.Contains([]string{"-", "–", "—", "do"}, tokens[i-1]) {
			continue
		}
		from := weekday(tokens[i-2])
		for d := from; from >= 0 && d != day; d = (d + 1) % 7 {
			days[d] = true
		}
	}
}

// weekday counts from Monday, which is 0. It is -1 if word names no day.
func weekday(word string) int {
	for i, d := range dayWords {
		begins := func(s string) bool { return strings.HasPrefix(word, s) }
		if slices.Contains(d.short, word) || slices.ContainsFunc(d.beginnings, begins) {
			return i
		}
	}
	return -1
}

const holidaysAhead = 30 * 24 * time.Hour

// holidaysWithoutHours lists the Polish public holidays of the next 30 days on which the business is
// usually open without hours of their own; none without a Polish postal code.
func (p *Profile) holidaysWithoutHours() []string {
	days := []string{}
	if !postalCode.MatchString(p.Address) {
		return days
	}
	open := openWeekdays(p.Hours)
	first := dateOf(p.FetchedAt)
	for day := first; day.Before(first.Add(holidaysAhead)); day = day.AddDate(0, 0, 1) {
		usual := open[(day.Weekday()+6)%7] && holiday(day)
		if usual && !slices.ContainsFunc(p.SpecialDays, day.Equal) {
			days = append(days, day.Format(time.DateOnly))
		}
	}
	return days
}

func dateOf(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// fixedHolidays are the public holidays of Poland with a date (the act of 18 January
// 1951 as amended; 24 December since 2025), as month and day.
var fixedHolidays = []string{"01-01", "01-06", "05-01", "05-03", "08-15", "11-01", "11-11", "12-24", "12-25", "12-26"}

// movableHolidays are the others by the days since Easter: itself, the Monday after it, Pentecost and Corpus Christi.
var movableHolidays = []int{0, 1, 49, 60}

func holiday(day time.Time) bool {
	sinceEaster := day.YearDay() - easter(day.Year()).YearDay()
	return slices.Contains(fixedHolidays, day.Format("01-02")) || slices.Contains(movableHolidays, sinceEaster)
}

// easter is Easter Sunday by the rule of Meeus, Jones and Butcher.
func easter(year int) time.Time {
	golden := year % 19
	century := year / 100
	rest := year % 100
	leap := (century - (century+8)/25 + 1) / 3
	epact := (19*golden + century - century/4 - leap + 15) % 30
	weekday := (32 + 2*(century%4) + 2*(rest/4) - epact - rest%4) % 7
	late := (golden + 11*epact + 22*weekday) / 451
	n := epact + weekday - 7*late + 114
	return time.Date(year, time.Month(n/31), n%31+1, 0, 0, 0, 0, time.UTC)
}
