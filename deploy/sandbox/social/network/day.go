package network

import (
	"math"
	"strconv"
	"time"

	"backend.example/deploy/sandbox/internal/seeded"
)

// Day is a day of the network, counted from 1970. It begins and ends at 08:00 UTC,
// which is midnight in California in winter.
type Day int

const (
	oneDay = 24 * time.Hour
	dawn   = 8 * time.Hour
)

// DayOf returns the day in which t lies.
func DayOf(t time.Time) Day {
	return Day(math.Floor(float64(t.Add(-dawn).Unix()) / oneDay.Seconds()))
}

// LastEnded returns the newest day that is over.
func LastEnded(now time.Time) Day { return DayOf(now) - 1 }

// Start is the first moment of the day, in UTC.
func (d Day) Start() time.Time {
	return time.Unix(int64(d)*int64(oneDay.Seconds()), 0).UTC().Add(dawn)
}

// End is the first moment after the day, in UTC.
func (d Day) End() time.Time { return (d + 1).Start() }

// opening is the day from which followers and trends are counted.
func opening() Day { return DayOf(time.Date(2025, 1, 1, 12, 0, 0, 0, time.UTC)) }

// flow is how often something happens on a day that happens mean times on a usual
// one: it goes up and down, is lower at weekends, and grows with the years. The
// same words and day always give the same number.
func flow(mean float64, day Day, words ...string) int {
	random := seeded.Rand(append(words, strconv.Itoa(int(day)))...)
	rate := mean * (0.7 + 0.6*random.Float64()) * rhythm(day) * trend(day)
	whole := math.Floor(rate)
	if random.Float64() < rate-whole {
		whole++
	}
	return int(whole)
}

func rhythm(day Day) float64 {
	switch day.Start().Weekday() {
	case time.Saturday:
		return 0.8
	case time.Sunday:
		return 0.6
	default:
		return 1.1
	}
}

// trend doubles what happens in about three years.
func trend(day Day) float64 {
	return min(max(1+float64(day-opening())/1000, 0.5), 4)
}
