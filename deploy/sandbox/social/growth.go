package social

import (
	"math"
	"strconv"
	"time"

	"backend.example/deploy/sandbox/internal/fixtures"
)

// day is a day of the provider, counted from 1970. It begins and ends at 08:00 UTC,
// which is midnight in California in winter.
type day int

const (
	oneDay = 24 * time.Hour
	dawn   = 8 * time.Hour
)

func dayOf(t time.Time) day { return day(math.Floor(float64(t.Add(-dawn).Unix()) / oneDay.Seconds())) }

// lastEnded returns the newest day that is over.
func lastEnded(now time.Time) day { return dayOf(now) - 1 }

// start is the first moment of the day, in UTC.
func (d day) start() time.Time {
	return time.Unix(int64(d)*int64(oneDay.Seconds()), 0).UTC().Add(dawn)
}

// end is the first moment after the day, in UTC.
func (d day) end() time.Time { return (d + 1).start() }

// opening is the day from which followers and trends are counted.
func opening() day { return dayOf(time.Date(2025, 1, 1, 12, 0, 0, 0, time.UTC)) }

// flow is how often something happens on a day that happens mean times on a usual one:
// it goes up and down, is lower at weekends, and grows with the years. The same words
// and day always give the same number.
func flow(mean float64, d day, words ...string) int {
	random := fixtures.Rand(append(words, strconv.Itoa(int(d)))...)
	rate := mean * (0.7 + 0.6*random.Float64()) * rhythm(d) * trend(d)
	whole := math.Floor(rate)
	if random.Float64() < rate-whole {
		whole++
	}
	return int(whole)
}

func rhythm(d day) float64 {
	switch d.start().Weekday() {
	case time.Saturday:
		return 0.8
	case time.Sunday:
		return 0.6
	default:
		return 1.1
	}
}

// trend doubles what happens in about three years.
func trend(d day) float64 { return min(max(1+float64(d-opening())/1000, 0.5), 4) }

// growth is how the followers of an account come and go.
type growth struct {
	start  int     // followers on the opening day
	joins  float64 // on a usual day
	leaves float64
}

func (g growth) joined(d day, id string) int { return flow(g.joins, d, id, "joins") }

func (g growth) left(d day, id string) int { return flow(g.leaves, d, id, "leaves") }

// after is the number of followers at the end of a day.
func (g growth) after(last day, id string) int {
	followers := g.start
	for d := opening(); d <= last; d++ {
		followers = max(followers+g.joined(d, id)-g.left(d, id), 0)
	}
	return followers
}

// share is percent of whole, rounded to the nearest.
func share(whole int, percent float64) int { return int(math.Round(float64(whole) * percent / 100)) }
