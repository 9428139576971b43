package directory

import (
	"slices"
	"time"
)

// Signal is something about a profile that its owner should know and that no score
// counts.
type Signal string

// The signals, in the order in which people see them.
const (
	SignalSuspended     Signal = "suspended"             // the provider hides it until it keeps the guidelines
	SignalNotVerified   Signal = "not_verified"          // nobody has shown that it is theirs
	SignalEditsPending  Signal = "edits_pending"         // what the owner wrote is not shown yet
	SignalChanged       Signal = "changed_by_google"     // what is shown differs from what the owner wrote
	SignalNoSpecialTime Signal = "special_hours_missing" // a holiday on which it is usually open comes, and no hours are told for it
)

// signalMeanings lists all of them with what they mean, for readers of the published table.
func signalMeanings() []struct {
	Signal  Signal
	Meaning string
} {
	return []struct {
		Signal  Signal
		Meaning string
	}{
		{SignalSuspended, "Google hides the profile until it keeps the guidelines"},
		{SignalNotVerified, "nobody has shown that the profile is theirs"},
		{SignalEditsPending, "Google has yet to look at what the owner changed"},
		{SignalChanged, "Google shows something else than the owner wrote"},
		{SignalNoSpecialTime, "a Polish public holiday within 30 days falls on a day with hours, and has none of its own"},
	}
}

// holidaysAhead is how early a holiday without hours of its own is told.
const holidaysAhead = 30 * 24 * time.Hour

// signals are those that p's source told, with the one that follows from the hours;
// nil: the source cannot tell.
func (p *Profile) signals() []Signal {
	if p.Signals == nil {
		return nil
	}
	found := slices.Clone(p.Signals)
	if p.lacksSpecialHours() {
		found = append(found, SignalNoSpecialTime)
	}
	return found
}

// lacksSpecialHours looks from the day on which p was read. A Polish postal code says
// whose holidays count.
func (p *Profile) lacksSpecialHours() bool {
	if !postalCode.MatchString(p.Address) {
		return false
	}
	open := daysTold(p.Hours)
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
