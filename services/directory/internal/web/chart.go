package web

import (
	"math"
	"slices"
	"time"

	"backend.example/services/internal/kit/site"
)

// The charts are inline SVG, see partials/charts.html. Horizontal positions are in percent
// and vertical ones in pixels, so that letters keep their size on every screen.

// lineChart is a chart of one value over time.
type lineChart struct {
	ID, Title string  // the ID is unique on the page
	Min, Max  float64 // the ends of the axis
	Points    []chartPoint
}

// chartPoint is one measurement.
type chartPoint struct {
	At    time.Time
	Value float64
	Break string // why the line is interrupted before this point; empty if it is not
}

// gauge is a half circle that is filled up to a value between zero and Max.
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
	return slices.ContainsFunc(l.Points, func(p chartPoint) bool { return p.Break != "" })
}

// The vertical measures of a chart, which the templates repeat.
const (
	plotTop     = 24
	plotHeight  = 160
	sparkHeight = 32
	plotMargin  = 2 // percent, left and right of the points
)

type lineView struct {
	ID, Title   string
	Ticks       []tickView
	Points      []pointView
	Lines       [][]pointView // the points, divided at the breaks
	First, Last string        // dates; Last is empty for a single point
}

type tickView struct {
	Y, LabelY float64
	Text      string
}

type pointView struct {
	X                  float64 // percent
	Y, Inside, SparkY  float64 // in the chart, in its plot, in a sparkline
	Value, Date, Break string
}

// View returns the positions and texts of the chart.
func (l lineChart) View() lineView {
	v := lineView{ID: l.ID, Title: l.Title}
	for i, p := range l.Points {
		down := 1 - percent(p.Value, l.Min, l.Max)/100
		point := pointView{
			X: l.horizontal(p.At), Y: plotTop + plotHeight*down, Inside: plotHeight * down, SparkY: sparkHeight * down,
			Value: site.Figure(p.Value), Date: l.date(i), Break: p.Break,
		}
		v.Points = append(v.Points, point)
		if i == 0 || p.Break != "" {
			v.Lines = append(v.Lines, nil)
		}
		v.Lines[len(v.Lines)-1] = append(v.Lines[len(v.Lines)-1], point)
	}
	for _, part := range []float64{1, .5, 0} {
		y := plotTop + plotHeight*(1-part)
		v.Ticks = append(v.Ticks, tickView{Y: y, LabelY: y + 4, Text: site.Figure(l.Min + part*(l.Max-l.Min))})
	}
	if n := len(v.Points); n > 0 {
		v.First = v.Points[0].Date
		if n > 1 {
			v.Last = v.Points[n-1].Date
		}
	}
	return v
}

// date returns the day of a point, with the time if the day has several points.
func (l lineChart) date(i int) string {
	day := site.Date(l.Points[i].At)
	if i > 0 && site.Date(l.Points[i-1].At) == day || i+1 < len(l.Points) && site.Date(l.Points[i+1].At) == day {
		return site.Moment(l.Points[i].At)
	}
	return day
}

// horizontal returns the position of a time from left to right, in percent. A single point
// is at the left, above its date.
func (l lineChart) horizontal(at time.Time) float64 {
	first, last := l.Points[0].At, l.Points[len(l.Points)-1].At
	part := percent(at.Sub(first).Seconds(), 0, last.Sub(first).Seconds())
	return plotMargin + part*(100-2*plotMargin)/100
}

// percent returns the position of v between low and high, from 0 to 100.
func percent(v, low, high float64) float64 {
	if high <= low || math.IsNaN(v) {
		return 0
	}
	return math.Round(10000*min(max((v-low)/(high-low), 0), 1)) / 100
}
