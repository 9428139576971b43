package site

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // images built from scratch have no time zones
)

const nbsp = "\u00a0" // no-break space

// Number writes v in Polish with that many decimals, as in "2649,50". Numbers of
// five or more digits are grouped, as in "10 000" (Unicode CLDR, pl).
func Number(v float64, decimals int) string { return grouped(v, decimals, 5) }

// grouped groups the whole part by thousands if it has at least minDigits.
func grouped(v float64, decimals, minDigits int) string {
	text := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	if len(whole) >= minDigits {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + nbsp + whole[i:]
		}
	}
	if fraction != "" {
		whole += "," + fraction
	}
	isZero := strings.Trim(text, "0.") == "" // after rounding
	if v < 0 && !isZero {
		return "−" + whole
	}
	return whole
}

// Count writes a whole number like Number.
func Count(n int) string { return Number(float64(n), 0) }

// Figure writes a value with one decimal, or none if it is whole.
func Figure(v float64) string {
	if v == math.Trunc(v) {
		return Number(v, 0)
	}
	return Number(v, 1)
}

// Money writes an amount in PLN with separated thousands, as shops do: "2 649,00 zł".
func Money(pln float64) string { return grouped(pln, 2, 4) + nbsp + "zł" }

// Plural writes n with the matching form of a noun: 1 oferta, 2 oferty, 5 ofert.
func Plural(n int, one, few, many string) string {
	form := many
	switch {
	case n == 1:
		form = one
	case n%10 >= 2 && n%10 <= 4 && (n%100 < 12 || n%100 > 14):
		form = few
	}
	return Count(n) + nbsp + form
}

// Wait writes a duration, rounded up: "12 s", "3 min", "2 godz.".
func Wait(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		limit  float64 // from this number on, the next unit is used
		name   string
	}{{time.Second, 120, "s"}, {time.Minute, 120, "min"}, {time.Hour, math.Inf(1), "godz."}} {
		if n := math.Ceil(d.Seconds() / unit.length.Seconds()); n < unit.limit {
			return Number(math.Max(n, 0), 0) + nbsp + unit.name
		}
	}
	return ""
}

var poland = sync.OnceValue(func() *time.Location {
	zone, err := time.LoadLocation("Europe/Warsaw")
	if err != nil {
		panic(err) // time/tzdata contains it
	}
	return zone
})

// Day returns the date in Poland at t, as midnight of that date in UTC.
func Day(t time.Time) time.Time {
	year, month, day := t.In(poland()).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// ParseDay returns the time when a day, such as 2026-11-21, begins in Poland.
func ParseDay(text string) (time.Time, error) {
	return time.ParseInLocation(time.DateOnly, text, poland())
}

// Date writes a day in Poland: "21 listopada 2026".
func Date(t time.Time) string {
	t = t.In(poland())
	return strconv.Itoa(t.Day()) + nbsp + genitive(t.Month()) + " " + strconv.Itoa(t.Year())
}

// Moment writes a moment in Poland: "21 listopada 2026, 13:05".
func Moment(t time.Time) string { return Date(t) + ", " + t.In(poland()).Format("15:04") }

// machine is for the attribute datetime.
func machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func genitive(m time.Month) string {
	return [...]string{
		"stycznia", "lutego", "marca", "kwietnia", "maja", "czerwca", "lipca",
		"sierpnia", "września", "października", "listopada", "grudnia",
	}[m-1]
}
