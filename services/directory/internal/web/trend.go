package web

import (
	"maps"
	"math"
	"slices"
	"time"

	"backend.example/services/directory/internal/history"
	"backend.example/services/internal/kit/site"
)

// How far two figures may be from each other before the line between them is broken, and how
// far back a change looks.
const (
	readingGap = 72 * time.Hour // the scan reads every day
	dayGap     = 25 * time.Hour // a day with the hour that clocks are put back by
	changeOver = 28 * 24 * time.Hour
	week       = 7

	noDays = "brak danych z dni pomiędzy"
)

// byDay orders numbers that are kept by their day, e.g. "2026-11-20".
func byDay(values map[string]any) []chartPoint {
	var points []chartPoint
	for _, day := range slices.Sorted(maps.Keys(values)) {
		at, err := time.Parse(time.DateOnly, day)
		if value, ok := values[day].(float64); ok && err == nil {
			points = append(points, chartPoint{At: at, Value: value})
		}
	}
	return withBreaks(points, dayGap, noDays)
}

func pointsOf(past []history.Point) []chartPoint {
	points := make([]chartPoint, len(past))
	for i, f := range past {
		points[i] = chartPoint{At: f.At, Value: float64(f.Count)}
	}
	return withBreaks(points, readingGap, "przerwa w odczytach")
}

// chartOf fits the axis to the values, with round ends.
func chartOf(id, title string, points []chartPoint) lineChart {
	low, high := math.Inf(1), math.Inf(-1)
	for _, point := range points {
		low, high = math.Min(low, point.Value), math.Max(high, point.Value)
	}
	span := math.Max(high-low, math.Max(high/10, 10))
	step := math.Pow(10, math.Floor(math.Log10(span)))
	low, high = math.Max(0, math.Floor((low-span/4)/step)*step), math.Ceil((high+span/4)/step)*step
	return lineChart{ID: id, Title: title, Min: low, Max: high, Points: points}
}

// sparkOf is chartOf for a line of text.
func sparkOf(id, title string, points []chartPoint) lineChart {
	return chartOf(id+"-przebieg", title+" w czasie", points)
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

// sinceBefore is how the newest point differs from the newest of four weeks before or,
// in a shorter history, from the oldest that is not of the same day.
func sinceBefore(points []chartPoint) string {
	if len(points) < 2 {
		return ""
	}
	newest, before := points[len(points)-1], points[0]
	for _, p := range points {
		if newest.At.Sub(p.At) >= changeOver {
			before = p
		}
	}
	if site.Date(before.At) == site.Date(newest.At) {
		return ""
	}
	return signed(newest.Value-before.Value) + " od " + site.Date(before.At)
}

// weekly is the mean of the last seven days, and how it differs from that of the seven
// before. Both are empty where days are missing.
func weekly(points []chartPoint) (mean, change string) {
	last := meanOf(points, 0)
	if math.IsNaN(last) {
		return "", ""
	}
	if before := meanOf(points, week); !math.IsNaN(before) {
		change = signed(math.Round(last)-math.Round(before)) + " wobec tygodnia wcześniej"
	}
	return site.Number(math.Round(last), 0), change
}

// meanOf is the mean of the seven days that end so many days before the last one; not a
// number where one of them is missing.
func meanOf(points []chartPoint, before int) float64 {
	end := len(points) - before
	if end < week || points[end-1].At.Sub(points[end-week].At) > (week-1)*dayGap {
		return math.NaN()
	}
	sum := 0.0
	for _, p := range points[end-week : end] {
		sum += p.Value
	}
	return sum / week
}

// signed is a difference in words: "+12", "−3", "bez zmian".
func signed(difference float64) string {
	switch {
	case difference == 0:
		return "bez zmian"
	case difference > 0:
		return "+" + site.Number(difference, 0)
	}
	return site.Number(difference, 0)
}
