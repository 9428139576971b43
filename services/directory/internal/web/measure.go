package web

import (
	"math"
	"strconv"
	"time"

	"backend.example/services/directory/internal/statistics"
	"backend.example/services/internal/kit/site"
)

// How far two figures may be from each other before the line between them is broken.
const (
	readingGap = 72 * time.Hour // the scan reads every day
	dayGap     = 25 * time.Hour // a day with the hour that clocks are put back by
	week       = 7

	noDays = "brak danych z dni pomiędzy"
)

// measure is a figure of the chosen days, compared with the time before them.
type measure struct {
	ID, Name string // the ID is unique on the page
	Value    string // empty: there is none
	Unit     string // in Polish; empty for a number of things
	Change   string // in Polish; empty if the history is too short
	Trend    string // "up" or "down", which are classes of the stylesheet; empty: neither
	Chart    *lineChart

	known []chartPoint // also those before the days
}

// byDay are points of days, of which none is zero because it is missing.
func byDay(past []statistics.Point) []chartPoint {
	return withBreaks(chartPoints(past), dayGap, noDays)
}

// everyDay returns the values of the days from one to another, e.g. "2026-11-20". A day
// without a value is zero.
func everyDay(from, to string, values map[string]int) []chartPoint {
	first, err := time.Parse(time.DateOnly, from)
	last, lastErr := time.Parse(time.DateOnly, to)
	if err != nil || lastErr != nil {
		return nil
	}
	var points []chartPoint
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		points = append(points, chartPoint{At: day, Value: float64(values[day.Format(time.DateOnly)])})
	}
	return points
}

// pointsOf are those of readings at any time of the day.
func pointsOf(past []statistics.Point) []chartPoint {
	return withBreaks(daily(chartPoints(past)), readingGap, "przerwa w odczytach")
}

func chartPoints(past []statistics.Point) []chartPoint {
	points := make([]chartPoint, len(past))
	for i, f := range past {
		points[i] = chartPoint{At: f.At, Value: float64(f.Count)}
	}
	return points
}

// withBreaks breaks the line where a gap is too long.
func withBreaks(points []chartPoint, gap time.Duration, why string) []chartPoint {
	for i := 1; i < len(points); i++ {
		if points[i].At.Sub(points[i-1].At) > gap {
			points[i].Break = why
		}
	}
	return points
}

// together adds up the values of two accounts, by the day from the first on which both are
// known. A value holds until the next one.
func together(a, b []chartPoint) []chartPoint {
	var sums []chartPoint
	for i, j := 0, 0; i < len(a) || j < len(b); {
		var at chartPoint
		if j == len(b) || i < len(a) && a[i].At.Before(b[j].At) {
			at, i = a[i], i+1
		} else {
			at, j = b[j], j+1
		}
		if i > 0 && j > 0 {
			sums = append(sums, chartPoint{At: at.At, Value: a[i-1].Value + b[j-1].Value})
		}
	}
	return withBreaks(daily(sums), readingGap, "przerwa w odczytach")
}

// until returns the points of the n days that end with a day.
func until(points []chartPoint, end time.Time, n int) []chartPoint {
	var found []chartPoint
	for _, p := range points {
		if !p.At.After(end) && p.At.After(end.AddDate(0, 0, -n)) {
			found = append(found, p)
		}
	}
	if len(found) > 0 {
		found[0].Break = ""
	}
	return found
}

// total is the sum of the last n days.
func total(id, name string, points []chartPoint, days span) measure {
	m := measure{ID: id, Name: name}
	m.over(points, days, sum, "", "")
	return m
}

// mean is the mean of the last n days, for values that must not be added up.
func mean(id, name string, points []chartPoint, days span) measure {
	m := measure{ID: id, Name: name}
	if len(points) > 0 {
		m.Unit = "średnio dziennie"
	}
	m.over(points, days, meanOf, "średnio ", " dziennie")
	return m
}

// over shows what value makes of the last n days, and its change, between two texts, from
// the n days before; without one of these days from week to week.
func (m *measure) over(points []chartPoint, days span, value func([]chartPoint) float64, before, after string) {
	if points = days.known(points); len(points) == 0 {
		return
	}
	n := days.Days
	last, earlier := m.compared(points, days)
	if len(last) == 0 {
		m.Chart = nil
		return
	}
	m.Value = site.Number(value(last), 0)
	if len(last) == n && len(earlier) == n {
		m.change(before, value(last)-value(earlier), after, than(n))
	} else {
		m.compareWeeks(points)
	}
}

// level is the newest value, compared with that of n days before or, in a shorter history,
// with the oldest.
func level(id, name string, points []chartPoint, days span) measure {
	m, n := measure{ID: id, Name: name}, days.Days
	if points = days.known(points); len(points) == 0 {
		return m
	}
	m.compared(points, days)
	newest, before := points[len(points)-1], points[0]
	m.Value = site.Number(newest.Value, 0)
	if before.At.Equal(newest.At) {
		m.Change, m.Chart = "Zmianę i wykres pokażemy po jutrzejszym odczycie.", nil
		return m
	}
	since := site.Date(before.At)
	for _, p := range points {
		if newest.At.Sub(p.At) >= time.Duration(n)*24*time.Hour {
			before, since = p, strconv.Itoa(n)+"\u00a0dni wcześniej"
		}
	}
	m.change("", newest.Value-before.Value, "", since)
	return m
}

// compared returns the points of the last n days and of the n days before, and draws the
// former.
func (m *measure) compared(points []chartPoint, days span) (last, before []chartPoint) {
	end, n := days.end(points), days.Days
	last = until(points, end, n)
	before = until(points, end.AddDate(0, 0, -n), n)
	m.known = points
	top := 0.0
	for _, p := range last {
		top = math.Max(top, p.Value)
	}
	m.Chart = &lineChart{ID: m.ID, Title: m.Name, Max: roundTop(top), From: end.AddDate(0, 0, 1-n), To: end,
		Points: last}
	return last, before
}

// compareWeeks compares the mean of the last week with that of the week before, if no day
// is missing.
func (m *measure) compareWeeks(points []chartPoint) {
	end := points[len(points)-1].At
	last, before := until(points, end, week), until(points, end.AddDate(0, 0, -week), week)
	if len(last) == week && len(before) == week {
		m.change("średnio ", meanOf(last)-meanOf(before), " dziennie", than(week))
	}
}

// change writes a difference: "średnio o 6 dziennie więcej niż tydzień wcześniej".
func (m *measure) change(before string, difference float64, after, since string) {
	amount := math.Abs(difference)
	if amount < 10 {
		amount = round(amount)
	} else {
		amount = math.Round(amount)
	}
	switch text := before + "o\u00a0" + site.Figure(amount) + after; {
	case amount == 0:
		m.Change = before + "tyle samo co " + since
	case difference > 0:
		m.Change, m.Trend = text+" więcej niż "+since, "up"
	default:
		m.Change, m.Trend = text+" mniej niż "+since, "down"
	}
}

// than is the time before the last n days.
func than(n int) string {
	if n == week {
		return "tydzień wcześniej"
	}
	return "w poprzednich " + strconv.Itoa(n) + "\u00a0dniach"
}

func sum(points []chartPoint) (all float64) {
	for _, p := range points {
		all += p.Value
	}
	return all
}

func meanOf(points []chartPoint) float64 { return sum(points) / float64(len(points)) }
