package web

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"backend.example/services/internal/kit/site"
)

// The charts are inline SVG, see partials/charts.html. Horizontal positions in the plot are in half
// days, others in percent, vertical ones in pixels, so that letters keep their size on every screen.

// lineChart is a chart of one value by the day. Its axis begins at zero.
type lineChart struct {
	ID, Title, Summary string // the ID is unique on the page
	Width              int    // of the plot
	Ticks              []tickView
	Points             []pointView
	Lines              []lineSegment // the points, divided at the breaks
	First, Last        string        // the days at the ends of the time axis; Last is empty if they are the same
}

type chartPoint struct {
	At    time.Time
	Value float64
	Break string // why the line is interrupted before this point; empty if it is not
}

type gauge struct {
	ID, Title     string
	Value, Max    float64
	Text, Caption string     // the value as shown, and the text below it
	Level         site.Level // empty for the accent colour
}

// Filled returns how much of the arc is filled, in percent.
func (g gauge) Filled() float64 { return percent(g.Value, 0, g.Max) }

// Broken reports whether the line is interrupted.
func (l lineChart) Broken() bool {
	return slices.ContainsFunc(l.Points, func(p pointView) bool { return p.Break != "" })
}

// The vertical measures of a chart, which the templates repeat.
const (
	plotTop     = 8
	plotHeight  = 96
	sparkHeight = 32
)

type tickView struct {
	Y, LabelY float64
	Text      string
}

type lineSegment []pointView

// Alone reports whether the segment is one point, which makes no line.
func (s lineSegment) Alone() bool { return len(s) == 1 }

// Start is the left end of the area below the segment.
func (s lineSegment) Start() int { return s[0].X }

// End is the right end of that area.
func (s lineSegment) End() int { return s[len(s)-1].X }

// Path is the segment as a part of an SVG path, the same for the area and the line, which costs
// nothing when the page is compressed.
func (s lineSegment) Path() string {
	return s.path(func(p pointView) float64 { return p.Inside })
}

// SparkPath is the segment as a part of the path of a sparkline.
func (s lineSegment) SparkPath() string {
	return s.path(func(p pointView) float64 { return p.SparkY })
}

func (s lineSegment) path(y func(pointView) float64) string {
	parts := make([]string, len(s))
	for i, p := range s {
		parts[i] = fmt.Sprint(p.X, " ", y(p))
	}
	return strings.Join(parts, "L")
}

type pointView struct {
	chartPoint
	X                 int     // in the plot
	Left, Width       int     // of the column of the plot that shows the value
	Percent           float64 // from left to right
	Y, Inside, SparkY float64 // the vertical position in the chart, in its plot, and in a sparkline
	Text, Date        string
}

// newLineChart draws points on an axis from zero to top, from one day to another; zero times mean the days of the first
// and the last point.
func newLineChart(id, title string, top float64, from, to time.Time, points []chartPoint) *lineChart {
	points = daily(points)
	v := &lineChart{ID: id, Title: title}
	for _, part := range []float64{1, .5, 0} {
		y := plotTop + plotHeight*(1-part)
		v.Ticks = append(v.Ticks, tickView{Y: y, LabelY: y + 4, Text: site.Figure(part * top)})
	}
	if len(points) == 0 {
		return v
	}
	if from.IsZero() {
		from, to = points[0].At, points[len(points)-1].At
	}
	v.Width = max(halfDays(from, to), 1)
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range points {
		low, high = math.Min(low, p.Value), math.Max(high, p.Value)
		down := 1 - percent(p.Value, 0, top)/100
		point := pointView{
			chartPoint: p, X: v.Width - min(halfDays(p.At, to), v.Width), Y: plotTop + math.Round(plotHeight*down),
			Inside: math.Round(plotHeight * down), SparkY: round(sparkHeight * down),
			Text: site.Figure(p.Value), Date: site.Date(p.At),
		}
		if year := yearOf(site.Date(to)); year == yearOf(site.Date(from)) {
			point.Date = strings.TrimSuffix(point.Date, year)
		}
		point.Percent = percent(float64(point.X), 0, float64(v.Width))
		if len(v.Lines) == 0 || p.Break != "" {
			v.Lines = append(v.Lines, nil)
		}
		v.Lines[len(v.Lines)-1] = append(v.Lines[len(v.Lines)-1], point)
		v.Points = append(v.Points, point)
	}
	spread(v.Points, v.Width)
	v.First, v.Last = ends(from, to)
	v.Summary = period(from, to) + ": od " + site.Figure(low) + " do " + site.Figure(high)
	if v.First == v.Last {
		v.Last = ""
	}
	return v
}

func halfDays(from, to time.Time) int { return int(to.Sub(from) / (12 * time.Hour)) }

// spread gives each point the column between the middles to its neighbours.
func spread(points []pointView, width int) {
	left := 0
	for i := range points {
		right := width
		if i+1 < len(points) {
			right = (points[i].X + points[i+1].X) / 2
		}
		points[i].Left, points[i].Width = left, right-left
		left = right
	}
}

// daily leaves the last point of each day, with the breaks before the others.
func daily(points []chartPoint) []chartPoint {
	var days []chartPoint
	for _, p := range points {
		p.At = site.Day(p.At)
		if n := len(days); n > 0 && days[n-1].At.Equal(p.At) {
			p.Break = cmp.Or(p.Break, days[n-1].Break)
			days[n-1] = p
			continue
		}
		days = append(days, p)
	}
	return days
}

// period writes "od 23 października do 19 listopada 2026" of two days as [site.Day] returns them.
func period(from, to time.Time) string {
	first, last := site.Date(from), site.Date(to)
	if first == last {
		return first
	}
	first = strings.TrimSuffix(first, yearOf(last))
	if from.Month() == to.Month() && !strings.Contains(first, " ") {
		first = strconv.Itoa(from.Day())
	}
	return "od " + first + " do " + last
}

// yearOf returns the end of a date, e.g. " 2026".
func yearOf(date string) string { return date[strings.LastIndexByte(date, ' '):] }

// ends writes the days at the ends of a time axis so short that they fit below the smallest
// chart: without their year, or with the beginning of the month if the years differ.
func ends(from, to time.Time) (first, last string) {
	first, last = site.Date(from), site.Date(to)
	if year := yearOf(last); strings.HasSuffix(first, year) {
		return strings.TrimSuffix(first, year), strings.TrimSuffix(last, year)
	}
	return shortMonth(first), shortMonth(last)
}

// shortMonth writes "23 paź 2025" for "23 października 2025".
func shortMonth(date string) string {
	day, rest, _ := strings.Cut(date, "\u00a0")
	return day + "\u00a0" + string([]rune(rest)[:3]) + yearOf(date)
}

func percent(v, low, high float64) float64 {
	if high <= low || math.IsNaN(v) {
		return 0
	}
	return round(100 * min(max((v-low)/(high-low), 0), 1))
}

func round(v float64) float64 { return math.Round(10*v) / 10 }

// roundTop returns the smallest round number that is not below v and whose half, which the axis shows too, is round.
func roundTop(v float64) float64 {
	if v <= 0 {
		return 10
	}
	step := math.Pow(10, math.Floor(math.Log10(v)))
	top := math.Ceil(v/step) * step
	if step == 1 {
		top = 2 * math.Ceil(v/2)
	}
	return top
}
