package audit

import (
	"slices"
	"time"

	"backend.example/services/directory/internal/google"
)

// SignalNoSpecialHours means that a public holiday is near, on a day on which the business
// is usually open, and that the profile has no hours for it.
const SignalNoSpecialHours google.Signal = "special_hours_missing"

// signalMeanings are all signals and what they mean, for the published table.
var signalMeanings = []struct {
	signal  google.Signal
	meaning string
}{
	{google.SignalSuspended, "Google hides the profile until it keeps the guidelines"},
	{google.SignalNotVerified, "nobody has shown that the profile is theirs"},
	{google.SignalEditsPending, "Google has yet to look at what the owner changed"},
	{google.SignalChanged, "Google shows something else than the owner wrote"},
	{SignalNoSpecialHours, "a Polish public holiday within 30 days falls on a day with hours, and has none of its own"},
}

// holidaysAhead is how early a holiday without hours of its own is signalled.
const holidaysAhead = 30 * 24 * time.Hour

// signals returns those of p's source and the one that follows from the hours, or nil if
// the source reports none at all.
func (p *Profile) signals() []google.Signal {
	if p.Signals == nil {
		return nil
	}
	found := slices.Clone(p.Signals)
	if p.lacksSpecialHours() {
		found = append(found, SignalNoSpecialHours)
	}
	return found
}

// lacksSpecialHours looks ahead from the day on which p was read. Polish holidays count
// if the address has a Polish postal code.
func (p *Profile) lacksSpecialHours() bool {
	if !postalCode.MatchString(p.Address) {
		return false
	}
	open := openWeekdays(p.Hours)
	first := dateOf(p.FetchedAt)
	for day := first; day.Before(first.Add(holidaysAhead)); day = day.AddDate(0, 0, 1) {
		if open[(day.Weekday()+6)%7] && holiday(day) && !slices.ContainsFunc(p.SpecialDays, day.Equal) {
			return true
		}
	}
	return false
}

// dateOf is the midnight, in UTC, at which t's day begins.
func dateOf(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// fixedHolidays are the public holidays of Poland with a date (the act of 18 January
// 1951 as amended; 24 December since 2025), as month and day.
var fixedHolidays = []string{"01-01", "01-06", "05-01", "05-03", "08-15", "11-01", "11-11", "12-24", "12-25", "12-26"}

// holiday reports whether a day is a public holiday in Poland. Besides those with a
// date these are Easter with the Monday after, Pentecost and Corpus Christi.
func holiday(day time.Time) bool {
	return slices.Contains(fixedHolidays, day.Format("01-02")) ||
		slices.Contains([]int{0, 1, 49, 60}, day.YearDay()-easter(day.Year()).YearDay())
}

// easter is Easter Sunday of the Gregorian calendar, by the rule of Meeus, Jones and
// Butcher.
func easter(year int) time.Time {
	golden, century, rest := year%19, year/100, year%100
	leap := (century - (century+8)/25 + 1) / 3
	epact := (19*golden + century - century/4 - leap + 15) % 30
	weekday := (32 + 2*(century%4) + 2*(rest/4) - epact - rest%4) % 7
	late := (golden + 11*epact + 22*weekday) / 451
	n := epact + weekday - 7*late + 114
	return time.Date(year, time.Month(n/31), n%31+1, 0, 0, 0, 0, time.UTC)
}
