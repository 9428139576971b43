package site

import (
	"html/template"
	"slices"
	"time"
)

// Line is a chart of one value over time.
type Line struct {
	ID       string // unique on the page
	Title    string
	Min, Max float64 // the ends of the axis
	Points   []Point // in the order of time
}

// Point is one measurement.
type Point struct {
	At    time.Time
	Value float64
	Break string // why no line leads to it from the one before; empty: one does
}

// Measures of the chart: pixels down, percent across.
const (
	plotTop    = 24 // space above the highest point
	plotHeight = 160
	plotBelow  = 28 // space for the dates
	plotMargin = 2  // left and right of the points

	sparkHeight = 32
)

type tickView struct {
	Y, LabelY float64
	Text      string
}

type pointView struct {
	X           float64 // percent
	Y           float64 // from the top of the chart
	Inside      float64 // from the top of the plot
	Value, Date string
	Break       string
}

// Line draws l. Its text alternative names every date and value.
func (s *Site) Line(l Line) (template.HTML, error) {
	points, when := make([]pointView, len(l.Points)), s.dates(l.Points)
	for i, p := range l.Points {
		y := plotHeight * (1 - percent(p.Value, l.Min, l.Max)/100)
		points[i] = pointView{X: horizontal(l, p.At), Y: plotTop + y, Inside: y, Value: Figure(p.Value), Date: when[i], Break: p.Break}
	}
	view := struct {
		Line
		Ticks             []tickView
		Points            []pointView
		Lines             [][]pointView
		Top, Plot, Bottom int
		Height, DateY     int
		First, Last       string
	}{
		Line: l, Points: points, Lines: segments(points), Top: plotTop, Plot: plotHeight, Bottom: plotTop + plotHeight,
		Height: plotTop + plotHeight + plotBelow, DateY: plotTop + plotHeight + plotBelow - 8,
	}
	for _, part := range []float64{1, .5, 0} {
		y := plotTop + plotHeight*(1-part)
		view.Ticks = append(view.Ticks, tickView{Y: y, LabelY: y + 4, Text: Figure(l.Min + part*(l.Max-l.Min))})
	}
	if n := len(points); n > 0 {
		view.First = points[0].Date
		if n > 1 {
			view.Last = points[n-1].Date
		}
	}
	return s.chart("line.svg", view)
}

// Broken reports whether the line has a break.
func (l Line) Broken() bool {
	return slices.ContainsFunc(l.Points, func(p Point) bool { return p.Break != "" })
}

// Spark draws l in the height of a line of text, without axes.
func (s *Site) Spark(l Line) (template.HTML, error) {
	points := make([]pointView, len(l.Points))
	for i, p := range l.Points {
		points[i] = pointView{X: horizontal(l, p.At), Inside: sparkHeight * (1 - percent(p.Value, l.Min, l.Max)/100), Break: p.Break}
	}
	return s.chart("spark.svg", struct {
		Line
		Lines  [][]pointView
		Height int
	}{l, segments(points), sparkHeight})
}

// dates names the day of each point, with its hour where another one is of the same day.
func (s *Site) dates(points []Point) []string {
	names := make([]string, len(points))
	for i, p := range points {
		names[i] = s.Date(p.At)
		if i > 0 && s.Date(points[i-1].At) == names[i] || i+1 < len(points) && s.Date(points[i+1].At) == names[i] {
			names[i] = s.Moment(p.At)
		}
	}
	return names
}

// segments cuts points where the line has a break.
func segments(points []pointView) (lines [][]pointView) {
	for i, p := range points {
		if i == 0 || p.Break != "" {
			lines = append(lines, nil)
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], p)
	}
	return lines
}

// horizontal is the position of a moment from left to right, in percent. A single
// point is at the left, above its date.
func horizontal(l Line, at time.Time) float64 {
	first, last := l.Points[0].At, l.Points[len(l.Points)-1].At
	part := percent(at.Sub(first).Seconds(), 0, last.Sub(first).Seconds())
	return plotMargin + part*(100-2*plotMargin)/100
}
